// Light or dark: as the system has it, unless one was chosen.

const KEPT = "dure.theme";
const dark = matchMedia("(prefers-color-scheme: dark)");

export const theme = () => localStorage.getItem(KEPT) ?? (dark.matches ? "dark" : "light");

export function showTheme() {
  document.documentElement.dataset.theme = theme();
}

export function switchTheme() {
  localStorage.setItem(KEPT, theme() === "dark" ? "light" : "dark");
  showTheme();
}

dark.addEventListener("change", showTheme);
