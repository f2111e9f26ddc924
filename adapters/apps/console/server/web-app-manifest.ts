import { icon } from "../../../http/html-page.js";
import type { HttpResponse } from "../../../http/index.js";
import type { Language } from "./language.js";
import { securityHeaders } from "./page-response.js";
import { wordsIn } from "./words/words.js";

export const iconResponse: HttpResponse = {
  status: 200,
  headers: { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400", ...securityHeaders },
  body: icon,
};

/** Returns a response with the web app manifest, which lets users install the till on a phone. */
export function manifestResponse(prefix: string, language: Language): HttpResponse {
  const { till } = wordsIn[language];
  const manifest = {
    id: `${prefix}/console/till`,
    lang: language,
    name: till.name,
    short_name: till.shortName,
    description: till.description,
    start_url: `${prefix}/console/till`,
    scope: `${prefix}/console`,
    display: "standalone",
    background_color: "#0f1115",
    theme_color: "#4338ca",
    icons: [
      { src: `${prefix}/console/icon.svg`, sizes: "any", type: "image/svg+xml", purpose: "any maskable" },
    ],
  };
  return {
    status: 200,
    headers: { "content-type": "application/manifest+json", "cache-control": "no-cache", ...securityHeaders },
    body: JSON.stringify(manifest),
  };
}
