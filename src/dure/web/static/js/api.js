// The only way to the server. The API key stays in this tab (sessionStorage), or on this device where one asked for that
// (localStorage), never in a URL.

import { language, problemText, t } from "./i18n.js";
import { state, tell } from "./state.js";

export class ApiError extends Error {
  constructor(status, code, message, details) {
    super(message);
    Object.assign(this, { status, code, details: details ?? {} });
  }
}

// Of this Dure: another may stand below another path of the same name.
const KEPT = `dure.key ${new URL(".", location.href).pathname}`;
const own = () => sessionStorage.getItem("dure.key");

export const apiKey = () => own() ?? localStorage.getItem(KEPT) ?? "";

/** Whether the key outlives this tab. */
export const keyIsKept = () => Boolean(apiKey()) && !own();

/** Use a key from now on: in this tab, or with `keep` in all tabs of this browser, until it is forgotten. "" forgets it,
    a kept one everywhere; one that is kept and was not taken goes, too. */
export function setApiKey(key, keep = false) {
  if (!key || keep || !own()) localStorage.removeItem(KEPT);
  sessionStorage.removeItem("dure.key");
  if (key) (keep ? localStorage : sessionStorage).setItem(keep ? KEPT : "dure.key", key);
}

// Another tab keeps a key, or forgot it; what stands here was read with the one before.
addEventListener("storage", ({ key }) => (key === KEPT || key === null) && !own() && location.reload());

export function headers(more) {
  const key = apiKey();
  return { "Accept-Language": language(), ...(key && { Authorization: `Bearer ${key}` }), ...more };
}

/** Where a path of the server's is, also where the page stands below one (`https://example.com/dure/`). */
export const here = (path) => `.${path}`;

/** The response, if it is a good one. Throws ApiError, also where there is no connection (status 0). */
export async function request(path, { method = "GET", body, accept, signal, extra } = {}) {
  const given = headers({ ...(accept && { Accept: accept }), ...(body && { "Content-Type": "application/json" }), ...extra });
  let response;
  try {
    response = await fetch(here(path), { method, headers: given, body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    tell("cut");
    throw new ApiError(0, "offline", t("error.offline"));
  }
  if (!response.ok) throw await failure(response);
  if (response.headers.has("X-Dure-Kept")) tell("kept", (state.kept = true));
  return response;
}

async function failure(response) {
  let found = {};
  try {
    found = (await response.json()).error ?? {};
  } catch {
    // Something between us and the server answered, not the server.
  }
  if (response.status === 401) tell("unauthorized");
  const message = problemText(found) ?? t("error.status", { status: response.status });
  return new ApiError(response.status, found.code ?? "http", message, found.details);
}

export async function getJson(path, options) {
  return (await request(path, options)).json();
}

export async function send(method, path, body, options) {
  const response = await request(path, { method, body, ...options });
  return response.status === 204 ? null : response.json();
}

/** Save what stands at `path` as a file, `name` or what the server calls it: a link could not carry the key. */
export async function save(path, name) {
  const response = await request(path);
  const blob = await response.blob();
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name ?? decodeURIComponent(/filename\*=UTF-8''([^;]+)/.exec(response.headers.get("Content-Disposition"))?.[1] ?? "");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** `{a: 1, b: ""}` as `?a=1`; empty values are left out. */
export function query(values) {
  const kept = Object.entries(values).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  return kept.length ? `?${new URLSearchParams(kept)}` : "";
}

/** What a blob or a file holds, as an address. */
export function dataUrl(blob) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    Object.assign(reader, { onload: () => done(reader.result), onerror: () => failed(reader.error) });
    reader.readAsDataURL(blob);
  });
}
