import { filled, type Locale } from "../../delivery/languages/languages.js";
import { type Html, html } from "../../http/html-page.js";
import type { HttpResponse } from "../../http/index.js";
import { pageResponse } from "./page.js";

/** A channel that delivers messages to customers. */
export type MailChannel = "email" | "wallet";

/** The channels to unsubscribe from: either a single channel or all of them. */
export type MailChannels = MailChannel | "all";

/** Returns the link's own channel if the form asks for it or doesn't specify a channel. Otherwise, returns all channels. */
export function channelsToEnd(own: MailChannel, asked: MailChannels | null): MailChannels {
  return asked === null || asked === own ? own : "all";
}

/**
 * Renders the page that an unsubscribe link opens. It is the same for everyone who has the link and reveals nothing about the
 * customer.
 */
export function unsubscribePage(locale: Locale, own: MailChannel, sender: string | null): HttpResponse {
  const { texts } = locale;
  const other = own === "email" ? "wallet" : "email";
  return pageResponse(locale, {
    title: texts.unsubscribe,
    content: html`<h1>${texts.unsubscribe}</h1>
<p>${sender === null ? texts.whichMessages : filled(texts.whichMessagesOf, { sender })}</p>
<form method="post">
${choice(own, texts.stop[own])}
${choice(other, texts.stop.both, "plain")}
${choice("all", texts.stop.all, "plain")}
</form>
<p class="quiet">${texts.cardStays}</p>`,
  });
}

export function unsubscribedPage(locale: Locale, ended: MailChannels): HttpResponse {
  const { texts } = locale;
  return pageResponse(locale, {
    title: texts.unsubscribed,
    content: html`<h1>${texts.unsubscribed}</h1>
<p>${texts.stopped[ended]}</p>
<p class="quiet">${texts.cardStays}</p>`,
  });
}

function choice(channel: MailChannels, label: string, look?: "plain"): Html {
  const style = look === undefined ? [] : [html` class="${look}"`];
  return html`<button name="channel" value="${channel}"${style}>${label}</button>`;
}
