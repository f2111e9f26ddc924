import type { Options } from "minisearch";

/** The index is made and read by these. Names in code are found by their parts too, such as `stamp` in `stamp_card`. */
export const searchOptions = {
  idField: "place",
  fields: ["page", "heading", "text"],
  storeFields: ["page", "heading", "excerpt"],
  tokenize: (text: string) => {
    const words = text.split(/[^\p{L}\p{N}_]+/u).filter((word) => word !== "");
    return words.flatMap((word) => (word.includes("_") ? [word, ...word.split("_")] : [word]));
  },
  searchOptions: {
    boost: { page: 3, heading: 4 },
    prefix: true,
    fuzzy: (term: string) => (term.length > 4 ? 0.2 : false),
    combineWith: "AND",
  },
} satisfies Options;
