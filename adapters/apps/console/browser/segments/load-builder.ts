import { loadCode } from "../api/call-error.js";

/** Loads the filter builder's code on demand, because most messages don't use a filter. */
export async function loadBuilder() {
  const [{ FilterBuilder }, { loadFilterOptions, createTagOptions: tagLists }] = await loadCode(() =>
    Promise.all([import("./filter-builder.js"), import("./filter-options.js")]),
  );
  return { FilterBuilder, loadFilterOptions, tagLists };
}
