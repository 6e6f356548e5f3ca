// Shelves: documents that several owners share. Whoever runs Dure makes them and says who reads and who changes them.

import { getJson, send } from "../api.js";
import { number, t } from "../i18n.js";
import { Button, IconButton } from "../icons.js";
import { Component, html, render } from "../preact.js";
import { confirmed, toast } from "../toast.js";

const ROLES = ["reader", "editor"];
const EVERYBODY = "*";

export async function open(host) {
  render(html`<${Shelves} />`, host);
  return () => render(null, host);
}

const memberName = (member) => (member === EVERYBODY ? t("shelves.everybody") : member);
const pathOf = (shelf, member) => `/v1/shelves/${encodeURIComponent(shelf)}${member ? `/members/${encodeURIComponent(member)}` : ""}`;

class Shelves extends Component {
  componentDidMount() {
    this.load();
  }

  async load() {
    try {
      this.setState({ problem: "", ...(await getJson("/v1/shelves")) });
    } catch (error) {
      this.setState({ problem: error.message });
    }
  }

  /** Whether it was done; then the list is read anew. */
  async change(method, shelf, member, body) {
    try {
      await send(method, pathOf(shelf, member), body);
    } catch (error) {
      toast(error.message, "bad");
      return false;
    } finally {
      await this.load();
    }
    return true;
  }

  async begin(event) {
    event.preventDefault();
    const form = event.currentTarget;
    const { shelf, member, role } = Object.fromEntries(new FormData(form));
    if (await this.change("PUT", shelf.trim(), member.trim(), { role })) form.reset();
  }

  async end({ name, documents }) {
    if (await confirmed(t("shelves.delete_question", { name, n: number(documents) }), t("delete"))) this.change("DELETE", name);
  }

  render(_, { shelves, owners, problem }) {
    return html`<h1>${t("shelves.title")}</h1><p class="lead">${t("shelves.about")}</p>
      ${problem && html`<p class="problem bad" role="alert">${problem}</p>`}
      ${shelves?.length === 0 && html`<p class="empty">${t(owners ? "shelves.none_yet" : "shelves.none")}</p>`}
      ${shelves?.map((each) => html`<${Shelf} key=${each.name} shelf=${each} owners=${owners} page=${this} />`)}
      ${owners && html`<form class="shelf" aria-label=${t("shelves.new")} onSubmit=${(event) => this.begin(event)}>
          <h2>${t("shelves.new")}</h2>
          <div class="filters"><input name="shelf" required maxlength="50" aria-label=${t("shelves.name")} placeholder=${t("shelves.name")} autocomplete="off" />
            <${NewMember} label=${t("shelves.first")} action=${t("shelves.make")} /></div>
        </form>
        <datalist id="owners">${owners.map(([owner, role]) => html`<option value=${owner}>${t(`shelves.key.${role}`)}</option>`)}</datalist>
        ${owners.length > 0 && html`<section class="part"><h2>${t("shelves.owners")}</h2><ul class="chips-line">${owners.map(([owner, role]) => html`<li><span class="mark">${owner} · ${t(`shelves.key.${role}`)}</span></li>`)}</ul></section>`}`}`;
  }
}

/** To whoever manages it with its members, to others with what they may do. */
function Shelf({ shelf, owners, page }) {
  const { name, documents, role, members } = shelf;
  const add = async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    const given = Object.fromEntries(new FormData(form));
    if (await page.change("PUT", name, given.member.trim(), { role: given.role })) form.reset();
  };
  return html`<section class="shelf" aria-label=${name}>
    <div class="row-title"><h2>${name}</h2>${role && html`<span class="mark">${t(`shelves.role.${role}`)}</span>`}<small>${t("shelves.documents", { n: number(documents) })}</small>
      ${owners && html`<${IconButton} name="trash" label=${`${t("delete")}: ${name}`} onClick=${() => page.end(shelf)} />`}</div>
    ${owners && html`<ul class="rows">${Object.entries(members).map(([member, its]) => html`<li class="row" key=${member}>
        <span class="row-main">${memberName(member)}</span>
        <${Role} label=${t("shelves.role_of", { name: memberName(member) })} value=${its} onChange=${(event) => page.change("PUT", name, member, { role: event.currentTarget.value })} />
        <${IconButton} name="close" label=${t("shelves.remove", { name: memberName(member) })} onClick=${() => page.change("DELETE", name, member)} />
      </li>`)}</ul>
      <form class="filters" onSubmit=${add}><${NewMember} label=${t("shelves.member")} action=${t("shelves.add")} /></form>`}
  </section>`;
}

const Role = ({ label, value, onChange }) => html`<select name="role" aria-label=${label} value=${value} onChange=${onChange}>
  ${ROLES.map((each) => html`<option value=${each} selected=${each === value}>${t(`shelves.role.${each}`)}</option>`)}
</select>`;

const NewMember = ({ label, action }) => html`<input name="member" required maxlength="56" list="owners" aria-label=${label} placeholder=${`${label} (${t("shelves.star")})`} autocomplete="off" />
  <${Role} label=${t("shelves.role")} value="reader" /><${Button} type="submit" label=${action} />`;
