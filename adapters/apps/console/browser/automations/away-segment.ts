import type { Segment } from "../../../../../src/segments/schema.js";
import { CallError } from "../api/call-error.js";
import { api } from "../api/calls.js";
import { isSameJson } from "../segments/leaf-values.js";
import { ready } from "../words/en/ready-automations.js";
import { awayFilter, type PresetValues } from "./presets.js";

const TRIES = 20;

/**
 * Finds an existing segment with the same filter as the win-back preset. If there are several, prefers one that emits events.
 * @returns the segment, or `undefined` if no segment has this filter.
 */
export function awaySegment(values: PresetValues, segments: readonly Segment[]): Segment | undefined {
  const wanted = awayFilter(values);
  const same = segments.filter(({ filter }) => isSameJson(filter, wanted));
  return same.find(({ emitsEvents }) => emitsEvents) ?? same[0];
}

/** Returns a name for a new win-back segment, with a number appended if an existing segment has the same name. */
export function awayName({ days }: PresetValues, segments: readonly Segment[]): string {
  const name = ready.segment(Number(days));
  const isFree = (wanted: string) => segments.every((segment) => plain(segment.name) !== plain(wanted));
  const names = [name, ...Array.from({ length: TRIES }, (_, at) => `${name} (${at + 2})`)];
  return names.find(isFree) ?? name;
}

/** Normalizes a name for comparison: names that differ only in case or punctuation have the same slug. */
const plain = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();

/**
 * Finds the segment for the win-back preset, or creates it if it doesn't exist. Also makes the segment emit events, which the
 * automation requires. Repeated and concurrent calls resolve to the same segment.
 * @throws {CallError} if the segment can't be created or updated.
 */
export async function ensureSegment(values: PresetValues): Promise<Segment> {
  for (let tried = 0; ; tried += 1) {
    const segments = await api.segments.list();
    const found = awaySegment(values, segments);
    if (found?.emitsEvents) return found;
    if (found !== undefined) return api.segments.update(found.slug, { emitsEvents: true });
    const name = awayName(values, segments);
    try {
      return await api.segments.create({ name, filter: awayFilter(values), emitsEvents: true });
    } catch (error) {
      // Another user has just created the same segment, or another segment with that name.
      const isTaken = error instanceof CallError && error.code === "segment_already_exists";
      if (!isTaken || tried >= TRIES) throw error;
    }
  }
}
