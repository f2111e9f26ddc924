import type { Step } from "../concurrency/step.js";
import type { SegmentFilter } from "../resources/segment-filter.js";
import { zoneOf } from "../resources/settings.js";
import type { TagFilter } from "../resources/tag-filter.js";
import type { Bitmap } from "../storage/bitmap.js";
import type { SegmentSets } from "../storage/segments.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import { evaluate, type Matches, matchedSet } from "./evaluate.js";
import { hasBehaviour, planOf, templatesIn } from "./plan.js";

/** So many templates are looked up one by one; where a filter names more, all are read. */
const FEW_TEMPLATES = 5;

/** A filter, and the instant that its days are counted from. */
export interface Question {
  readonly organizationId: string;
  readonly filter: SegmentFilter;
  readonly at: number;
}

/**
 * Finds the users whom a filter that was checked matches at an instant.
 * @param reader sees one state.
 * @param offset how many of the first to pass over.
 * @param limit how many ordinals to give at most.
 */
export function* matching(
  reader: StorageReader,
  question: Question,
  offset: number,
  limit: number,
): Step<Matches> {
  const { filter, sets } = yield* askedSets(reader, question);
  return evaluate(filter, sets, offset, limit);
}

/** Finds all whom a filter that was checked matches at an instant, as a set. @param reader sees one state. */
export function* allMatching(reader: StorageReader, question: Question): Step<Bitmap> {
  const { filter, sets } = yield* askedSets(reader, question);
  return matchedSet(filter, sets);
}

/** Sets of users, and a filter whose slugs name them. */
interface AskedSets {
  readonly filter: TagFilter;
  readonly sets: SegmentSets;
}

function* askedSets(reader: StorageReader, { organizationId, filter, at }: Question): Step<AskedSets> {
  const templates = yield* templatesOf(reader, organizationId, templatesIn(filter));
  const timeZone = zoneOf(hasBehaviour(filter) ? yield* reader.findSettings(organizationId) : null);
  const plan = planOf(filter, { at, timeZone, templates });
  const { users, tags } = yield* reader.readSegments(organizationId, [...plan.tags.values()]);
  const found =
    plan.tests.size === 0 ? [] : yield* reader.matchBehaviour(organizationId, [...plan.tests.values()]);
  const sets = new Map([...plan.tags].flatMap(([name, slug]) => named(name, tags.get(slug))));
  for (const [nth, name] of [...plan.tests.keys()].entries())
    for (const [, set] of named(name, found[nth])) sets.set(name, set);
  return { filter: plan.filter, sets: { users, tags: sets } };
}

function named<Set>(name: string, set: Set | undefined): (readonly [string, Set])[] {
  return set === undefined ? [] : [[name, set]];
}

function* templatesOf(
  reader: StorageReader,
  organizationId: string,
  ids: ReadonlySet<string>,
): Step<ReadonlyMap<string, StoredTemplate>> {
  const found = new Map<string, StoredTemplate>();
  if (ids.size > FEW_TEMPLATES) {
    for (const template of yield* reader.listTemplates(organizationId)) found.set(template.id, template);
    return found;
  }
  for (const id of ids) {
    const template = yield* reader.findTemplate(organizationId, id);
    if (template !== null) found.set(id, template);
  }
  return found;
}
