// The bundled Korean face, 270 KB a weight: it comes when the page stands and nothing else is waited for.

import { h } from "./dom.js";

export function loadFace() {
  // Whoever asks their browser to spare data reads in the system's face.
  if (navigator.connection?.saveData) return;
  document.head.append(h("link", { rel: "stylesheet", href: new URL("../face/face.css", import.meta.url).href }));
}
