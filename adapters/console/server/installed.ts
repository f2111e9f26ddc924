import type { HttpResponse } from "../../http/index.js";
import type { Language } from "./language.js";
import { guarded } from "./page-answer.js";
import { wordsIn } from "./words/words.js";

/** Five stamps of a card, the last one still to come. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 512 512"><rect width="512" height="512" rx="112" fill="#4338ca"/><g fill="#fff"><circle cx="152" cy="196" r="44"/><circle cx="256" cy="196" r="44"/><circle cx="360" cy="196" r="44"/><circle cx="204" cy="316" r="44"/></g><circle cx="308" cy="316" r="36" fill="none" stroke="#fff" stroke-width="16"/></svg>`;

export const iconAnswer: HttpResponse = {
  status: 200,
  headers: { "content-type": "image/svg+xml", "cache-control": "public, max-age=86400", ...guarded },
  body: icon,
};

/** The manifest by which a phone installs the till. */
export function manifestAnswer(prefix: string, language: Language): HttpResponse {
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
    headers: { "content-type": "application/manifest+json", "cache-control": "no-cache", ...guarded },
    body: JSON.stringify(manifest),
  };
}
