// Places in the page: #/, #/s/SESSION, #/documents, #/shelves, #/runs, #/runs/ID, #/compare/A/B, #/sessions, #/waiting, #/start,
// #/read/SESSION; #/shared/LINK stands alone.

let shown = null;

/** The place as words: "#/runs/r-1?team=x" is {path: ["runs", "r-1"], query}. */
export function place() {
  const [path, search] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(search ?? "") };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const go = (hash) => (location.hash = hash);

/** Change the address without leaving the view. */
export function replaceRoute(hash) {
  history.replaceState(null, "", hash);
  shown = location.hash;
}

/** `changed(place)` now, and whenever the address becomes another. */
export function onRoute(changed) {
  const look = () => {
    if (location.hash === shown) return;
    shown = location.hash;
    changed(place());
  };
  addEventListener("hashchange", look);
  look();
}
