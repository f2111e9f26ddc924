import { isYieldDue, yieldIfDue } from "../../../../src/base/concurrency/event-loop.js";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { BehaviorReads, BehaviorTest } from "../../../../src/storage/behavior.js";
import { Bitmap, CHUNK_SIZE, type Chunk, emptyChunk, setBit } from "../../../../src/storage/bitmap.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { SetReadContext } from "../segments/segment-cache.js";
import { withRules } from "../session/call-rules.js";
import { findFirst, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { changeReads } from "./change-log.js";
import type { ColumnCache } from "./column-cache.js";
import { columnReads, type MatchResult, type ReadState } from "./column-reads.js";
import { type ColumnQuery, toColumnQuery, withoutText } from "./column-tests.js";
import { sources } from "./sources.js";
import { walletHolders } from "./wallet-holders.js";

/** The context passed to reads that can use the column cache. */
export interface ReadingColumns extends SetReadContext {
  /** The column cache, or `null` if the read can see uncommitted rows, which must never enter the cache. */
  readonly columns: ColumnCache | null;
}

/** Minimum and maximum number of columns that one read of all users loads together, and the target number of values in memory. */
const [FEWEST_COLUMNS, MOST_COLUMNS, VALUES] = [8, 250, 2_000_000];

function columnsAtOnce(users: Bitmap): number {
  return Math.min(Math.max(Math.floor(VALUES / Math.max(users.end, 1)), FEWEST_COLUMNS), MOST_COLUMNS);
}

type Joined = Extract<BehaviorTest, { readonly of: "joined" }>;

/**
 * Creates the read functions that find the users who pass a test, for example of their stamps or visits. Each column is loaded
 * when a test first needs it.
 */
export function behaviorReads(
  dialect: SqlDialect,
  segments: Functions<Pick<StorageReader, "readTagSets">, SetReadContext>,
): Functions<BehaviorReads, ReadingColumns> {
  const { db } = dialect;
  const changes = changeReads(dialect);
  const reads = columnReads(sources(dialect));
  const holders = walletHolders(dialect);

  const userFrom = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) =>
    db
      .selectFrom("loyalty_users")
      .select(["ordinal", "created_at as createdAt"])
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", ">=", slot("ordinal"))
      .orderBy("ordinal")
      .limit(1),
  );

  /** Returns the first user at or after an ordinal, or `null` if there is none. */
  type UserFrom = (ordinal: number) => Step<{ readonly ordinal: number; readonly createdAt: number } | null>;

  /** Returns a function that reads users by ordinal and caches each result. */
  function usersOf(session: ReadSession, organizationId: string): UserFrom {
    const known = new Map<number, { readonly ordinal: number; readonly createdAt: number } | null>();
    return function* (ordinal) {
      const before = known.get(ordinal);
      if (before !== undefined) return before;
      const user = yield* findFirst(session, userFrom({ organizationId, ordinal }));
      known.set(ordinal, user);
      return user;
    };
  }

  /** Finds the first ordinal from which on all users were created at or after a time. Creation times increase with ordinals. */
  function* placeOf(userAt: UserFrom, time: number, end: number): Step<number> {
    let [low, high] = [0, end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const user = yield* userAt(middle);
      if (user === null || user.createdAt >= time) high = middle;
      else low = user.ordinal + 1;
    }
    return low;
  }

  function* joined(userAt: UserFrom, { from, before }: Joined, { end }: Bitmap) {
    const low = from === null ? 0 : yield* placeOf(userAt, from, end);
    const high = before === null ? end : yield* placeOf(userAt, before, end);
    return range(low, high);
  }

  /** Evaluates queries from cached columns, or from columns loaded for this call if the cached ones can't be used. */
  function* answers(
    on: ReadingColumns,
    state: ReadState,
    asked: readonly ColumnQuery[],
  ): Step<MatchResult[]> {
    const { organizationId, session, position, untold } = state;
    const { columns: cache } = on;
    let kept = cache?.findOrCreate(organizationId, untold, position) ?? null;
    if (cache === null || kept === null) return yield* reads.own(state, asked);
    const { to } = kept.log;
    if (position > to) {
      const changed = yield* changes.changes(session, organizationId, to, position);
      if (changed === null) kept = cache.restart(organizationId, untold, position);
      else kept.log.extend(changed, position);
    }
    const needs = yield* reads.needed(state, kept, cache, asked);
    const found = yield* reads.current(state, kept, needs, asked);
    cache.touch([...needs.values()].map(({ column }) => column));
    return found ?? (yield* reads.own(state, asked));
  }

  /** Returns the users who match each query. It loads only as many columns at a time as fit into memory. */
  function* fromColumns(
    on: ReadingColumns,
    organizationId: string,
    users: Bitmap,
    asked: readonly ColumnQuery[],
  ): Step<Bitmap[]> {
    const place = (yield* changes.place(on.session, organizationId)) ?? { position: 0, untold: 0 };
    const state: ReadState = { session: on.session, organizationId, users, ...place };
    const found: Bitmap[] = [];
    const atOnce = columnsAtOnce(users);
    for (let at = 0; at < asked.length; at += atOnce) {
      const some = asked.slice(at, at + atOnce);
      if (isYieldDue()) yield* yieldIfDue();
      const told = yield* answers(on, state, some);
      const unsure = some.filter((_, nth) => told[nth] === null);
      const sure = unsure.length === 0 ? [] : yield* answers(on, state, unsure.map(withoutText));
      found.push(...told.map((answer) => answer ?? sure.shift() ?? Bitmap.empty));
    }
    return found;
  }

  return {
    matchBehavior: withRules(
      { readsBuffered: true, isOneState: true },
      function* (on, organizationId, tests) {
        const { session } = on;
        const { users } = yield* segments.readTagSets(on, organizationId, []);
        const asked = tests.map((test) =>
          test.of === "joined" || test.of === "wallet" ? null : toColumnQuery(test),
        );
        const ofColumns = asked.filter((one) => one !== null);
        const sets = ofColumns.length === 0 ? [] : yield* fromColumns(on, organizationId, users, ofColumns);
        const inWallets = yield* holders(
          session,
          organizationId,
          tests.filter((test) => test.of === "wallet"),
        );
        const found: Bitmap[] = [];
        const userAt = usersOf(session, organizationId);
        let next = 0;
        for (const test of tests) {
          if (test.of === "joined") found.push(users.and(yield* joined(userAt, test, users)));
          else if (test.of === "wallet") found.push(users.and(inWallets.get(test) ?? Bitmap.empty));
          else found.push(sets[next++] ?? Bitmap.empty);
        }
        return found;
      },
    ),
  };
}

const full = emptyChunk().fill(0xffff_ffff);

/** Returns the ordinals from `from` (inclusive) to `before` (exclusive). */
function range(from: number, before: number): Bitmap {
  const chunks: (Chunk | undefined)[] = [];
  for (let at = 0; at * CHUNK_SIZE < before; at += 1) {
    const start = at * CHUNK_SIZE;
    const [low, high] = [Math.max(from, start), Math.min(before, start + CHUNK_SIZE)];
    if (low >= high) chunks.push(undefined);
    else if (low === start && high === start + CHUNK_SIZE) chunks.push(full);
    else {
      const chunk = emptyChunk();
      for (let ordinal = low; ordinal < high; ordinal += 1) setBit(chunk, ordinal);
      chunks.push(chunk);
    }
  }
  return new Bitmap(chunks);
}
