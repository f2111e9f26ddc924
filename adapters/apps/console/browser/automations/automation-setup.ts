import type { Template } from "../../../../../src/cards/schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { Segment } from "../../../../../src/segments/schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { hasScopes } from "../api/session.js";
import { type FilterOptions, noFilterOptions, optionNames } from "../segments/filter-options.js";
import type { Names } from "../words/en/segment-phrases.js";

/** The data for the automation editor: the lists that it offers choices from, and the shop's language. */
export interface AutomationSetup {
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
  readonly segments: readonly Segment[];
  /** The shop's language, or `null` if it isn't set or the user may not read it. */
  readonly shopLanguage: string | null;
}

/** Loads the data for the automation editor, leaving out whatever the user may not read. */
export async function loadSetup(calls: OrganizationCalls): Promise<AutomationSetup> {
  const [templates, tags, segments, settings] = await Promise.all([
    hasScopes("template:read") ? calls.templates.list() : [],
    hasScopes("user_tag:read") ? calls.tags.list() : [],
    hasScopes("segment:read") ? calls.segments.list() : [],
    hasScopes("settings:read") ? calls.settings.get() : null,
  ]);
  return { templates, tags, segments, shopLanguage: settings?.language ?? null };
}

/**
 * Returns filter options for an automation's condition. They contain no condition kinds, so they can only be used to look up names.
 */
export const listsOf = (setup: AutomationSetup): FilterOptions => ({ ...noFilterOptions, ...setup });

/** Returns functions that look up the names of cards, tags, and segments. */
export const listOptionNames = (setup: AutomationSetup): Names => optionNames(listsOf(setup));

/** Returns the card's template and the shop's language, which together determine the default language of a new text. */
export const pickLanguageSources = ({ templates, shopLanguage }: AutomationSetup, templateId: string) => ({
  template: templates.find(({ id }) => id === templateId),
  shop: shopLanguage,
});

/** Returns the templates that have stamps. */
export const stampCards = ({ templates }: AutomationSetup): readonly Template[] =>
  templates.filter(({ maxStamps }) => maxStamps !== null);
