import type { Step } from "../../../src/concurrency/step.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { StorageReader } from "../../../src/storage/storage-adapter.js";
import { changed, first, type Reading, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

/** The numbers that the next user, tag and event of an organization get. */
export interface Counters {
  nextUserOrdinal: number;
  newestUserId: string | null;
  newestUserCreatedAt: number | null;
  nextTagOrdinal: number;
  newestEventPosition: number;
  newestEventMinute: number;
  /** The newest day of which something was counted, and its counts: a `CountedDay` as JSON. */
  openDay: string | null;
}

/** Counters, and whether this look made the organization's row. */
export interface Found {
  readonly counters: Counters;
  readonly isNew: boolean;
}

type Row = Counters & { readonly organizationId: string };

export interface Organizations {
  readonly reads: Functions<Pick<StorageReader, "isEmpty">, Reading>;
  /**
   * The counters as they stay until the transaction ends, but for what it does itself. Those of an organization that
   * never stored anything are the first ones.
   */
  counters(session: Session, organizationId: string): Step<Found>;
  putCounters(session: Session, organizationId: string, counters: Counters): Step<void>;
  /** Takes away the row of an organization that is new and stored nothing. */
  forget(session: Session, organizationId: string): Step<void>;
}

/** Which organizations stored something, and their counters. */
export function organizations({ db, locksOrganizations }: SqlDialect): Organizations {
  const anyone = prepare(() => db.selectFrom("loyalty_organizations").select("organization_id").limit(1));

  const counters = (slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select([
        "next_user_ordinal as nextUserOrdinal",
        "newest_user_id as newestUserId",
        "newest_user_created_at as newestUserCreatedAt",
        "next_tag_ordinal as nextTagOrdinal",
        "newest_event_position as newestEventPosition",
        "newest_event_minute as newestEventMinute",
        "open_day as openDay",
      ])
      .where("organization_id", "=", slot("organizationId"));

  const find = prepare(counters);

  const lock = prepare((slot: Slot<{ organizationId: string }>) => counters(slot).forUpdate());

  const enter = prepare((slot: Slot<Row>) =>
    db
      .insertInto("loyalty_organizations")
      .values({ organization_id: slot("organizationId"), ...columnsOf(slot) })
      .onConflict((conflict) => conflict.column("organization_id").doNothing()),
  );

  const put = prepare((slot: Slot<Row>) =>
    db
      .insertInto("loyalty_organizations")
      .values({ organization_id: slot("organizationId"), ...columnsOf(slot) })
      .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(columnsOf(slot))),
  );

  const remove = prepare((slot: Slot<{ organizationId: string }>) =>
    db.deleteFrom("loyalty_organizations").where("organization_id", "=", slot("organizationId")),
  );

  /** Locks the organization's row, which is made when it is missing. */
  function* locked(session: Session, organizationId: string): Step<Found> {
    const known = yield* first(session, lock({ organizationId }));
    if (known !== null) return { counters: known, isNew: false };
    const isNew = yield* changed(session, enter({ organizationId, ...firstCounters }));
    const entered = yield* first(session, lock({ organizationId }));
    if (entered === null) throw new Error("the row of an organization is gone");
    return { counters: entered, isNew };
  }

  return {
    reads: {
      isEmpty: function* ({ session }) {
        return (yield* first(session, anyone({}))) === null;
      },
    },

    *counters(session, organizationId) {
      if (locksOrganizations) return yield* locked(session, organizationId);
      const known = yield* first(session, find({ organizationId }));
      return { counters: known ?? { ...firstCounters }, isNew: false };
    },

    *putCounters(session, organizationId, counters) {
      yield* session.change(put({ organizationId, ...counters }));
    },

    *forget(session, organizationId) {
      yield* session.change(remove({ organizationId }));
    },
  };
}

function columnsOf(slot: Slot<Row>) {
  return {
    next_user_ordinal: slot("nextUserOrdinal"),
    newest_user_id: slot("newestUserId"),
    newest_user_created_at: slot("newestUserCreatedAt"),
    next_tag_ordinal: slot("nextTagOrdinal"),
    newest_event_position: slot("newestEventPosition"),
    newest_event_minute: slot("newestEventMinute"),
    open_day: slot("openDay"),
  };
}

/** Tags are numbered from 1: the set of the number 0 is that of all users. */
const firstCounters: Counters = {
  nextUserOrdinal: 0,
  newestUserId: null,
  newestUserCreatedAt: null,
  nextTagOrdinal: 1,
  newestEventPosition: 0,
  newestEventMinute: 0,
  openDay: null,
};
