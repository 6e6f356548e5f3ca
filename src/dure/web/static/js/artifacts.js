// Files that runs made, to be saved.

import { save } from "./api.js";
import { bytes, t } from "./i18n.js";
import { icon } from "./icons.js";
import { html } from "./preact.js";
import { toast } from "./toast.js";

export function Artifacts({ run }) {
  if (!run.artifacts.length) return null;
  return html`<ul class="artifacts" aria-label=${t("artifacts")}>${run.artifacts.map((each) => html`<li><${Artifact} run=${run.id} file=${each} /></li>`)}</ul>`;
}

function Artifact({ run, file }) {
  const path = `/v1/runs/${run}/artifacts/${encodeURIComponent(file.id)}`;
  const saved = () => save(path, file.name).catch((error) => toast(error.message, "bad"));
  return html`<button type="button" class="file-chip" aria-label=${t("artifacts.save", { name: file.name })} onClick=${saved}>
    ${icon("download")}<span>${file.name}</span><small>${bytes(file.size)}</small>
  </button>`;
}
