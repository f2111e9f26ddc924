import type { Functions } from "../../../src/storage/methods.js";
import type { InstallationStatus } from "../../../src/storage/passes.js";
import {
  StorageConflict,
  type StorageReader,
  type StorageTransaction,
} from "../../../src/storage/storage-adapter.js";
import type { Changing } from "../change/pending.js";
import { ordinalOfUser } from "../customers/users.js";
import { called } from "../session/call-rules.js";
import { changed, first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { cardColumns, cardValues, ownColumns, passColumns, passOf } from "./pass-rows.js";

type PassReads = Pick<
  StorageReader,
  "findPass" | "findPassByCode" | "passesByCode" | "organizationOfCode" | "passesOfUsers"
>;
type PassWrites = Pick<StorageTransaction, "insertPass" | "updateInstallation" | "deletePass">;

/** A pass knows its user by ordinal, so that rows and indexes stay small; reading joins the user's id. */
export function passReads(dialect: SqlDialect): Functions<PassReads, Reading> {
  const { db, isOneOf, listParameter } = dialect;
  const found = db
    .selectFrom("loyalty_wallet_passes")
    .innerJoin("loyalty_users", (join) =>
      join
        .onRef("loyalty_users.organization_id", "=", "loyalty_wallet_passes.organization_id")
        .onRef("loyalty_users.ordinal", "=", "loyalty_wallet_passes.user_ordinal"),
    )
    .select(passColumns);

  const byId = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    found
      .where("loyalty_wallet_passes.organization_id", "=", slot("organizationId"))
      .where("loyalty_wallet_passes.id", "=", slot("id")),
  );

  const byCode = prepare((slot: Slot<{ organizationId: string; code: string }>) =>
    found
      .where("loyalty_wallet_passes.organization_id", "=", slot("organizationId"))
      .where("loyalty_wallet_passes.code", "=", slot("code")),
  );

  const byCodes = prepare((slot: Slot<{ organizationId: string; codes: unknown }>) =>
    found
      .where("loyalty_wallet_passes.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("loyalty_wallet_passes.code"), slot("codes"))),
  );

  const ownersOfCode = prepare((slot: Slot<{ code: string }>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select("organization_id")
      .where("code", "=", slot("code"))
      .limit(2),
  );

  const byOrdinals = prepare((slot: Slot<{ organizationId: string; ordinals: unknown }>) =>
    db
      .selectFrom("loyalty_wallet_passes")
      .select(["user_ordinal", ...ownColumns])
      .where("organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("user_ordinal"), slot("ordinals")))
      .orderBy("loyalty_wallet_passes.created_at")
      .orderBy("loyalty_wallet_passes.id"),
  );

  return {
    *findPass({ session }, organizationId, id) {
      const row = yield* first(session, byId({ organizationId, id }));
      return row === null ? null : passOf(row);
    },

    *findPassByCode({ session }, organizationId, code) {
      const row = yield* first(session, byCode({ organizationId, code }));
      return row === null ? null : passOf(row);
    },

    *passesByCode({ session }, organizationId, codes) {
      return (yield* session.all(byCodes({ organizationId, codes: listParameter(codes) }))).map(passOf);
    },

    organizationOfCode: called({ locks: "none" }, function* ({ session }, code) {
      const [owner, another] = yield* session.all(ownersOfCode({ code }));
      return another === undefined ? (owner?.organization_id ?? null) : null;
    }),

    *passesOfUsers({ session }, organizationId, users) {
      const ids = new Map(users.map(({ id, ordinal }) => [ordinal, id]));
      const passes = yield* session.all(
        byOrdinals({ organizationId, ordinals: listParameter([...ids.keys()]) }),
      );
      return passes.flatMap(({ user_ordinal, ...row }) => {
        const user_id = ids.get(user_ordinal);
        return user_id === undefined ? [] : [passOf({ user_id, ...row })];
      });
    },
  };
}

interface NewPass extends ReturnType<typeof cardValues> {
  organizationId: string;
  id: string;
  userOrdinal: number;
  templateId: string;
  code: string;
  isPreviewPass: number;
  installationStatus: InstallationStatus | null;
  createdAt: number;
  updatedAt: number;
}

export function passWrites(dialect: SqlDialect): Functions<PassWrites, Changing> {
  const { db } = dialect;
  const userOrdinal = ordinalOfUser(dialect);

  const insert = prepare((slot: Slot<NewPass>) =>
    db
      .insertInto("loyalty_wallet_passes")
      .values({
        organization_id: slot("organizationId"),
        id: slot("id"),
        user_ordinal: slot("userOrdinal"),
        template_id: slot("templateId"),
        code: slot("code"),
        is_preview_pass: slot("isPreviewPass"),
        installation_status: slot("installationStatus"),
        ...cardColumns(slot),
        created_at: slot("createdAt"),
        updated_at: slot("updatedAt"),
      })
      .onConflict((conflict) => conflict.columns(["organization_id", "code"]).doNothing()),
  );

  const setInstallation = prepare(
    (slot: Slot<{ organizationId: string; id: string; status: InstallationStatus; updatedAt: number }>) =>
      db
        .updateTable("loyalty_wallet_passes")
        .set({ installation_status: slot("status"), updated_at: slot("updatedAt") })
        .where("organization_id", "=", slot("organizationId"))
        .where("id", "=", slot("id")),
  );

  const remove = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    db
      .deleteFrom("loyalty_wallet_passes")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  return {
    *insertPass({ session }, organizationId, { card, isPreviewPass, userId, ...pass }) {
      const user = yield* first(session, userOrdinal({ organizationId, id: userId }));
      if (user === null) throw new Error(`there is no user ${userId} to hold a pass`);
      const row = insert({
        organizationId,
        userOrdinal: user.ordinal,
        isPreviewPass: isPreviewPass ? 1 : 0,
        ...pass,
        ...cardValues(card),
      });
      if (!(yield* changed(session, row))) throw new StorageConflict("code");
    },

    updateInstallation: ({ session }, organizationId, id, status, updatedAt) =>
      changed(session, setInstallation({ organizationId, id, status, updatedAt })),

    deletePass: ({ session }, organizationId, id) => changed(session, remove({ organizationId, id })),
  };
}
