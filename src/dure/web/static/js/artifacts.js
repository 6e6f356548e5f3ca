// Files that runs made: pictures are shown, others can be looked at, all can be saved.

import { save } from "./api.js";
import { bytes, t } from "./i18n.js";
import { icon, Lazy } from "./icons.js";
import { Component, html } from "./preact.js";
import { toast } from "./toast.js";

const PICTURE = /^image\/(svg\+xml|png|jpeg|webp|gif)$/;
const TEXT = /^(text\/(markdown|csv|plain)|application\/json)\b/;
// What is read on the server as documents are.
const READ = /\.(pdf|docx|pptx|xlsx|hwpx?|od[tsp]|rtf|html?)$/i;
const MOST = 2 << 20;
const preview = () => import("./preview.js");
const whole = () => import("./views/whole.js");

export function Artifacts({ run }) {
  if (!run.artifacts.length) return null;
  return html`<ul class="artifacts" aria-label=${t("artifacts")}>${run.artifacts.map((each) => html`<${Artifact} key=${each.id} run=${run} file=${each} />`)}</ul>`;
}

class Artifact extends Component {
  render({ run, file }, { open }) {
    const path = `/v1/runs/${run.id}/artifacts/${encodeURIComponent(file.id)}`;
    const saved = () => save(path, file.name).catch((error) => toast(error.message, "bad"));
    const small = file.size <= MOST;
    const shown = (table) => html`<${Lazy} from=${preview} name="Preview" path=${path} file=${file} table=${table} />`;
    const read = READ.test(file.name);
    const toggled = (event) => this.setState({ open: event.currentTarget.open });
    return html`<li>
      ${small && PICTURE.test(file.media_type) && shown(tableOf(run, file.name))}
      <button type="button" class="file-chip" onClick=${saved}>
        ${icon("download")}<span>${file.name}</span>${" "}<small>${bytes(file.size)}</small><span class="unseen"> ${t("save")}</span>
      </button>
      ${small && (read || TEXT.test(file.media_type)) && html`<details class="preview" onToggle=${toggled}><summary>${t("artifacts.preview")}</summary>${open && (read ? html`<${Lazy} from=${whole} name="Made" path=${path} file=${file} />` : shown())}</details>`}
    </li>`;
  }
}

/** The rows that a file was drawn from, as Markdown: the table in the reply of the call that made it. */
function tableOf(run, name) {
  const made = [...(run.calls?.values() ?? [])].find((each) => each.result?.includes(name));
  return made?.result.split("\n").filter((each) => each.startsWith("|")).join("\n") ?? "";
}
