import type { Locale } from "../../delivery/languages/languages.js";
import { HtmlLayout, type HtmlPage, html } from "../../http/html-page.js";
import type { HttpResponse } from "../../http/index.js";
import { style } from "./style.js";

/** The script that keeps a live page up to date. While the page is visible, the script refetches the content every four seconds. */
export const liveScript = `
const look = async () => {
  if (document.visibilityState !== "visible") return;
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (answer.status !== 200 && answer.status !== 404) return;
    const next = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
    const main = document.querySelector("main");
    if (next && main && next.innerHTML !== main.innerHTML) main.replaceWith(next);
  } catch {}
};
setInterval(look, 4000);
document.addEventListener("visibilitychange", look);
`;

const layout = new HtmlLayout(style, liveScript);

/** Builds the response for a customer-facing page. Tells search engines not to index the page. */
export function pageResponse({ language, texts }: Locale, { headers, ...page }: HtmlPage): HttpResponse {
  return layout.renderResponse(
    {
      formAction: "'self'",
      headers: { "x-robots-tag": "noindex", vary: "accept-language", ...headers },
      ...page,
    },
    { language, direction: texts.direction },
  );
}

/** Renders the page for an emailed link that was never valid or is no longer valid. */
export function renderBadLinkPage(locale: Locale): HttpResponse {
  const { badLink, badLinkText } = locale.texts;
  return pageResponse(locale, {
    title: badLink,
    status: 404,
    content: html`<h1>${badLink}</h1>
<p>${badLinkText}</p>`,
  });
}

/**
 * Renders the page for a code that is unknown or revoked. The page is the same in both cases so that it doesn't reveal whether the
 * card ever existed.
 */
export function renderNotFoundPage(locale: Locale): HttpResponse {
  const { notFound, notFoundText } = locale.texts;
  return pageResponse(locale, {
    title: notFound,
    status: 404,
    content: html`<h1>${notFound}</h1>
<p>${notFoundText}</p>`,
  });
}
