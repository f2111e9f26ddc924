import type { StorageReader, StorageTransaction, UserSequence } from "../../src/storage.js";
import type { SqlDialect } from "./dialect.js";
import { prepare, type Slot } from "./prepared.js";
import { first, type ReadSession, type Session } from "./session.js";

const FIRST_TAG_ORDINAL = 1;

export type Organizations = ReturnType<typeof organizations>;

/** Which organizations stored something, and the numbers that their next user and tag get. */
export function organizations({ db }: SqlDialect) {
  const anyone = prepare(() => db.selectFrom("loyalty_organizations").select("organization_id").limit(1));

  const find = prepare((slot: Slot<{ organizationId: string }>) =>
    db
      .selectFrom("loyalty_organizations")
      .select(["next_user_ordinal", "newest_user_id", "newest_user_created_at", "next_tag_ordinal"])
      .where("organization_id", "=", slot("organizationId")),
  );

  const placeNextUser = prepare(
    (slot: Slot<{ organizationId: string; ordinal: number; id: string; createdAt: number }>) => {
      const place = {
        next_user_ordinal: slot("ordinal"),
        newest_user_id: slot("id"),
        newest_user_created_at: slot("createdAt"),
      };
      return db
        .insertInto("loyalty_organizations")
        .values({
          organization_id: slot("organizationId"),
          ...place,
          next_tag_ordinal: FIRST_TAG_ORDINAL,
        })
        .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(place));
    },
  );

  const placeNextTag = prepare((slot: Slot<{ organizationId: string; ordinal: number }>) => {
    const place = { next_tag_ordinal: slot("ordinal") };
    return db
      .insertInto("loyalty_organizations")
      .values({ organization_id: slot("organizationId"), next_user_ordinal: 0, ...place })
      .onConflict((conflict) => conflict.column("organization_id").doUpdateSet(place));
  });

  return {
    reads: (session: ReadSession): Pick<StorageReader, "isEmpty"> => ({
      isEmpty: async () => (await first(session, anyone({}))) === null,
    }),

    writes: (session: Session): Pick<StorageTransaction, "nextUser"> => ({
      async nextUser(organizationId): Promise<UserSequence> {
        const row = await first(session, find({ organizationId }));
        if (row === null) return { ordinal: 0, newest: null };
        const { newest_user_id: id, newest_user_created_at: createdAt } = row;
        const newest = id === null || createdAt === null ? null : { id, createdAt };
        return { ordinal: row.next_user_ordinal, newest };
      },
    }),

    /** Moves the next user's place behind this user. */
    async placed(
      session: Session,
      organizationId: string,
      user: { readonly ordinal: number; readonly id: string; readonly createdAt: number },
    ): Promise<void> {
      const { id, createdAt } = user;
      await session.change(placeNextUser({ organizationId, ordinal: user.ordinal + 1, id, createdAt }));
    },

    /** The ordinal of the organization's next tag. */
    async nextTag(session: Session, organizationId: string): Promise<number> {
      return (await first(session, find({ organizationId })))?.next_tag_ordinal ?? FIRST_TAG_ORDINAL;
    },

    /** Moves the next tag's ordinal behind this one. */
    async tagPlaced(session: Session, organizationId: string, ordinal: number): Promise<void> {
      await session.change(placeNextTag({ organizationId, ordinal: ordinal + 1 }));
    },

    /** Notes that the organization stored something. */
    async seen(session: Session, organizationId: string): Promise<void> {
      if ((await first(session, find({ organizationId }))) !== null) return;
      await session.change(placeNextTag({ organizationId, ordinal: FIRST_TAG_ORDINAL }));
    },
  };
}
