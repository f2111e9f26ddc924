import type { CardChange } from "./card-flips.js";
import type { JudgedSegment, Judgement } from "./judged-segments.js";

/** Of more segments the facts of a customer are read sooner than who was told to be a member of each. */
const MOST_UNTOLD = 6;

/** A segment of which a changed card decides whether the customer is a member. */
export interface DecidedSegment {
  readonly judged: JudgedSegment;
  readonly is: boolean;
  /** Whether the customer was one before the change; `null` where only those who were told to be members know it. */
  readonly was: boolean | null;
}

/** The segments that a changed card decides by itself, and those of which facts have to be read; both oldest first. */
export interface Decisions {
  readonly decided: readonly DecidedSegment[];
  readonly open: readonly JudgedSegment[];
}

/** The segments that a change of a card may move its customer into or out of, whatever else is so of that one, oldest first. */
export function movedByCard(judgement: Judgement, change: CardChange): readonly JudgedSegment[] {
  const asking = new Set<number>();
  for (const { test, places } of judgement.cardTests) {
    if (change.mayFlip(test)) for (const place of places) asking.add(place);
  }
  return asking.size === 0 ? [] : judgement.segments.filter(({ place }) => asking.has(place));
}

/** What a change of a card decides of segments on a day up to which time is told of everybody. */
export function decisionsOf(segments: readonly JudgedSegment[], { before, after }: CardChange): Decisions {
  const decided: DecidedSegment[] = [];
  const open: JudgedSegment[] = [];
  let untold = 0;
  for (const judged of segments) {
    const is = judged.decidedByCard(after);
    if (is === null) {
      open.push(judged);
      continue;
    }
    const was = judged.decidedByCard(before);
    if (was === null) untold += 1;
    if (was !== is) decided.push({ judged, is, was });
  }
  return untold > MOST_UNTOLD ? { decided: [], open: segments } : { decided, open };
}
