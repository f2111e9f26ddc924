import { sql } from "kysely";
import { isYieldDue, yieldIfDue } from "../../../../src/base/concurrency/event-loop.js";
import type { Step } from "../../../../src/base/concurrency/step.js";
import type { BehaviorReads, BehaviorTest } from "../../../../src/storage/behavior.js";
import { Bitmap, CHUNK_SIZE, type Chunk, emptyChunk, setBit } from "../../../../src/storage/bitmap.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import type { WalletPlatform } from "../../../../src/storage/wallets.js";
import type { SetReadContext } from "../segments/segment-cache.js";
import { withRules } from "../session/call-rules.js";
import { findFirst, prepare, type ReadSession, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { changeReads } from "./change-log.js";
import type { ColumnCache } from "./column-cache.js";
import { columnReads, type MatchResult, type ReadState } from "./column-reads.js";
import {
  type ColumnQuery,
  findTimeOfCall,
  isColumnTest,
  toColumnQuery,
  withoutText,
} from "./column-tests.js";
import { sources } from "./sources.js";

/** Maximum number of rows per statement, because a statement blocks the process until it is done. */
const PASSES = 5_000;

const platforms: readonly WalletPlatform[] = ["apple", "google"];

/** The context passed to reads that can use the column cache. */
export interface ReadingColumns extends SetReadContext {
  /** The column cache, or `null` if the read can see uncommitted rows, which must never enter the cache. */
  readonly columns: ColumnCache | null;
}

/** Minimum and maximum number of columns that one read of all users loads together, and the target number of values in memory. */
const [FEWEST_COLUMNS, MOST_COLUMNS, VALUES] = [8, 250, 2_000_000];

function countColumnsAtOnce(users: Bitmap): number {
  return Math.min(Math.max(Math.floor(VALUES / Math.max(users.end, 1)), FEWEST_COLUMNS), MOST_COLUMNS);
}

type Joined = Extract<BehaviorTest, { readonly of: "joined" }>;

/**
 * Creates the read functions that find the users who pass a test, such as a test on their stamps or visits. Each column is loaded
 * the first time that a test needs it.
 */
export function behaviorReads(
  dialect: SqlDialect,
  segments: Functions<Pick<StorageReader, "readTagSets">, SetReadContext>,
): Functions<BehaviorReads, ReadingColumns> {
  const { db } = dialect;
  const changes = changeReads(dialect);
  const reads = columnReads(sources(dialect));
  const holders = prepareWalletHolders(dialect);

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
    const cachedUsers = new Map<number, { readonly ordinal: number; readonly createdAt: number } | null>();
    return function* (ordinal) {
      const cached = cachedUsers.get(ordinal);
      if (cached !== undefined) return cached;
      const user = yield* findFirst(session, userFrom({ organizationId, ordinal }));
      cachedUsers.set(ordinal, user);
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

  function* matchJoined(userAt: UserFrom, { from, before }: Joined, { end }: Bitmap) {
    const low = from === null ? 0 : yield* placeOf(userAt, from, end);
    const high = before === null ? end : yield* placeOf(userAt, before, end);
    return createRange(low, high);
  }

  /** Evaluates queries from cached columns, or from columns loaded for this call if the cached ones can't be used. */
  function* evaluate(
    on: ReadingColumns,
    state: ReadState,
    queries: readonly ColumnQuery[],
  ): Step<MatchResult[]> {
    const { organizationId, session, position, changesWithoutEvent } = state;
    const { columns: cache } = on;
    let cachedColumns = cache?.findOrCreate(organizationId, changesWithoutEvent, position) ?? null;
    if (cache === null || cachedColumns === null) return yield* reads.own(state, queries);
    const { to } = cachedColumns.log;
    if (position > to) {
      const newChanges = yield* changes.changes(session, organizationId, to, position);
      if (newChanges === null) cachedColumns = cache.restart(organizationId, changesWithoutEvent, position);
      else cachedColumns.log.extend(newChanges, position);
    }
    const needs = yield* reads.needed(state, cachedColumns, cache, queries);
    const matches = yield* reads.current(state, cachedColumns, needs, queries);
    cache.touch([...needs.values()].map(({ column }) => column));
    return matches ?? (yield* reads.own(state, queries));
  }

  /** Returns the users who match each query. It loads only as many columns at a time as fit into memory. */
  function* evaluateFromColumns(
    on: ReadingColumns,
    users: Bitmap,
    queries: readonly ColumnQuery[],
  ): Step<Bitmap[]> {
    const { organizationId } = on;
    const place = (yield* changes.place(on.session, organizationId)) ?? {
      position: 0,
      changesWithoutEvent: 0,
    };
    const state: ReadState = { session: on.session, organizationId, users, ...place };
    const matches: Bitmap[] = [];
    const atOnce = countColumnsAtOnce(users);
    for (let at = 0; at < queries.length; at += atOnce) {
      const batch = queries.slice(at, at + atOnce);
      if (isYieldDue()) yield* yieldIfDue();
      const results = yield* evaluate(on, state, batch);
      const uncertain = batch.filter((_, nth) => results[nth] === null);
      const exactResults =
        uncertain.length === 0 ? [] : yield* evaluate(on, state, uncertain.map(withoutText));
      matches.push(...results.map((result) => result ?? exactResults.shift() ?? Bitmap.empty));
    }
    return matches;
  }

  return {
    matchBehavior: withRules({ readsBuffered: true, isOneState: true }, function* (on, tests) {
      const { session, organizationId } = on;
      const { users } = yield* segments.readTagSets(on, []);
      const timeOfCall = findTimeOfCall(tests);
      const queries = tests.map((test) => (isColumnTest(test) ? toColumnQuery(test, timeOfCall) : null));
      const columnQueries = queries.filter((one) => one !== null);
      const sets = columnQueries.length === 0 ? [] : yield* evaluateFromColumns(on, users, columnQueries);
      const inWallets = yield* holders(
        session,
        organizationId,
        tests.filter((test) => test.of === "wallet"),
      );
      const matches: Bitmap[] = [];
      const userAt = usersOf(session, organizationId);
      let next = 0;
      for (const test of tests) {
        if (test.of === "joined") matches.push(users.and(yield* matchJoined(userAt, test, users)));
        else if (test.of === "wallet") matches.push(users.and(inWallets.get(test) ?? Bitmap.empty));
        else matches.push(sets[next++] ?? Bitmap.empty);
      }
      return matches;
    }),
  };
}

const full = emptyChunk().fill(0xffff_ffff);

/** Returns the ordinals from `from` (inclusive) to `before` (exclusive). */
function createRange(from: number, before: number): Bitmap {
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

type WalletTest = Extract<BehaviorTest, { readonly of: "wallet" }>;

interface Page {
  readonly organizationId: string;
  readonly after: string;
}

/**
 * Creates a function that finds the users with a card in a wallet. The function reads the tables instead of using columns, because
 * an organization's only change might be a device registration, which cached columns wouldn't reflect.
 */
function prepareWalletHolders({ db }: SqlDialect) {
  // A pass appears once for each of its devices, but a page may end between them, because one is enough.
  const selectRegistered = (slot: Slot<Page>) =>
    db
      .selectFrom("loyalty_wallet_devices")
      .innerJoin("loyalty_wallet_passes", (join) =>
        join
          .onRef("loyalty_wallet_passes.organization_id", "=", "loyalty_wallet_devices.organization_id")
          .onRef("loyalty_wallet_passes.id", "=", "loyalty_wallet_devices.pass_id"),
      )
      .select(["pass_id as passId", "user_ordinal as ordinal", "template_id as templateId"])
      .where("loyalty_wallet_devices.organization_id", "=", slot("organizationId"))
      .where("pass_id", ">", slot("after"))
      .where("state", "=", "registered")
      .orderBy("pass_id")
      .limit(PASSES);
  const onDevices = prepare(selectRegistered);
  // The expression makes the database read in pass order, which an index on platforms doesn't provide.
  const platform = sql<WalletPlatform>`coalesce(platform, '')`;
  const selectOfPlatform = prepare((slot: Slot<Page & { platform: WalletPlatform }>) =>
    selectRegistered(slot).where(platform, "=", slot("platform")),
  );

  const installed = prepare((slot: Slot<Page>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select(["id as passId", "user_ordinal as ordinal", "template_id as templateId"])
      .where("organization_id", "=", slot("organizationId"))
      .where("id", ">", slot("after"))
      .where("installation_status", "=", "INSTALLED")
      .orderBy("id")
      .limit(PASSES),
  );

  /** Reads each row only once, no matter how many tests there are. */
  return function* (
    session: ReadSession,
    organizationId: string,
    tests: readonly WalletTest[],
  ): Step<ReadonlyMap<WalletTest, Bitmap>> {
    const holders = new Map(tests.map((test) => [test, new Set<number>()]));
    const testsByTemplate = new Map<string | null, WalletTest[]>();
    for (const test of tests) {
      testsByTemplate.set(test.templateId, [...(testsByTemplate.get(test.templateId) ?? []), test]);
    }
    const isAsked = (platform: WalletTest["platform"]) => tests.some((test) => test.platform === platform);
    const scans = [
      { platform: null, queries: [onDevices, installed] },
      ...platforms.map((platform) => ({
        platform,
        queries: [(page: Page) => selectOfPlatform({ ...page, platform })],
      })),
    ];
    for (const { platform, queries } of scans) {
      if (!isAsked(platform)) continue;
      for (const query of queries) {
        for (let after = ""; ; ) {
          const rows = yield* session.all(query({ organizationId, after }));
          for (const { ordinal, templateId } of rows) {
            for (const test of [
              ...(testsByTemplate.get(null) ?? []),
              ...(testsByTemplate.get(templateId) ?? []),
            ]) {
              if (test.platform === platform) holders.get(test)?.add(ordinal);
            }
          }
          const last = rows.at(-1);
          if (last === undefined || rows.length < PASSES) break;
          after = last.passId;
        }
      }
    }
    return new Map([...holders].map(([test, ordinals]) => [test, Bitmap.of(ordinals)]));
  };
}
