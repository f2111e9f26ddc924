import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import http from "highlight.js/lib/languages/http";
import ini from "highlight.js/lib/languages/ini";
import json from "highlight.js/lib/languages/json";
import nginx from "highlight.js/lib/languages/nginx";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import yaml from "highlight.js/lib/languages/yaml";

const grammars = { bash, dockerfile, http, ini, json, nginx, sql, typescript, yaml };
for (const [name, grammar] of Object.entries(grammars)) hljs.registerLanguage(name, grammar);

/** What blocks of code and the ends of files are called, by the grammar. */
const languages: Readonly<Record<string, keyof typeof grammars>> = {
  ts: "typescript",
  sh: "bash",
  conf: "nginx",
  Dockerfile: "dockerfile",
  ndjson: "json",
  service: "ini",
  yml: "yaml",
};

/** Gives the address of what a name in code means, `null` for a name that means nothing. */
export type AddressOfName = (name: string) => string | null;

/** The code in HTML, with its parts marked by classes, and names that mean something as links. */
export function highlightCode(
  code: string,
  language: string,
  addressOfName: AddressOfName = () => null,
): string {
  const name = languages[language] ?? language;
  const html =
    hljs.getLanguage(name) === undefined ? escapeHtml(code) : hljs.highlight(code, { language: name }).value;
  return addLinks(html, addressOfName);
}

export function renderCodeBlock(html: string): string {
  return `<pre tabindex="0"><code>${html}</code></pre>\n`;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Makes links of names outside of comments and strings. */
function addLinks(html: string, addressOfName: AddressOfName): string {
  const open: string[] = [];
  return html.replaceAll(/<span class="([^"]+)">|<\/span>|[^<]+/g, (part, name: string | undefined) => {
    if (name !== undefined) open.push(name);
    else if (part === "</span>") open.pop();
    else if (!open.some((kind) => /comment|string/.test(kind))) {
      return part.replaceAll(/\b[A-Za-z_]\w+\b/g, (word) => {
        const address = addressOfName(word);
        return address === null ? word : `<a href="${address}">${word}</a>`;
      });
    }
    return part;
  });
}
