// The page's own words: one file per language, the same keys in both (tests/web/test_i18n.py).

const LANGUAGES = ["ko", "en"];
let current = "ko";
let words = {};

/** The language kept by choice, else the browser's, else Korean. */
export function preferredLanguage() {
  const kept = localStorage.getItem("dure.language");
  if (LANGUAGES.includes(kept)) return kept;
  const wanted = navigator.languages.map((each) => each.slice(0, 2));
  return wanted.find((each) => LANGUAGES.includes(each)) ?? "ko";
}

export async function loadLanguage(language) {
  const response = await fetch(new URL(`../i18n/${language}.json`, import.meta.url));
  words = await response.json();
  current = language;
  document.documentElement.lang = language;
}

export const language = () => current;

/** The text of `key`, with `{name}` taken from `values`. */
export function t(key, values) {
  const text = words[key] ?? key;
  return values ? text.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole) : text;
}

/** The text of `key` where there is one, else `other`: for values that the server may add to. */
export const tOr = (key, other) => words[key] ?? other;

/** An error of the server's as the page tells it: what one can do here, where its own sentence is for programs. */
export const problemText = ({ code, message }) => tOr(`failure.${code}`, message);

// Making one takes longer than using it a hundred times.
const formats = new Map();

function format(kind, name, shape) {
  const key = `${current} ${name}`;
  if (!formats.has(key)) formats.set(key, new kind(current, shape));
  return formats.get(key);
}

export const number = (value) => format(Intl.NumberFormat, "number").format(value);

export function seconds(value) {
  if (value === null || value === undefined) return "";
  if (value < 0.1) return t("time.milliseconds", { n: Math.round(value * 1000) });
  if (value < 60) return t("time.seconds", { n: value < 10 ? value.toFixed(1) : Math.round(value) });
  return t("time.minutes", { m: Math.floor(value / 60), s: Math.round(value % 60) });
}

export function bytes(value) {
  if (value < 1024) return `${value} B`;
  return value < 1 << 20 ? `${Math.round(value / 1024)} KB` : `${(value / (1 << 20)).toFixed(1)} MB`;
}

/** Where the browser's clock is, such as Asia/Seoul. */
export const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A time for lists: the hour today, else the day. */
export function when(iso) {
  const at = new Date(iso);
  const today = at.toDateString() === new Date().toDateString();
  const shape = today ? { hour: "2-digit", minute: "2-digit" } : { year: "numeric", month: "short", day: "numeric" };
  return format(Intl.DateTimeFormat, today ? "hour" : "day", shape).format(at);
}

const DAY = 86_400_000;

/** When something was, for the head of a list: today, yesterday, this week, else the month. */
export function since(iso) {
  const [at, now] = [new Date(iso), new Date()];
  const days = Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(at).setHours(0, 0, 0, 0)) / DAY);
  if (days < 2) return format(Intl.RelativeTimeFormat, "days", { numeric: "auto" }).format(-Math.max(days, 0), "day");
  return days < 7 ? t("since.week") : format(Intl.DateTimeFormat, "month", { year: "numeric", month: "long" }).format(at);
}

export const fullTime = (iso) =>
  format(Intl.DateTimeFormat, "full", { dateStyle: "medium", timeStyle: "medium" }).format(new Date(iso));
