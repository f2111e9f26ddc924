import type { StorageReader } from "../../src/storage.js";
import type { SqlDialect } from "./dialect.js";
import { prepare, type Slot } from "./prepared.js";
import { first, type ReadSession, type Session } from "./session.js";

/** The numbers that the next user, tag and event of an organization get. */
export interface Counters {
  nextUserOrdinal: number;
  newestUserId: string | null;
  newestUserCreatedAt: number | null;
  nextTagOrdinal: number;
  newestEventPosition: number;
}

export type Organizations = ReturnType<typeof organizations>;

/** Which organizations stored something, and their counters. */
export function organizations({ db }: SqlDialect) {
  const anyone = prepare(() => db.selectFrom("loyalty_organizations").select("organization_id").limit(1));

  const find = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select([
        "next_user_ordinal as nextUserOrdinal",
        "newest_user_id as newestUserId",
        "newest_user_created_at as newestUserCreatedAt",
        "next_tag_ordinal as nextTagOrdinal",
        "newest_event_position as newestEventPosition",
      ])
      .where("organization_id", "=", slot("organizationId")),
  );

  const put = prepare((slot: Slot<Counters & { organizationId: string }>) => {
    const counters = {
      next_user_ordinal: slot("nextUserOrdinal"),
      newest_user_id: slot("newestUserId"),
      newest_user_created_at: slot("newestUserCreatedAt"),
      next_tag_ordinal: slot("nextTagOrdinal"),
      newest_event_position: slot("newestEventPosition"),
    };
    return db
      .insertInto("loyalty_organizations")
      .values({ organization_id: slot("organizationId"), ...counters })
      .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(counters));
  });

  return {
    reads: (session: ReadSession): Pick<StorageReader, "isEmpty"> => ({
      isEmpty: async () => (await first(session, anyone({}))) === null,
    }),

    /** Those of an organization that never stored anything are the first ones. */
    async counters(session: Session, organizationId: string): Promise<Counters> {
      return (await first(session, find({ organizationId }))) ?? { ...firstCounters };
    },

    async putCounters(session: Session, organizationId: string, counters: Counters): Promise<void> {
      await session.change(put({ organizationId, ...counters }));
    },
  };
}

/** Tags are numbered from 1: the set of the number 0 is that of all users. */
const firstCounters: Counters = {
  nextUserOrdinal: 0,
  newestUserId: null,
  newestUserCreatedAt: null,
  nextTagOrdinal: 1,
  newestEventPosition: 0,
};
