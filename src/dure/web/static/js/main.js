// Where the page begins. Only what the first view needs comes with it; the other views are loaded when first opened.

import { getJson } from "./api.js";
import { openChat } from "./chat.js";
import { fill, h } from "./dom.js";
import { loadFace } from "./face.js";
import { loadLanguage, preferredLanguage, t } from "./i18n.js";
import { notify, notifying } from "./notify.js";
import { onRoute, place } from "./router.js";
import { Shell } from "./shell.js";
import { state, tell, watch } from "./state.js";
import { showTheme } from "./theme.js";

const EVERY = 8_000;

const VIEWS = {
  documents: () => import("./views/documents.js"),
  shelves: () => import("./views/shelves.js"),
  runs: ([, id]) => (id ? import("./views/run.js") : import("./views/runs.js")),
  library: () => import("./views/library.js"),
  compare: () => import("./views/compare.js"),
  sessions: () => import("./views/sessions.js"),
  waiting: () => import("./views/waiting.js"),
  read: () => import("./views/reading.js"),
  start: () => import("./views/start.js"),
};

let [leave, visit, named, cut] = [null, 0, null, false];

async function show(shell, { path, query }) {
  const mine = (visit += 1);
  leave?.();
  leave = null;
  shell.arrived(path);
  closePanel(shell);
  try {
    if (path.length === 0 || path[0] === "s") {
      // preact takes away what it drew itself and no more.
      fill(shell.view);
      leave = openChat(shell.view, path[1] ?? "");
      return;
    }
    const load = VIEWS[path[0]];
    if (!load) return fail(shell, t("error.no_page"));
    // What agents and teams are called stands in most of them.
    const [{ open }] = await Promise.all([loaded(load(path)), named]);
    if (mine !== visit) return;
    const page = h("div.page");
    fill(shell.view, page);
    // Whoever reads with a keyboard or by ear goes on here.
    if (mine > 1) shell.view.focus();
    const closed = await open(page, { path: path.slice(1), query });
    if (mine === visit) leave = closed;
    else closed?.();
  } catch (error) {
    // A missing key is asked for; that says enough.
    if (mine === visit) fail(shell, error.status === 401 ? "" : error.message);
  }
}

/** A view. Where the server was renewed meanwhile, the page is of the old one and begins anew, once. */
async function loaded(view) {
  try {
    const found = await view;
    sessionStorage.removeItem("dure.renewed");
    return found;
  } catch (error) {
    if (sessionStorage.getItem("dure.renewed")) throw error;
    sessionStorage.setItem("dure.renewed", "1");
    location.reload();
    return new Promise(() => {});
  }
}

function fail(shell, message) {
  fill(shell.view, h("div.page", {}, message && h("p.problem.bad", { role: "alert" }, message)));
}

/** What stands beside belongs to the view that one leaves; while none was opened there is nothing to load. */
async function closePanel(shell) {
  if (!shell.panel.hidden) (await import("./views/side.js")).closeSide();
}

/** A file that is dropped beside its place would take the place of the page. */
function keepFiles() {
  for (const type of ["dragover", "drop"]) addEventListener(type, (event) => event.preventDefault());
}

async function checkWaiting() {
  try {
    const { approvals } = await getJson("/v1/approvals");
    if (cut) tell("returned");
    cut = false;
    const before = state.waiting.map((each) => each.id).join();
    state.waiting = approvals;
    if (before === approvals.map((each) => each.id).join()) return;
    tell("waiting");
    if (approvals.some((each) => !before.includes(each.id))) notify(t("chat.waits"), "#/waiting");
  } catch {
    // Asked again in a moment.
  }
}

async function loadTeams() {
  try {
    Object.assign(state, await getJson("/v1/teams?examples=false"));
    tell("teams");
  } catch (error) {
    if (error.status !== 401) throw error;
  }
}

async function begin() {
  showTheme();
  await loadLanguage(preferredLanguage());
  const [shared, link] = place().path;
  if (shared === "shared") return openShared(link ?? "");
  const shell = new Shell();
  let asking = null;
  watch("unauthorized", async () => {
    // One question however many requests were refused.
    asking ??= import("./views/key.js").then(({ askKey }) => askKey());
    await asking;
    location.reload();
  });
  watch("fresh", () => show(shell, place()));
  const teams = loadTeams();
  named = teams.catch(() => {});
  onRoute((where) => show(shell, where));
  keepFiles();
  for (const topic of ["ended", "decided"]) watch(topic, checkWaiting);
  // What was asked for meanwhile is read once the server answers again.
  watch("cut", () => (cut = true));
  document.addEventListener("visibilitychange", () => document.hidden || (tell("returned"), checkWaiting()));
  setInterval(() => (document.hidden && notifying() !== "on") || checkWaiting(), EVERY);
  document.documentElement.dataset.ready = "";
  await Promise.all([teams, shell.loadRecent(), checkWaiting()]);
  loadFace();
  // A card shall stand as soon as something is asked for.
  import("./approval.js");
  import("./tree.js");
  (await import("./offline.js")).keepForReading();
}

/** Whoever reads what is shared may have no key, and sees no more than that. */
async function openShared(link) {
  addEventListener("hashchange", () => location.reload());
  const reading = await import("./views/reading.js");
  await reading.openShared(document.getElementById("app"), link);
  document.documentElement.dataset.ready = "";
  loadFace();
}

begin();
