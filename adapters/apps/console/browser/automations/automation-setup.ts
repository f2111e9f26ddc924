import type { Template } from "../../../../../src/cards/schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { Segment } from "../../../../../src/segments/schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { hasScopes } from "../api/session.js";
import { type FilterOptions, noFilterOptions, optionNames } from "../segments/filter-options.js";
import type { Names } from "../words/en/segment-phrases.js";

/** Data for the automation editor: the templates, tags, and segments to choose from, and the shop's language. */
export interface AutomationSetup {
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
  readonly segments: readonly Segment[];
  /** The shop's language, or `null` if it isn't set or the user isn't allowed to read it. */
  readonly shopLanguage: string | null;
}

/** Loads the data for the automation editor, omitting anything that the user isn't allowed to read. */
export async function loadSetup(calls: OrganizationCalls): Promise<AutomationSetup> {
  const [templates, tags, segments, settings] = await Promise.all([
    hasScopes("template:read") ? calls.templates.list() : [],
    hasScopes("user_tag:read") ? calls.tags.list() : [],
    hasScopes("segment:read") ? calls.segments.list() : [],
    hasScopes("settings:read") ? calls.settings.get() : null,
  ]);
  return { templates, tags, segments, shopLanguage: settings?.language ?? null };
}

/** Returns filter options for looking up names. They include no conditions to choose from. */
export const toFilterOptions = (setup: AutomationSetup): FilterOptions => ({ ...noFilterOptions, ...setup });

/** Returns functions that look up the names of cards, tags, and segments. */
export const createOptionNames = (setup: AutomationSetup): Names => optionNames(toFilterOptions(setup));

/** Returns the shop's language and the template with the given ID. Together, they determine the default language of new text. */
export const pickLanguageSources = ({ templates, shopLanguage }: AutomationSetup, templateId: string) => ({
  template: templates.find(({ id }) => id === templateId),
  shop: shopLanguage,
});

/** Returns the templates whose cards collect points. */
export const listPointCards = ({ templates }: AutomationSetup): readonly Template[] =>
  templates.filter(({ points }) => points !== null);

/** Returns the templates whose cards collect stamps. */
export const listStampCards = ({ templates }: AutomationSetup): readonly Template[] =>
  templates.filter(({ maxStamps }) => maxStamps !== null);
