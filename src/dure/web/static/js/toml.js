// A team as TOML: what a form has filled in, as its file has it. Pure: no elements.

const BARE = /^[\w-]+$/;
const given = (value) => value !== null && value !== undefined;
const isTable = (value) => Array.isArray(value) && value.length > 0 && value.every((each) => each !== null && typeof each === "object" && !Array.isArray(each));

/** The TOML of `{key: value}`: lists of objects become tables of their own, texts of several lines stand on several. */
export function tomlOf(team) {
  const all = Object.entries(team).filter(([, value]) => given(value));
  const lines = all.filter(([, value]) => !isTable(value)).map(line);
  for (const [name, tables] of all.filter(([, value]) => isTable(value))) {
    for (const each of tables) lines.push("", `[[${key(name)}]]`, ...Object.entries(each).filter(([, value]) => given(value)).map(line));
  }
  return `${lines.join("\n")}\n`;
}

const line = ([name, value]) => `${key(name)} = ${text(value)}`;
const key = (name) => (BARE.test(name) ? name : JSON.stringify(name));

function text(value) {
  if (Array.isArray(value)) return `[${value.map(text).join(", ")}]`;
  if (typeof value === "object") return `{ ${Object.entries(value).filter(([, each]) => given(each)).map(line).join(", ")} }`;
  if (typeof value !== "string") return JSON.stringify(value);
  // JSON's escapes are TOML's, but for the one character that only TOML wants escaped.
  const escaped = JSON.stringify(value).slice(1, -1).replace(/\u007f/g, "\\u007f");
  if (!value.includes("\n")) return `"${escaped}"`;
  return `"""\n${escaped.replace(/\\(.)/g, (whole, sign) => (sign === "n" ? "\n" : whole))}"""`;
}
