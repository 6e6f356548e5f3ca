// Code cut into what is coloured: comments, texts, numbers, words of the language. By shapes alone, without a grammar.

const C_LIKE = { line: "//", block: ["/*", "*/"], quotes: "\"'" };
const HASH = { line: "#", quotes: "\"'" };
const of = (shape, words) => ({ ...shape, words: new Set(words.split(" ")) });

const SCRIPT = of({ ...C_LIKE, quotes: "\"'\x60" }, "async await break case catch class const continue default delete do else enum export extends false finally for from function if implements import in instanceof interface let new null of private public readonly return static super switch this throw true try type typeof undefined var void while yield");
const SHELL = of(HASH, "case do done echo elif else esac exit export fi for function if in local read return set then unset until while cd sudo source");
const SQL = of({ line: "--", block: ["/*", "*/"], quotes: "'\"", anyCase: true }, "all alter and any as asc between by case cast create cross delete desc distinct drop else end exists false from full group having in index inner insert into is join left like limit not null offset on or order outer over partition primary key references right select set table then true union unique update using values view when where with");
const JSON_WORDS = of(C_LIKE, "true false null");
const CONFIG = of(HASH, "true false null yes no on off");
const C = of(C_LIKE, "auto bool break case catch char class const continue default delete do double else enum explicit extern false float for goto if include inline int long namespace new nullptr operator private protected public return short signed sizeof static struct switch template this throw true try typedef typename union unsigned using virtual void volatile while");
const LANGUAGES = {
  python: of({ ...HASH, triple: true }, "and as assert async await break class continue def del elif else except False finally for from global if import in is lambda match case None nonlocal not or pass raise return self True try while with yield"),
  java: of(C_LIKE, "abstract boolean break byte case catch char class continue default do double else enum extends false final finally float for if implements import instanceof int interface long new null package private protected public record return short static super switch this throw throws true try var void while"),
  kotlin: of(C_LIKE, "as break class continue data do else false for fun if import in interface is null object override package private return sealed super this throw true try val var when while"),
  go: of({ ...C_LIKE, quotes: "\"'\x60" }, "break case chan const continue default defer else fallthrough false for func go goto if import interface map nil package range return select struct switch true type var"),
  rust: of({ ...C_LIKE, quotes: '"' }, "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while"),
  css: of({ block: ["/*", "*/"], quotes: "\"'" }, "important inherit initial none auto"),
  html: of({ block: ["<!--", "-->"], quotes: "\"'" }, "html head body div span a p ul ol li table tr td th script style link meta title img input button form"),
  javascript: SCRIPT, typescript: SCRIPT, bash: SHELL, sql: SQL, json: JSON_WORDS, yaml: CONFIG, toml: CONFIG, c: C,
};
const ALSO = { py: "python", js: "javascript", jsx: "javascript", mjs: "javascript", ts: "typescript", tsx: "typescript", sh: "bash", shell: "bash", zsh: "bash", yml: "yaml", ini: "toml", kt: "kotlin", rs: "rust", xml: "html", svg: "html", "c++": "c", cpp: "c", h: "c", cs: "java", duckdb: "sql", postgresql: "sql", sqlite: "sql", jsonc: "json" };

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
const patterns = new Map();

/** What one look finds: a comment, a text, a number or a word. A text that is not closed ends with its line. */
function patternOf(language) {
  if (patterns.has(language)) return patterns.get(language);
  const { line, block, quotes, triple } = language;
  const comments = [block && `${escaped(block[0])}[^]*?(?:${escaped(block[1])}|$)`, line && `(?<![\\w:])${escaped(line)}[^\\n]*`];
  const texts = [...quotes].map((quote) => `${quote}(?:\\\\[^]|[^${quote}\\\\${quote === "\x60" ? "" : "\\n"}])*(?:${quote}|(?=\\n)|$)`);
  if (triple) texts.unshift('"""[^]*?(?:"""|$)', "'''[^]*?(?:'''|$)");
  const parts = [`(?<comment>${comments.filter(Boolean).join("|")})`, `(?<text>${texts.join("|")})`, "(?<number>\\b\\d[\\w.]*)", "(?<word>[A-Za-z_][\\w]*)"];
  patterns.set(language, new RegExp(parts.join("|"), "g"));
  return patterns.get(language);
}

/** `text` as `[kind, text]` pairs; kind is "comment", "text", "number", "word" or "". Null for a language that is not known. */
export function coloured(text, name) {
  const known = name.toLowerCase();
  const language = LANGUAGES[ALSO[known] ?? known];
  if (!language || !Object.hasOwn(LANGUAGES, ALSO[known] ?? known)) return null;
  const found = [];
  const add = (kind, part) => {
    if (!part) return;
    if (found.at(-1)?.[0] === kind) found.at(-1)[1] += part;
    else found.push([kind, part]);
  };
  let at = 0;
  for (const hit of text.matchAll(patternOf(language))) {
    add("", text.slice(at, hit.index));
    const { comment, text: quoted, number, word } = hit.groups;
    const own = word !== undefined && language.words.has(language.anyCase ? word.toLowerCase() : word);
    add(comment !== undefined ? "comment" : quoted !== undefined ? "text" : number !== undefined ? "number" : own ? "word" : "", hit[0]);
    at = hit.index + hit[0].length;
  }
  add("", text.slice(at));
  return found;
}
