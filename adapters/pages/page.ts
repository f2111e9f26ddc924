import { HtmlLayout, type HtmlPage, html } from "../http/html-page.js";
import type { HttpResponse } from "../http/index.js";
import type { Locale } from "./languages/languages.js";
import { style } from "./style.js";

/** Shows every few seconds, while the page is visible, how its content is by now. */
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

/** A page for customers, which no search engine lists. A live one works without its script, too. */
export function pageResponse({ language, texts }: Locale, { headers, ...page }: HtmlPage): HttpResponse {
  return layout.answer(
    {
      formAction: "'self'",
      headers: { "x-robots-tag": "noindex", vary: "accept-language", ...headers },
      ...page,
    },
    { language, direction: texts.direction },
  );
}

/** The page for a link of a mail that is none. */
export function badLinkPage(locale: Locale): HttpResponse {
  const { badLink, badLinkText } = locale.texts;
  return pageResponse(locale, {
    title: badLink,
    status: 404,
    content: html`<h1>${badLink}</h1>
<p>${badLinkText}</p>`,
  });
}

/** The page for an unknown code and for a revoked card, so that it doesn't show which it is. */
export function notFoundPage(locale: Locale): HttpResponse {
  const { notFound, notFoundText } = locale.texts;
  return pageResponse(locale, {
    title: notFound,
    status: 404,
    content: html`<h1>${notFound}</h1>
<p>${notFoundText}</p>`,
  });
}
