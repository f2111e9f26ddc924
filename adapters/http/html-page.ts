import { createHash } from "node:crypto";
import { escapeMarkup } from "../../src/values/markup.js";
import type { HttpResponse } from "./index.js";

/** The icon of pages without one of their own, as SVG: five stamps of a card, the last one still missing. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" rx="112" fill="#4338ca"/><g fill="#fff"><circle cx="152" cy="196" r="44"/><circle cx="256" cy="196" r="44"/><circle cx="360" cy="196" r="44"/><circle cx="204" cy="316" r="44"/></g><circle cx="308" cy="316" r="36" fill="none" stroke="#fff" stroke-width="16"/></svg>`;
const iconUrl = `data:image/svg+xml,${encodeURIComponent(icon)}`;

/** The parts in which one page differs from others. All pages share the rest, security headers included. */
export interface HtmlPage {
  readonly title: string;
  readonly content: Html;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The CSP source list of the addresses that its form may lead to, redirects included. Default: `'none'`. */
  readonly formAction?: string;
  /** The CSP source list of the pages that it may show in frames. Default: none. */
  readonly frames?: string;
  /** The CSP source list of its pictures, besides those that are written into it. Default: none. */
  readonly pictures?: string;
  /** The address of its icon, which `pictures` must allow. Default: five stamps. */
  readonly icon?: string | undefined;
  /** A live page runs the script. */
  readonly isLive?: boolean;
}

export interface HtmlLanguage {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
}

const english: HtmlLanguage = { language: "en", direction: "ltr" };

/**
 * The layout of pages, with their style and script. Browsers run and show nothing else in them, except pictures that are written into
 * them.
 */
export class HtmlLayout {
  private readonly styleSheet: Html;
  private readonly script: Html;
  private readonly styleSource: string;
  private readonly liveSources: readonly string[];

  /** @param script what live pages run; `null` if none is. */
  constructor(style: string, script: string | null = null) {
    this.styleSheet = new Html(`<style>${style}</style>`);
    this.styleSource = `style-src ${hashSource(style)}`;
    this.script = new Html(`<script type="module">${script ?? ""}</script>`);
    this.liveSources = script === null ? [] : [`script-src ${hashSource(script)}`, "connect-src 'self'"];
  }

  /** A page that no other page can hold in a frame and no cache keeps. */
  answer(
    {
      title,
      content,
      status = 200,
      headers = {},
      formAction,
      frames,
      pictures,
      icon = iconUrl,
      isLive = false,
    }: HtmlPage,
    { language, direction } = english,
  ): HttpResponse {
    const { text } = html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${icon}">
${this.styleSheet}
</head>
<body>
<main>
${content}
</main>
${isLive ? [this.script] : []}
</body>
</html>
`;
    return {
      status,
      headers: {
        "content-type": "text/html; charset=utf-8",
        "content-language": language,
        "content-security-policy": this.policy(formAction, frames, pictures),
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        // With none at all, browsers would hide the origin of its form from us too.
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
        ...headers,
      },
      body: text,
    };
  }

  private policy(formAction = "'none'", frames?: string, pictures?: string): string {
    return [
      "default-src 'none'",
      this.styleSource,
      `form-action ${formAction}`,
      `img-src data:${pictures === undefined ? "" : ` ${pictures}`}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      ...this.liveSources,
      ...(frames === undefined ? [] : [`frame-src ${frames}`]),
    ].join("; ");
  }
}

function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Text that is HTML already. */
export class Html {
  constructor(readonly text: string) {}
}

/** A template of HTML. Every text that is put in stays a text, in contents and in quoted attributes. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  const rest = values.map((value, at) => written(value) + (parts[at + 1] ?? ""));
  return new Html((parts[0] ?? "") + rest.join(""));
}

function written(value: string | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  if (typeof value !== "string") return value.map(written).join("");
  return escapeMarkup(value);
}
