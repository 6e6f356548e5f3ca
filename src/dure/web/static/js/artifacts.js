// Files that runs made, to be saved.

import { save } from "./api.js";
import { h, icon } from "./dom.js";
import { bytes, t } from "./i18n.js";
import { toast } from "./toast.js";

export function artifactList(runId, artifacts) {
  if (!artifacts.length) return null;
  return h("ul.artifacts", { "aria-label": t("artifacts") }, artifacts.map((each) => h("li", {}, artifact(runId, each))));
}

function artifact(runId, each) {
  const path = `/v1/runs/${runId}/artifacts/${encodeURIComponent(each.id)}`;
  const onclick = () => save(path, each.name).catch((error) => toast(error.message, "bad"));
  const label = t("artifacts.save", { name: each.name });
  return h("button.file-chip", { type: "button", onclick, "aria-label": label }, icon("download"), h("span", {}, each.name), h("small", {}, bytes(each.size)));
}
