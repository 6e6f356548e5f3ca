// A conversation on one page, to be read, printed, saved or passed on; and what somebody shares by a link, without a key.

import { apiKey, getJson, query, save, send } from "../api.js";
import { goesOn, Named, wordsOf } from "../asked.js";
import { copyText } from "../copy.js";
import { t, timeZone, when } from "../i18n.js";
import { Button, IconButton } from "../icons.js";
import { Markdown } from "../markdown.js";
import { placeName } from "../names.js";
import { Component, html, render } from "../preact.js";
import { confirmed, toast } from "../toast.js";

export async function open(host, { path: [session] }) {
  const at = `/v1/sessions/${encodeURIComponent(session)}`;
  const [{ messages }, { title, shared }] = await Promise.all([getJson(`${at}/messages`), getJson(at)]);
  render(html`<${Reading} title=${title} messages=${messages}><${Acts} at=${at} session=${session} shared=${shared} /><//>`, host);
  return () => render(null, host);
}

/** What a link shows, in the place of the whole page. */
export async function openShared(host, link) {
  const draw = (what) => render(html`<main class="view" id="view"><div class="page">${what}</div></main>`, host);
  try {
    const { title, messages } = await getJson(`/v1/shared/${encodeURIComponent(link)}`);
    document.title = `${title} · Dure`;
    draw(html`<${Reading} title=${title} messages=${messages}><p class="note">${t("share.reader")}</p><${Print} /><//>`);
  } catch (error) {
    draw(html`<p class="problem bad" role="alert">${error.code === "not_found" ? t("share.gone") : error.message}</p>`);
  }
}

const Reading = ({ title, messages, children }) => html`<article class="reading">
  <h1>${title || t("sessions.untitled")}</h1>
  <div class="reading-acts">${children}</div>
  ${messages.map((each, index) => (each.role === "user" ? html`<${Asked} text=${each.content} />` : html`<${Said} message=${each} name=${`source-${index}`} />`))}
</article>`;

function Asked({ text }) {
  if (goesOn(text)) return html`<p class="note">${t("chat.went_on")}</p>`;
  return html`<h2 class="asked">${wordsOf(text)}</h2><${Named} text=${text} />`;
}

/** An answer, and the sentences that it cites; its numbers lead there. */
function Said({ message: { content, citations, created_at: at }, name }) {
  const lead = (event) => {
    const cite = event.target.closest("button.cite");
    if (cite) document.getElementById(`${name}-${cite.dataset.n}`)?.focus();
  };
  return html`<div class="said" onClick=${lead}>
    <${Markdown} text=${content} />
    ${citations?.length > 0 && html`<ul class="cited" aria-label=${t("source.title")}>${citations.map((each) => html`<li id=${`${name}-${each.marker}`} tabindex="-1">
      <span class="source-number">${each.marker}</span><span><strong>${each.title}</strong> ${placeName(each) && html`<small>${placeName(each)}</small>`} <q>${each.quote}</q></span>
    </li>`)}</ul>`}
    <small class="note">${when(at)}</small>
  </div>`;
}

const Print = () => html`<${Button} name="file" label=${t("read.print")} onClick=${() => print()} />`;

class Acts extends Component {
  constructor({ shared }) {
    super();
    this.state = { shared };
  }

  async share(method) {
    try {
      this.setState({ shared: (await send(method, `${this.props.at}/share`)).shared });
      if (method === "PUT") toast(t("share.now"));
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  async begin() {
    if (await confirmed(t("share.question"), t("share.begin"))) await this.share("PUT");
  }

  render({ at, session }, { shared }) {
    const kept = (format) => save(`${at}/export${query({ format, tz: timeZone() })}`).catch((error) => toast(error.message, "bad"));
    const link = new URL(`#/shared/${shared}`, location.href).href;
    return html`<div class="actions">
        <a class="button" href=${`#/s/${encodeURIComponent(session)}`}>${t("read.back")}</a>
        <${Print} />
        <${Button} name="download" label="Markdown" onClick=${() => kept("md")} />
        <${Button} name="download" label="Word" onClick=${() => kept("docx")} />
        ${!shared && html`<${Button} name="external" label=${t("share.begin")} onClick=${() => this.begin()} />`}
      </div>
      ${shared && html`<div class="share" role="group" aria-label=${t("share.link")}>
        <input type="text" readonly aria-label=${t("share.link")} value=${link} onFocus=${(event) => event.currentTarget.select()} />
        <${IconButton} name="copy" label=${t("copy")} onClick=${(event) => copyText(link, event.currentTarget)} />
        <${Button} label=${t("share.renew")} onClick=${() => this.share("PUT")} />
        <${Button} label=${t("share.end")} kind="danger" onClick=${() => this.share("DELETE")} />
        <p class="note">${t(apiKey() ? "share.about" : "share.about_here")}</p>
      </div>`}`;
  }
}
