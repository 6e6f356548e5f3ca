// Text into the clipboard.

export async function copyText(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https elsewhere than on this machine there is no clipboard: the old way.
    const area = Object.assign(document.createElement("textarea"), { value: text, className: "unseen", ariaHidden: "true" });
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.classList.add("done");
  setTimeout(() => button.classList.remove("done"), 1200);
}
