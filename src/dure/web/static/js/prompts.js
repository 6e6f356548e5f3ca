// Questions that one saves to ask them again, in this browser; the newest first.

const KEPT = "dure.prompts";

export function savedPrompts() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "[]").filter((each) => typeof each === "string");
  } catch {
    return [];
  }
}

export function forgetPrompt(text) {
  localStorage.setItem(KEPT, JSON.stringify(savedPrompts().filter((each) => each !== text)));
}

export function savePrompt(text) {
  localStorage.setItem(KEPT, JSON.stringify([text, ...savedPrompts().filter((each) => each !== text)]));
}
