import { escapeHtml } from "./code.js";
import type { Section } from "./contents.js";
import { getAddress, relativePath } from "./files.js";
import type { Heading } from "./markdown.js";

export interface SitePage {
  readonly address: string;
  readonly title: string;
  readonly description: string;
  readonly html: string;
  readonly headings: readonly Heading[];
}

export interface Navigation {
  readonly sections: readonly Section[];
  readonly reference: readonly { readonly title: string; readonly address: string }[];
}

/** The whole document of a page. It asks for nothing of another host, which its policy says too. */
export function renderDocument(
  { address, title, description, html, headings }: SitePage,
  navigation: Navigation,
): string {
  const toPath = (target: string) => relativePath(target, address);
  const top = toPath("index.html").replace(/index\.html$/, "");
  return `<!doctype html>
<html lang="en" data-top="${top}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'">
<meta name="description" content="${escapeHtml(description)}">
<title>${escapeHtml(title === "loyalty-kit" ? title : `${title} · loyalty-kit`)}</title>
<link rel="icon" href="${toPath("icon.svg")}">
<link rel="stylesheet" href="${toPath("style.css")}">
<script src="${toPath("theme.js")}"></script>
<script src="${toPath("site.js")}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header class="bar">
<button type="button" class="menu" aria-expanded="false" aria-controls="pages">Menu</button>
<a class="brand" href="${toPath("index.html")}">loyalty-kit</a>
<button type="button" class="find" aria-haspopup="dialog">Search <kbd>/</kbd></button>
<button type="button" class="theme" aria-label="Light or dark">◐</button>
</header>
<div class="frame">
<nav id="pages" class="pages" aria-label="Pages">
${renderSidebar(address, navigation)}
</nav>
<main id="content" tabindex="-1">
${html}
</main>
${renderOutline(headings)}
</div>
<dialog class="search" aria-label="Search">
<input type="search" placeholder="Search the documentation" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<p class="state" role="status"></p>
<ul class="found"></ul>
</dialog>
</body>
</html>
`;
}

function renderSidebar(address: string, { sections, reference }: Navigation): string {
  const renderItem = (target: string, title: string) =>
    `<li><a href="${relativePath(target, address)}"${target === address ? ' aria-current="page"' : ""}>${escapeHtml(title)}</a></li>`;
  const list = (title: string, items: readonly string[], isOpen: boolean) =>
    `<details${isOpen ? " open" : ""}><summary>${escapeHtml(title)}</summary><ul>${items.join("\n")}</ul></details>`;
  const isReference = address.startsWith("reference/");
  return [
    ...sections.map(({ title, pages }) =>
      list(
        title,
        pages.map((page) => renderItem(getAddress(page.file), page.title)),
        true,
      ),
    ),
    list(
      "Exports",
      reference.map((page) => renderItem(page.address, page.title)),
      isReference,
    ),
  ].join("\n");
}

/** The headings of the page beside it. */
function renderOutline(headings: readonly Heading[]): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return "";
  const items = shown.map(
    ({ depth, slug, text }) => `<li class="depth-${depth}"><a href="#${slug}">${escapeHtml(text)}</a></li>`,
  );
  return `<nav class="outline" aria-label="On this page"><p>On this page</p><ul>${items.join("\n")}</ul></nav>`;
}
