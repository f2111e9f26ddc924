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
  toFlagQuery,
} from "./column-tests.js";
import { createSources } from "./sources.js";

/** Maximum number of rows per statement, because a statement blocks the process until it is done. */
const PAGE_SIZE = 5_000;

const platforms: readonly WalletPlatform[] = ["apple", "google"];

/** The context passed to reads that can use the column cache. */
export interface ColumnReadContext extends SetReadContext {
  /** The column cache, or `null` if the read can see uncommitted rows, which must never enter the cache. */
  readonly columns: ColumnCache | null;
}

/** Minimum and maximum number of columns that one read of all users loads together, and the target number of values in memory. */
const [MIN_COLUMNS, MAX_COLUMNS, TARGET_VALUES] = [8, 250, 2_000_000];

function chooseBatchSize(users: Bitmap): number {
  return Math.min(Math.max(Math.floor(TARGET_VALUES / Math.max(users.end, 1)), MIN_COLUMNS), MAX_COLUMNS);
}

type JoinedTest = Extract<BehaviorTest, { readonly of: "joined" }>;

/**
 * Creates the read functions that find the users who pass a test, such as a test on their stamps or visits. Each column is loaded
 * the first time that a test needs it.
 */
export function behaviorReads(
  dialect: SqlDialect,
  segments: Functions<Pick<StorageReader, "readTagSets">, SetReadContext>,
): Functions<BehaviorReads, ColumnReadContext> {
  const { db } = dialect;
  const changeLogReads = changeReads(dialect);
  const columnReader = columnReads(createSources(dialect));
  const findWalletHolders = prepareWalletHolders(dialect);

  const selectUserFrom = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) =>
    db
      .selectFrom("loyalty_users")
      .select(["ordinal", "created_at as createdAt"])
      .where("organization_id", "=", slot("organizationId"))
      .where("ordinal", ">=", slot("ordinal"))
      .orderBy("ordinal")
      .limit(1),
  );

  /** Returns the first user at or after an ordinal, or `null` if there is none. */
  type FindUserFrom = (
    ordinal: number,
  ) => Step<{ readonly ordinal: number; readonly createdAt: number } | null>;

  /** Returns a function that reads users by ordinal and caches each result. */
  function createUserFinder(session: ReadSession, organizationId: string): FindUserFrom {
    const cachedUsers = new Map<number, { readonly ordinal: number; readonly createdAt: number } | null>();
    return function* (ordinal) {
      const cached = cachedUsers.get(ordinal);
      if (cached !== undefined) return cached;
      const user = yield* findFirst(session, selectUserFrom({ organizationId, ordinal }));
      cachedUsers.set(ordinal, user);
      return user;
    };
  }

  /** Finds the first ordinal from which on all users were created at or after a time. Creation times increase with ordinals. */
  function* findFirstOrdinal(findUserFrom: FindUserFrom, time: number, end: number): Step<number> {
    let [low, high] = [0, end];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const user = yield* findUserFrom(middle);
      if (user === null || user.createdAt >= time) high = middle;
      else low = user.ordinal + 1;
    }
    return low;
  }

  function* matchJoined(findUserFrom: FindUserFrom, { from, before }: JoinedTest, { end }: Bitmap) {
    const low = from === null ? 0 : yield* findFirstOrdinal(findUserFrom, from, end);
    const high = before === null ? end : yield* findFirstOrdinal(findUserFrom, before, end);
    return createRange(low, high);
  }

  /** Evaluates queries from cached columns, or from columns loaded for this call if the cached ones can't be used. */
  function* evaluate(
    context: ColumnReadContext,
    state: ReadState,
    queries: readonly ColumnQuery[],
  ): Step<MatchResult[]> {
    const { organizationId, session, position, changesWithoutEvent } = state;
    const { columns: cache } = context;
    let cachedColumns = cache?.findOrCreate(organizationId, changesWithoutEvent, position) ?? null;
    if (cache === null || cachedColumns === null) return yield* columnReader.evaluateUncached(state, queries);
    const { to } = cachedColumns.log;
    if (position > to) {
      const newChanges = yield* changeLogReads.readChanges(session, organizationId, to, position);
      if (newChanges === null) cachedColumns = cache.restart(organizationId, changesWithoutEvent, position);
      else cachedColumns.log.extend(newChanges, position);
    }
    const needs = yield* columnReader.findNeededColumns(state, cachedColumns, cache, queries);
    const matches = yield* columnReader.evaluateCurrent(state, cachedColumns, needs, queries);
    cache.touch([...needs.values()].map(({ column }) => column));
    return matches ?? (yield* columnReader.evaluateUncached(state, queries));
  }

  /** Returns the users who match each query. It loads only as many columns at a time as fit into memory. */
  function* evaluateFromColumns(
    context: ColumnReadContext,
    users: Bitmap,
    queries: readonly ColumnQuery[],
  ): Step<Bitmap[]> {
    const { organizationId } = context;
    const logPosition = (yield* changeLogReads.readLogPosition(context.session, organizationId)) ?? {
      position: 0,
      changesWithoutEvent: 0,
    };
    const state: ReadState = { session: context.session, organizationId, users, ...logPosition };
    const matches: Bitmap[] = [];
    const batchSize = chooseBatchSize(users);
    for (let start = 0; start < queries.length; start += batchSize) {
      const batch = queries.slice(start, start + batchSize);
      if (isYieldDue()) yield* yieldIfDue();
      const results = yield* evaluate(context, state, batch);
      const uncertain = batch.filter((_, index) => results[index] === null);
      const exactResults =
        uncertain.length === 0 ? [] : yield* evaluate(context, state, uncertain.map(toFlagQuery));
      matches.push(...results.map((result) => result ?? exactResults.shift() ?? Bitmap.empty));
    }
    return matches;
  }

  return {
    matchBehavior: withRules({ readsBuffered: true, needsSnapshot: true }, function* (context, tests) {
      const { session, organizationId } = context;
      const { users } = yield* segments.readTagSets(context, []);
      const timeOfCall = findTimeOfCall(tests);
      const queries = tests.map((test) => (isColumnTest(test) ? toColumnQuery(test, timeOfCall) : null));
      const columnQueries = queries.filter((one) => one !== null);
      const columnMatches =
        columnQueries.length === 0 ? [] : yield* evaluateFromColumns(context, users, columnQueries);
      const inWallets = yield* findWalletHolders(
        session,
        organizationId,
        tests.filter((test) => test.of === "wallet"),
      );
      const matches: Bitmap[] = [];
      const findUserFrom = createUserFinder(session, organizationId);
      let nextColumn = 0;
      for (const test of tests) {
        if (test.of === "joined") matches.push(users.and(yield* matchJoined(findUserFrom, test, users)));
        else if (test.of === "wallet") matches.push(users.and(inWallets.get(test) ?? Bitmap.empty));
        else matches.push(columnMatches[nextColumn++] ?? Bitmap.empty);
      }
      return matches;
    }),
  };
}

const fullChunk = emptyChunk().fill(0xffff_ffff);

/** Returns the ordinals from `from` (inclusive) to `before` (exclusive). */
function createRange(from: number, before: number): Bitmap {
  const chunks: (Chunk | undefined)[] = [];
  for (let at = 0; at * CHUNK_SIZE < before; at += 1) {
    const start = at * CHUNK_SIZE;
    const [low, high] = [Math.max(from, start), Math.min(before, start + CHUNK_SIZE)];
    if (low >= high) chunks.push(undefined);
    else if (low === start && high === start + CHUNK_SIZE) chunks.push(fullChunk);
    else {
      const chunk = emptyChunk();
      for (let ordinal = low; ordinal < high; ordinal += 1) setBit(chunk, ordinal);
      chunks.push(chunk);
    }
  }
  return new Bitmap(chunks);
}

type WalletTest = Extract<BehaviorTest, { readonly of: "wallet" }>;

interface PageStart {
  readonly organizationId: string;
  readonly after: string;
}

/**
 * Creates a function that finds the users with a card in a wallet. The function reads the tables instead of using columns, because
 * an organization's only change might be a device registration, which cached columns wouldn't reflect.
 */
function prepareWalletHolders({ db }: SqlDialect) {
  // A pass appears once for each of its devices, but a page may end between them, because one is enough.
  const selectRegistered = (slot: Slot<PageStart>) =>
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
      .limit(PAGE_SIZE);
  const listRegistered = prepare(selectRegistered);
  // The expression makes the database read in pass order, which an index on platforms doesn't provide.
  const platform = sql<WalletPlatform>`coalesce(platform, '')`;
  const listByPlatform = prepare((slot: Slot<PageStart & { platform: WalletPlatform }>) =>
    selectRegistered(slot).where(platform, "=", slot("platform")),
  );

  const listInstalled = prepare((slot: Slot<PageStart>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select(["id as passId", "user_ordinal as ordinal", "template_id as templateId"])
      .where("organization_id", "=", slot("organizationId"))
      .where("id", ">", slot("after"))
      .where("installation_status", "=", "INSTALLED")
      .orderBy("id")
      .limit(PAGE_SIZE),
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
    const hasTestFor = (platform: WalletTest["platform"]) => tests.some((test) => test.platform === platform);
    const scans = [
      { platform: null, queries: [listRegistered, listInstalled] },
      ...platforms.map((platform) => ({
        platform,
        queries: [(page: PageStart) => listByPlatform({ ...page, platform })],
      })),
    ];
    for (const { platform, queries } of scans) {
      if (!hasTestFor(platform)) continue;
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
          if (last === undefined || rows.length < PAGE_SIZE) break;
          after = last.passId;
        }
      }
    }
    return new Map([...holders].map(([test, ordinals]) => [test, Bitmap.of(ordinals)]));
  };
}
