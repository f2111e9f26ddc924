import { CallError } from "../api/call-error.js";

/**
 * Loads the filter builder's code on demand, because most messages don't use a filter.
 * @throws {CallError} if the server can't be reached.
 */
export async function loadBuilder() {
  try {
    const [{ FilterBuilder }, { loadFilterOptions, createTagOptions: tagLists }] = await Promise.all([
      import("./filter-builder.js"),
      import("./filter-options.js"),
    ]);
    return { FilterBuilder, loadFilterOptions, tagLists };
  } catch {
    throw new CallError(0, null);
  }
}
