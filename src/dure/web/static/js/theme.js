// Light or dark: as the system has it, unless one was chosen.

const KEPT = "dure.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export const theme = () => localStorage.getItem(KEPT) ?? (dark.matches ? "dark" : "light");

export function showTheme() {
  document.documentElement.dataset.theme = theme();
}

/** What was chosen; "" where it is as the system has it. */
export const chosenTheme = () => localStorage.getItem(KEPT) ?? "";

export function chooseTheme(name) {
  if (name) localStorage.setItem(KEPT, name);
  else localStorage.removeItem(KEPT);
  showTheme();
}

export const switchTheme = () => chooseTheme(theme() === "dark" ? "light" : "dark");

dark.addEventListener("change", showTheme);
