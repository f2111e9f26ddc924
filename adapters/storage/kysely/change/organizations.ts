import { sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { type CountedDay, type DayCounts, emptyDayCounts } from "../../../../src/storage/day-counts.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { ValuesOf } from "../../../../src/storage/record.js";
import type { StorageLookUps } from "../../../../src/storage/storage-adapter.js";
import { withRules } from "../session/call-rules.js";
import {
  changeRow,
  findFirst,
  type LookUpContext,
  prepare,
  type Session,
  type Slot,
} from "../session/session.js";
import { createSlots, listColumns } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";
import { tables } from "../sql/tables.js";

const { columns } = tables.organizations.record;

/** An organization's row as stored, with the current day and the versions of sets as JSON. */
type Row = ValuesOf<typeof columns>;

/** An organization's counters, such as the numbers to assign to the next user, tag, and event. */
export interface Counters extends Omit<Row, "currentDayCounts" | "setVersions"> {
  /** The most recent day and its counts, or `null` if nothing has been counted yet. */
  readonly currentDayCounts: CurrentDay | null;
  /** The versions of recently changed sets, keyed by set number. The versions in the sets' own rows can be lower. */
  readonly setVersions: ReadonlyMap<number, number>;
}

/** An organization's counters, as read within a transaction. */
export interface CountersRow {
  readonly values: Readonly<Counters>;
  /** The counters stored in the organization's row, or `null` if it has no row. */
  readonly row: Readonly<Counters> | null;
  /** Whether this read inserted the organization's row. */
  readonly isNew: boolean;
}

type CountersParameters = Row & { readonly organizationId: string };

export interface Organizations {
  readonly lookUps: Functions<Pick<StorageLookUps, "isEmpty">, LookUpContext>;
  /**
   * Reads an organization's counters and prevents other transactions from changing them until this transaction ends. If the
   * organization has no row, returns the initial counters.
   */
  readCounters(session: Session, organizationId: string): Step<CountersRow>;
  /**
   * Checks that the tables have this release's schema version. Only transactions that haven't checked this yet and don't lock an
   * organization need this call, because locking an organization includes the check.
   * @throws {LoyaltyError} `storage_unavailable` if the tables have another schema version.
   */
  checkFence(session: Session): Step<void>;
  /**
   * Writes the counters to the organization's row, creating the row if it doesn't exist.
   * @param before the counters currently stored in the row, or `null` if there is no row.
   */
  putCounters(
    session: Session,
    organizationId: string,
    counters: Readonly<Counters>,
    before: Readonly<Counters> | null,
  ): Step<void>;
  /** Deletes a new organization's row if nothing else has been stored for the organization. */
  deleteUnused(session: Session, organizationId: string): Step<void>;
}

/** Creates the module for the rows that hold organizations' counters. */
export function createOrganizations(dialect: SqlDialect): Organizations {
  const { db, locksOrganizations, version } = dialect;
  const findAnyOrganization = prepare(() =>
    db.selectFrom("loyalty_organizations").select("organization_id").limit(1),
  );

  const selectCounters = (slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select(listColumns(tables.organizations, "loyalty_organizations"))
      .where("organization_id", "=", slot("organizationId"));

  const findCounters = prepare(selectCounters);

  const lockCounters = prepare((slot: Slot<{ organizationId: string }>) => selectCounters(slot).forUpdate());

  const lockCountersWithVersion = prepare((slot: Slot<{ organizationId: string }>) =>
    selectCounters(slot).select(version.as("version")).forUpdate(),
  );

  const readVersion = sql<{ version: number | null }>`select ${version} as version`.compile(db);

  const insertRow = prepare((slot: Slot<CountersParameters>) =>
    db
      .insertInto("loyalty_organizations")
      .values({ organization_id: slot("organizationId"), ...createSlots(columns, slot) })
      .onConflict((conflict) => conflict.column("organization_id").doNothing()),
  );

  const putRow = prepare((slot: Slot<CountersParameters>) =>
    db
      .insertInto("loyalty_organizations")
      .values({ organization_id: slot("organizationId"), ...createSlots(columns, slot) })
      .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(createSlots(columns, slot))),
  );

  const updateRow = prepare((slot: Slot<CountersParameters>) => {
    const { newest_event_minute: _minute, time_zone: _zone, ...changing } = createSlots(columns, slot);
    return db
      .updateTable("loyalty_organizations")
      .set(changing)
      .where("organization_id", "=", slot("organizationId"));
  });

  const remove = prepare((slot: Slot<{ organizationId: string }>) =>
    db.deleteFrom("loyalty_organizations").where("organization_id", "=", slot("organizationId")),
  );

  /**
   * Locks the organization's row, if there is one. If the transaction hasn't passed the fence, the same statement reads the version
   * to check it.
   */
  function* readLockedRow(session: Session, organizationId: string): Step<Row | null> {
    const { fence } = session;
    if (fence === null) return yield* findFirst(session, lockCounters({ organizationId }));
    const fencedRow = yield* findFirst(session, lockCountersWithVersion({ organizationId }));
    if (fencedRow === null) return null;
    const { version, ...row } = fencedRow;
    fence.assertCurrent(version);
    return row;
  }

  /** Locks the organization's row, and creates it first if needed. */
  function* lockOrInsert(session: Session, organizationId: string): Step<CountersRow> {
    const row = yield* readLockedRow(session, organizationId);
    if (row !== null) return toCountersRow(row, false);
    const isNew = yield* changeRow(session, insertRow({ organizationId, ...toRow(initialCounters) }));
    const insertedRow = yield* readLockedRow(session, organizationId);
    if (insertedRow === null) throw new Error("the organization's row is missing");
    return toCountersRow(insertedRow, isNew);
  }

  return {
    lookUps: {
      isEmpty: withRules({ readsBuffered: true }, function* ({ session }) {
        return (yield* findFirst(session, findAnyOrganization({}))) === null;
      }),
    },

    *readCounters(session, organizationId) {
      if (locksOrganizations) return yield* lockOrInsert(session, organizationId);
      const row = yield* findFirst(session, findCounters({ organizationId }));
      return row === null ? { values: initialCounters, row: null, isNew: false } : toCountersRow(row, false);
    },

    *checkFence(session) {
      if (session.fence === null) return;
      session.fence.assertCurrent((yield* findFirst(session, readVersion))?.version ?? null);
    },

    *putCounters(session, organizationId, counters, previous) {
      // Leaves out the minute and the time zone if they haven't changed. The minute is indexed, and both rarely change.
      const { newestEventMinute, timeZone } = counters;
      const isSameMinute = previous?.newestEventMinute === newestEventMinute;
      const isUnchanged = isSameMinute && previous.timeZone === timeZone;
      const statement = isUnchanged ? updateRow : putRow;
      yield* session.change(statement({ organizationId, ...toRow(counters) }));
    },

    *deleteUnused(session, organizationId) {
      yield* session.change(remove({ organizationId }));
    },
  };
}

function toCountersRow(storedRow: Row, isNew: boolean): CountersRow {
  const row = toCounters(storedRow);
  return { values: row, row, isNew };
}

function toCounters(row: Row): Counters {
  return {
    ...row,
    currentDayCounts: parseCurrentDay(row.currentDayCounts),
    setVersions: parseSetVersions(row.setVersions),
  };
}

function toRow(counters: Readonly<Counters>): Row {
  const { currentDayCounts, setVersions } = counters;
  return {
    ...counters,
    currentDayCounts: formatCurrentDay(currentDayCounts),
    setVersions: setVersions.size === 0 ? null : JSON.stringify([...setVersions]),
  };
}

/** Parses the value of the `setVersions` column. */
export function parseSetVersions(text: string | null): ReadonlyMap<number, number> {
  return new Map(text === null ? [] : JSON.parse(text));
}

/** The counters of an organization without a row. Tags are numbered from 1, because set 0 contains all users. */
const initialCounters: Counters = {
  nextUserOrdinal: 0,
  newestUserId: null,
  newestUserCreatedAt: null,
  nextTagOrdinal: 1,
  newestEventPosition: 0,
  newestEventMinute: 0,
  currentDayCounts: null,
  incompletePosition: 0,
  incompleteUntil: null,
  timeZone: null,
  changesWithoutEvent: 0,
  setVersions: new Map(),
};

/** The most recent day with counts for an organization, along with those counts. A missing count is 0. */
export interface CurrentDay extends Partial<DayCounts> {
  readonly day: number;
}

/** Parses the value of the `currentDayCounts` column. Returns `null` if nothing has been counted yet. */
export function parseCurrentDay(text: string | null): CurrentDay | null {
  return text === null ? null : JSON.parse(text);
}

/** Formats a day and its counts for the `currentDayCounts` column. Omits counts that are 0. */
function formatCurrentDay(day: CurrentDay | null): string | null {
  return day === null
    ? null
    : JSON.stringify(day, (name, value) => (value === 0 && name !== "day" ? undefined : value));
}

/** Returns the day with every missing count set to 0. */
export function toCountedDay(currentDayCounts: CurrentDay): CountedDay {
  return { ...emptyDayCounts, ...currentDayCounts };
}
