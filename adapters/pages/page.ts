import { html } from "../http/html.js";
import { HtmlLook, type HtmlPage } from "../http/html-page.js";
import type { HttpResponse } from "../http/index.js";
import type { Spoken } from "./languages/languages.js";
import { liveScript } from "./live-script.js";
import { style } from "./style.js";

const look = new HtmlLook(style, liveScript);

/** A page for customers, which no search engine finds. One that is live does what it is for without its script, too. */
export function pageAnswer({ language, texts }: Spoken, { headers, ...page }: HtmlPage): HttpResponse {
  return look.answer(
    {
      formAction: "'self'",
      headers: { "x-robots-tag": "noindex", vary: "accept-language", ...headers },
      ...page,
    },
    { language, direction: texts.direction },
  );
}

/** The same for a code that was never given and one that was revoked: nobody learns which were. */
export function notFoundPage(spoken: Spoken): HttpResponse {
  const { notFound, notFoundText } = spoken.texts;
  return pageAnswer(spoken, {
    title: notFound,
    status: 404,
    content: html`<h1>${notFound}</h1>
<p>${notFoundText}</p>`,
  });
}
