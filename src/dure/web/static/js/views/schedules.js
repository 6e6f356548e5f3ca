// Questions that are asked at times: which there are, what came of them, and one made or changed.

import { getJson, send } from "../api.js";
import { copyText } from "../copy.js";
import { fullTime, t, timeZone, tOr } from "../i18n.js";
import { Button, IconButton, Skeleton } from "../icons.js";
import { teamName } from "../names.js";
import { Component, html } from "../preact.js";
import { state } from "../state.js";
import { confirmed, toast } from "../toast.js";

const USUAL = ["0 9 * * 1-5", "0 9 * * *", "0 9 * * 1", "@monthly", ""];
const TO = ["session", "file", "webhook"];
const at = (id) => `/v1/schedules/${encodeURIComponent(id)}`;
const when = (cron) => tOr(`schedules.cron.${USUAL.indexOf(cron)}`, cron);

export class Schedules extends Component {
  constructor() {
    super();
    this.state = { all: null, editing: null, secret: "", problem: "", fault: null };
  }

  componentDidMount() {
    this.try(() => this.load());
  }

  async load() {
    this.setState({ all: (await getJson("/v1/schedules")).schedules });
  }

  async try(work) {
    this.setState({ problem: "", fault: null });
    await work().catch((error) => this.setState({ problem: error.message }));
  }

  save = (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
    const { usual, ...rest } = given;
    const { id } = this.state.editing;
    const body = { ...rest, cron: usual || given.cron || "", name: given.name || null, team: given.team || null };
    if (body.to !== "webhook") body.url = null;
    this.try(async () => {
      try {
        const { secret = "" } = await send(id ? "PATCH" : "POST", id ? at(id) : "/v1/schedules", body);
        this.setState({ editing: null, secret });
      } catch (error) {
        const { key } = error.details ?? {};
        if (!form.elements[key]) throw error;
        // Said at its field, without the name that programs know it by.
        this.setState({ fault: { key, text: error.message.split(`${key}: `).at(-1) } }, () => form.elements[key].focus());
        return;
      }
      await this.load();
    });
  };

  act = (work, done) => this.try(async () => {
    await work();
    if (done) toast(done);
    await this.load();
  });

  async remove({ id, name }) {
    if (await confirmed(t("schedules.delete_question", { name }), t("delete"))) this.act(() => send("DELETE", at(id)));
  }

  render(_, { all, editing, secret, problem, fault }) {
    if (!all) return problem ? html`<p class="problem bad" role="alert">${problem}</p>` : html`<${Skeleton} />`;
    return html`<p class="lead">${t("schedules.about")}</p>
      ${problem && html`<p class="problem bad" role="alert">${problem}</p>`}
      ${secret && html`<div class="mending fine" role="status"><p>${t("schedules.secret")}</p><p><code>${secret}</code> <${IconButton} name="copy" label=${t("copy")} onClick=${(event) => copyText(secret, event.currentTarget)} /></p></div>`}
      ${editing ? html`<${Form} key=${editing.id ?? "new"} given=${editing} fault=${fault} save=${this.save} cancel=${() => this.setState({ editing: null, problem: "", fault: null })} />`
        : html`<div class="actions"><${Button} name="plus" kind="primary" label=${t("schedules.new")} onClick=${() => this.setState({ editing: {}, secret: "" })} /></div>`}
      ${!all.length && !editing && html`<p class="empty">${t("schedules.none")}</p>`}
      <ul class="rows">${all.map((each) => html`<${Entry} key=${each.id} schedule=${each} edit=${() => this.setState({ editing: each, secret: "" })} remove=${() => this.remove(each)}
        run=${() => this.act(() => send("POST", `${at(each.id)}/run`), t("schedules.asked"))} pause=${() => this.act(() => send("PATCH", at(each.id), { paused: each.next_at !== null }))} />`)}</ul>`;
  }
}

function Entry({ schedule: each, edit, remove, run, pause }) {
  const [last] = each.runs;
  const paused = each.next_at === null;
  return html`<li class="row schedule"><div class="row-main">
      <strong>${each.name}</strong> ${paused && html`<span class="mark" data-status="warning">${t("schedules.paused")}</span>`}
      <small>${[when(each.cron), each.zone, each.team && teamName(each.team), t(`schedules.to.${each.to}`), each.next_at && t("schedules.next", { time: fullTime(each.next_at) })].filter(Boolean).join(" · ")}</small>
      ${each.reason && html`<p class="note">${each.reason}</p>`}
      ${last && html`<p>${t("schedules.last")} <span class="mark" data-status=${last.status}>${tOr(`status.${last.status}`, last.status)}</span> ${fullTime(last.at)} ${last.run_id && last.status !== "deleted" && html`<a href=${`#/runs/${last.run_id}`}>${t("chat.what_happened")}</a>`}</p>`}
      ${[last?.reason, last?.delivery?.error].filter(Boolean).map((text) => html`<p class="note">${text}</p>`)}
    </div><div class="actions">
      <${Button} label=${t("schedules.run")} aria-label=${`${t("schedules.run")}: ${each.name}`} onClick=${run} />
      <${Button} label=${t(paused ? "schedules.resume" : "schedules.pause")} aria-label=${`${t(paused ? "schedules.resume" : "schedules.pause")}: ${each.name}`} onClick=${pause} />
      <${IconButton} name="edit" label=${`${t("schedules.edit")}: ${each.name}`} onClick=${edit} />
      <${IconButton} name="trash" label=${`${t("delete")}: ${each.name}`} onClick=${remove} />
    </div></li>`;
}

class Form extends Component {
  constructor({ given }) {
    super();
    this.state = { usual: given.cron === undefined || USUAL.includes(given.cron) ? (given.cron ?? USUAL[0]) : "", to: given.to ?? "session" };
  }

  render({ given, fault, save, cancel }, { usual, to }) {
    // What was typed stays when it is drawn anew: what is given stands there at first only.
    const line = (name, value, rest) => html`<input name=${name} autocomplete="off" defaultValue=${value ?? ""} aria-invalid=${String(fault?.key === name)} ...${rest} />
      ${fault?.key === name && html`<span class="field-error" role="alert">${fault.text}</span>`}`;
    const zone = given.zone ?? timeZone();
    return html`<form class="form part" onSubmit=${save}>
      <label class="field">${t("schedules.message")}<textarea name="message" rows="3" required>${given.message ?? ""}</textarea></label>
      <label class="field">${t("schedules.when")}<select name="usual" onChange=${(event) => this.setState({ usual: event.currentTarget.value })}>${USUAL.map((each, index) => html`<option value=${each} selected=${each === usual}>${t(`schedules.cron.${index}`)}</option>`)}</select></label>
      ${!usual && html`<label class="field">${t("schedules.line")}${line("cron", given.cron, { required: true, placeholder: "30 8 1 * *" })}<span class="hint">${t("schedules.line_hint")}</span></label>`}
      <label class="field">${t("schedules.zone")}${line("zone", zone)}</label>
      <label class="field">${t("chat.team")}<select name="team">${given.id && !given.team && html`<option value="" selected>–</option>`}${state.teams.map((each) => html`<option value=${each.name} selected=${each.name === given.team}>${teamName(each.name)}</option>`)}</select></label>
      <label class="field">${t("schedules.where")}<select name="to" onChange=${(event) => this.setState({ to: event.currentTarget.value })}>${TO.map((each) => html`<option value=${each} selected=${each === to}>${t(`schedules.to.${each}`)}</option>`)}</select></label>
      ${to === "webhook" && html`<label class="field">${t("schedules.url")}${line("url", given.url, { type: "url", required: true, placeholder: "https://" })}</label>`}
      <label class="field">${t("schedules.name")}${line("name", given.name, { maxlength: "200" })}</label>
      <div class="actions"><${Button} type="submit" name="check" kind="primary" label=${t("save")} /><${Button} label=${t("cancel")} onClick=${cancel} /></div>
    </form>`;
  }
}
