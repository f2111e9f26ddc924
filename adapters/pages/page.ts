import { createHash } from "node:crypto";
import { Html, html } from "../http/html.js";
import type { HttpResponse } from "../http/index.js";
import type { Spoken } from "./languages/languages.js";
import { liveScript } from "./live-script.js";
import { style } from "./style.js";

const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const policy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(liveScript)}`,
  "img-src data:",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const styleSheet = new Html(`<style>${style}</style>`);
const script = new Html(`<script type="module">${liveScript}</script>`);

export interface Page {
  readonly title: string;
  readonly content: Html;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it follows what happens. It does what it is for without that, too. */
  readonly isLive?: boolean;
}

/** A page for customers: no search engine finds it, no cache keeps it, no other page can hold it in a frame. */
export function pageAnswer(
  { language, texts }: Spoken,
  { title, content, status = 200, headers = {}, isLive = false }: Page,
): HttpResponse {
  const { text } = html`<!doctype html>
<html lang="${language}" dir="${texts.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${styleSheet}
</head>
<body>
<main>
${content}
</main>
${isLive ? [script] : []}
</body>
</html>
`;
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-language": language,
      "content-security-policy": policy,
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "x-robots-tag": "noindex",
      "cache-control": "no-store",
      vary: "accept-language",
      ...headers,
    },
    body: text,
  };
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
