import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { Segment } from "../../../../src/resources/segment.js";
import type { UserTag } from "../../../../src/resources/tag.js";
import type { Template } from "../../../../src/resources/template.js";
import { may } from "../api/session.js";
import { type FilterLists, namesIn, noLists } from "../segments/filter-lists.js";
import type { Names } from "../words/en/segment-phrases.js";

/** What automations are made of. */
export interface AutomationSetup {
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
  readonly segments: readonly Segment[];
  /** The language of the shop; `null` for none, or where it may not be seen. */
  readonly shopLanguage: string | null;
}

/** Reads it, as far as that is allowed. */
export async function setupFrom(calls: OrganizationCalls): Promise<AutomationSetup> {
  const [templates, tags, segments, settings] = await Promise.all([
    may("template:read") ? calls.templates.list() : [],
    may("user_tag:read") ? calls.tags.list() : [],
    may("segment:read") ? calls.segments.list() : [],
    may("settings:read") ? calls.settings.get() : null,
  ]);
  return { templates, tags, segments, shopLanguage: settings?.language ?? null };
}

/** What the conditions of automations speak of. */
export const listsOf = (setup: AutomationSetup): FilterLists => ({ ...noLists, ...setup });

/** The names of what automations speak of. */
export const namesOf = (setup: AutomationSetup): Names => namesIn(listsOf(setup));

/** Where the language of a new text about a card is looked for. */
export const languageOf = ({ templates, shopLanguage }: AutomationSetup, templateId: string) => ({
  template: templates.find(({ id }) => id === templateId),
  shop: shopLanguage,
});

/** The cards that stamps are on. */
export const stampCards = ({ templates }: AutomationSetup): readonly Template[] =>
  templates.filter(({ maxStamps }) => maxStamps !== null);
