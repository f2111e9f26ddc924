import type { Template } from "../../../../../src/cards/schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { LeafName } from "../../../../../src/segments/leaf-schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { hasScopes } from "../api/session.js";
import { type LoadedData, useLoad } from "../components/load.js";
import { sections } from "../words/en/segment-builder.js";
import { labels } from "../words/en/segment-conditions.js";
import type { Names } from "../words/en/segment-phrases.js";
import { leafKinds } from "./leaf-kinds.js";

/** The options that the filter builder offers: condition kinds, tags, templates, and segments. */
export interface FilterOptions {
  /** The condition kinds that the user can add. */
  readonly kinds: readonly LeafName[];
  readonly tags: readonly UserTag[];
  readonly templates: readonly Template[];
  readonly segments: readonly { readonly slug: string; readonly name: string }[];
}

export const noFilterOptions: FilterOptions = { kinds: [], tags: [], templates: [], segments: [] };

/** Loads the options for the filter builder. Leaves out anything that the user isn't allowed to read. */
export async function loadFilterOptions(calls: OrganizationCalls): Promise<FilterOptions> {
  const [segments, tags, templates] = await Promise.all([
    calls.segments.list(),
    hasScopes("user_tag:read") ? calls.tags.list() : [],
    hasScopes("template:read") ? calls.templates.list() : [],
  ]);
  const readable = sections.flatMap(([, names]) => names.filter(isReadable));
  return { kinds: segments.length === 0 ? readable : [...readable, "segment"], tags, templates, segments };
}

/** Returns options that restrict the filter builder to conditions on the given tags. */
export const createTagOptions = (tags: readonly UserTag[]): FilterOptions => ({
  ...noFilterOptions,
  kinds: ["slug"],
  tags,
});

export function useFilterOptions(): LoadedData<FilterOptions> {
  return useLoad("lists", loadFilterOptions);
}

/** Returns whether the caller may read the data that a condition uses. */
function isReadable(name: LeafName): boolean {
  const { scope } = leafKinds[name];
  return scope !== null && hasScopes(scope);
}

/**
 * Returns functions that look up the names of cards, tags, and segments. For a deleted card, they return a placeholder. For a
 * deleted tag or segment, they return its slug.
 */
export function optionNames({ tags, templates, segments }: FilterOptions): Names {
  return {
    card: (id) => templates.find((template) => template.id === id)?.name ?? labels.gone,
    tag: (slug) => tags.find((tag) => tag.slug === slug)?.name ?? slug,
    segment: (slug) => segments.find((segment) => segment.slug === slug)?.name ?? slug,
  };
}
