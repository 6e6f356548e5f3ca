// Places in the page: #/, #/s/SESSION, #/documents, #/runs, #/runs/ID, #/compare/A/B, #/sessions, #/waiting, #/start.

/** The place as words: "#/runs/r-1?team=x" is {path: ["runs", "r-1"], query}. */
export function place() {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decodeURIComponent), query: new URLSearchParams(search ?? "") };
}

export const go = (hash) => (location.hash = hash);

/** Change the address without leaving the view. */
export function replaceRoute(hash) {
  history.replaceState(null, "", hash);
}

export function onRoute(changed) {
  addEventListener("hashchange", () => changed(place()));
  changed(place());
}
