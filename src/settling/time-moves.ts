import type { Step } from "../concurrency/step.js";
import type { Recording } from "../events/recording.js";
import { knownActor } from "../resources/actor.js";
import { customerFacts } from "../segments/facts.js";
import { midnightsBetween } from "../segments/judged-at.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { dayIn } from "../values/calendar-days.js";
import { type Movers, move, type Tell } from "./moves.js";
import { isSettled, kindsOf, type SegmentsNow } from "./segments-now.js";

/** The actor of what time alone does. */
export const time = knownActor({ kind: "worker", id: "segments" });

/** A change that settles time for the users whom it touches. */
export interface Settling {
  readonly tx: StorageTransaction;
  readonly organizationId: string;
  readonly recording: Recording;
}

/** Does to users what time has done, up to the midnight that everything is judged at. */
export function* settle(on: Settling, segments: SegmentsNow, users: readonly StoredUser[]): Step<void> {
  if (users.length === 0 || isSettled(segments)) return;
  const { tx, organizationId } = on;
  const { mark, judgement } = segments;
  const isLate = mark.settledThrough < judgement.at;
  const ordinals = users.map(({ ordinal }) => ordinal);
  const rows = yield* tx.userWatermarks(organizationId, ordinals);
  const through = new Map(rows.map((row) => [row.userOrdinal, row.through]));
  const behind = users.filter(({ ordinal }) => (through.get(ordinal) ?? 0) < judgement.at);
  if (behind.length === 0) return;
  if (isLate) yield* tellTime(on, segments, behind, through);
  yield* markSettled(on, segments, behind);
}

/** Notes that time is told of users up to now, where it is not of everybody. */
export function* markSettled(
  { tx, organizationId }: Settling,
  segments: SegmentsNow,
  users: readonly StoredUser[],
): Step<void> {
  if (isSettled(segments)) return;
  const through = segments.judgement.at;
  const rows = users.map(({ ordinal: userOrdinal }) => ({ userOrdinal, through }));
  yield* tx.putUserWatermarks(organizationId, rows);
}

function* tellTime(
  { tx, organizationId, recording }: Settling,
  { state, mark, judgement }: SegmentsNow,
  users: readonly StoredUser[],
  through: ReadonlyMap<number, number>,
): Step<void> {
  const { timeZone } = state;
  const kinds = kindsOf(judgement.segments);
  const facts = yield* customerFacts(tx, organizationId, users, kinds);
  const told = new Map<string, Set<number>>();
  for (const { segment } of judgement.segments) {
    const members = yield* tx.segmentMembers(organizationId, segment.id);
    const own = users.map(({ ordinal }) => ordinal).filter((ordinal) => members.has(ordinal));
    told.set(segment.id, new Set(own));
  }
  const tell: Tell = (type, data) => recording.lead(type, data, time);
  for (const at of midnightsBetween(timeZone, mark.settledThrough, judgement.at)) {
    const moves: Movers[] = [];
    for (const { segment, isMember } of state.on(at).segments) {
      const members = told.get(segment.id);
      if (members === undefined || segment.isRecounting || segment.toldSince >= at) continue;
      const [entered, left]: [StoredUser[], StoredUser[]] = [[], []];
      for (const each of facts) {
        const { user } = each;
        const is = isMember(each);
        if ((through.get(user.ordinal) ?? 0) >= at || is === members.has(user.ordinal)) continue;
        (is ? entered : left).push(user);
        if (is) members.add(user.ordinal);
        else members.delete(user.ordinal);
      }
      moves.push({ segment, entered, left });
    }
    const cause = { at, because: "time", day: dayIn(timeZone, at) } as const;
    yield* move(tx, organizationId, moves, cause, tell);
  }
}
