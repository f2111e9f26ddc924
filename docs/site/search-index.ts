import MiniSearch from "minisearch";
import type { Piece } from "./markdown.js";
import { searchOptions } from "./search-options.js";

/** Makes the index of all pieces, as the browser reads it. */
export function searchIndex(
  pages: readonly { readonly address: string; readonly title: string; readonly pieces: readonly Piece[] }[],
): string {
  const index = new MiniSearch(searchOptions);
  const seen = new Set<string>();
  for (const { address, title, pieces } of pages) {
    for (const { heading, text } of pieces) {
      const place = heading.depth === 1 ? address : `${address}#${heading.slug}`;
      if (seen.has(place)) continue;
      seen.add(place);
      index.add({ place, page: title, heading: heading.text, text, excerpt: text.slice(1, 160) });
    }
  }
  return JSON.stringify(index);
}
