import { createHash } from "node:crypto";
import { escapeMarkup } from "../../src/base/values/display-text.js";
import type { HttpResponse } from "./index.js";

/** The default icon, an SVG image of a stamp card with four of its five stamps collected. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" rx="112" fill="#4338ca"/><g fill="#fff"><circle cx="152" cy="196" r="44"/><circle cx="256" cy="196" r="44"/><circle cx="360" cy="196" r="44"/><circle cx="204" cy="316" r="44"/></g><circle cx="308" cy="316" r="36" fill="none" stroke="#fff" stroke-width="16"/></svg>`;
const iconUrl = `data:image/svg+xml,${encodeURIComponent(icon)}`;

/** The parts of an HTML page that vary. The layout provides everything else, including the security headers. */
export interface HtmlPage {
  readonly title: string;
  readonly content: Html;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** CSP source list for the URLs that the page's forms can be submitted or redirected to. Default: `'none'`. */
  readonly formAction?: string;
  /** CSP source list for pages that this page can embed in frames. Default: none. */
  readonly frames?: string;
  /** CSP source list for images. Inline images are always allowed. Default: none. */
  readonly pictures?: string;
  /** URL of the page's icon, which `pictures` must allow. Default: {@link icon}. */
  readonly icon?: string | undefined;
  /** Colors of the page's buttons, as `#RRGGBB`, for the style sheet's `--accent` and `--accent-ink`. Default: the style sheet's own. */
  readonly accent?: AccentColors | undefined;
  /** Whether to run the layout's script on the page. Default: `false`. */
  readonly isLive?: boolean;
}

export interface AccentColors {
  readonly background: string;
  readonly text: string;
}

export interface HtmlLanguage {
  readonly language: string;
  readonly direction: "ltr" | "rtl";
}

const english: HtmlLanguage = { language: "en", direction: "ltr" };

/**
 * A page layout with its own style sheet and script. Its content security policy allows only this style sheet and script, inline
 * images, and the sources that a page adds.
 */
export class HtmlLayout {
  private readonly styleSheet: Html;
  private readonly script: Html;
  private readonly styleSource: string;
  private readonly liveSources: readonly string[];

  /** @param script the script to run on pages with `isLive` set, or `null` for none. */
  constructor(style: string, script: string | null = null) {
    this.styleSheet = new Html(`<style>${style}</style>`);
    this.styleSource = `style-src ${hashSource(style)}`;
    this.script = new Html(`<script type="module">${script ?? ""}</script>`);
    this.liveSources = script === null ? [] : [`script-src ${hashSource(script)}`, "connect-src 'self'"];
  }

  /** Builds the response for a page. The response forbids framing and caching. */
  renderResponse(
    {
      title,
      content,
      status = 200,
      headers = {},
      formAction,
      frames,
      pictures,
      icon = iconUrl,
      accent,
      isLive = false,
    }: HtmlPage,
    { language, direction } = english,
  ): HttpResponse {
    const accentStyle =
      accent === undefined ? null : `:root{--accent:${accent.background};--accent-ink:${accent.text}}`;
    const { text } = html`<!doctype html>
<html lang="${language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${icon}">
${this.styleSheet}
${accentStyle === null ? [] : [new Html(`<style>${accentStyle}</style>`)]}
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
        "content-security-policy": this.formatPolicy({ formAction, frames, pictures, accentStyle }),
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        // With `no-referrer`, browsers would also hide the origin when they submit the page's form.
        "referrer-policy": "same-origin",
        "cache-control": "no-store",
        ...headers,
      },
      body: text,
    };
  }

  private formatPolicy({ formAction = "'none'", frames, pictures, accentStyle }: PolicySources): string {
    return [
      "default-src 'none'",
      accentStyle === null ? this.styleSource : `${this.styleSource} ${hashSource(accentStyle)}`,
      `form-action ${formAction}`,
      `img-src data:${pictures === undefined ? "" : ` ${pictures}`}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
      ...this.liveSources,
      ...(frames === undefined ? [] : [`frame-src ${frames}`]),
    ].join("; ");
  }
}

/** The parts of a page that its content security policy depends on, as in {@link HtmlPage}. */
interface PolicySources {
  readonly formAction: string | undefined;
  readonly frames: string | undefined;
  readonly pictures: string | undefined;
  /** The style sheet with the page's accent colors, or `null` if the page has none. */
  readonly accentStyle: string | null;
}

function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** An HTML fragment that {@link html} inserts without escaping. */
export class Html {
  constructor(readonly text: string) {}
}

/** A template tag for HTML. Escapes interpolated strings so that they are safe in content and in quoted attributes. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  const rest = values.map((value, index) => toMarkup(value) + (parts[index + 1] ?? ""));
  return new Html((parts[0] ?? "") + rest.join(""));
}

function toMarkup(value: string | Html | readonly Html[]): string {
  if (value instanceof Html) return value.text;
  if (typeof value !== "string") return value.map(toMarkup).join("");
  return escapeMarkup(value);
}
