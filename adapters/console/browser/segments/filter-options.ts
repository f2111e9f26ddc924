import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { LeafName } from "../../../../src/resources/segment-leaves.js";
import type { UserTag } from "../../../../src/resources/tag.js";
import type { Template } from "../../../../src/resources/template.js";
import { hasScopes } from "../api/session.js";
import { type LoadedData, useLoad } from "../components/load.js";
import { sections } from "../words/en/segment-builder.js";
import { labels } from "../words/en/segment-conditions.js";
import type { Names } from "../words/en/segment-phrases.js";
import { leafKinds } from "./leaf-kinds.js";

/** The choices for conditions of a filter. */
export interface FilterOptions {
  /** The kinds of conditions that can be added. */
  readonly kinds: readonly LeafName[];
  readonly tags: readonly UserTag[];
  readonly templates: readonly Template[];
  readonly segments: readonly { readonly slug: string; readonly name: string }[];
}

export const noFilterOptions: FilterOptions = { kinds: [], tags: [], templates: [], segments: [] };

/** Reads what the caller may see of that. */
export async function loadFilterOptions(calls: OrganizationCalls): Promise<FilterOptions> {
  const [segments, tags, templates] = await Promise.all([
    calls.segments.list(),
    hasScopes("user_tag:read") ? calls.tags.list() : [],
    hasScopes("template:read") ? calls.templates.list() : [],
  ]);
  const readable = sections.flatMap(([, names]) => names.filter(isReadable));
  return { kinds: segments.length === 0 ? readable : [...readable, "segment"], tags, templates, segments };
}

/** The lists of who may see tags alone. */
export const tagLists = (tags: readonly UserTag[]): FilterOptions => ({
  ...noFilterOptions,
  kinds: ["slug"],
  tags,
});

export function useFilterOptions(): LoadedData<FilterOptions> {
  return useLoad("lists", loadFilterOptions);
}

/** Returns whether the caller may read what a condition reads. */
function isReadable(name: LeafName): boolean {
  const { scope } = leafKinds[name];
  return scope !== null && hasScopes(scope);
}

/** The names of these resources; a missing one was deleted. */
export function optionNames({ tags, templates, segments }: FilterOptions): Names {
  return {
    card: (id) => templates.find((template) => template.id === id)?.name ?? labels.gone,
    tag: (slug) => tags.find((tag) => tag.slug === slug)?.name ?? slug,
    segment: (slug) => segments.find((segment) => segment.slug === slug)?.name ?? slug,
  };
}
