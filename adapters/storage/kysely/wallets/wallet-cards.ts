import type { Functions } from "../../../../src/storage/methods.js";
import {
  type StoredWalletDevice,
  type WalletLookUps,
  type WalletPlatform,
  type WalletReads,
  type WalletWrites,
  type walletCardRecord,
  walletDeviceRecord,
  walletJobs,
} from "../../../../src/storage/wallets.js";
import type { ReadModule, WriteContext } from "../change/commit-buffer.js";
import { prepareSetDueTime } from "../jobs/jobs.js";
import { withRules } from "../session/call-rules.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import { createSlots, listColumns, type SqlRow } from "../sql/columns.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<
  WalletReads,
  "findWalletCard" | "walletCardsOf" | "walletCardsOfTemplate" | "walletCardsWithMessage" | "walletDevicesOf"
>;
type LookUps = Omit<WalletLookUps, "findPicture">;
type Writes = Pick<
  WalletWrites,
  | "insertWalletCard"
  | "updateWalletCards"
  | "deleteWalletCard"
  | "putWalletDevice"
  | "deleteWalletDevice"
  | "recordNotified"
>;

interface CardKey {
  organizationId: string;
  passId: string;
}

const cardColumns = listColumns(tables.walletCards, "card");

export function walletCardReads(dialect: SqlDialect): ReadModule<Reads, LookUps> {
  const { db, isOneOf, listParameter } = dialect;
  const { toRow } = createRowStatements(dialect, tables.walletCards);
  const cards = db.selectFrom("loyalty_wallet_cards as card").select(cardColumns);
  const devices = db
    .selectFrom("loyalty_wallet_devices as device")
    .select(listColumns(tables.walletDevices, "device"));

  const findByPass = prepare((slot: Slot<CardKey>) =>
    cards
      .where("card.organization_id", "=", slot("organizationId"))
      .where("card.pass_id", "=", slot("passId")),
  );

  const findByPasses = prepare((slot: Slot<{ organizationId: string; passIds: unknown }>) =>
    cards
      .where("card.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("card.pass_id"), slot("passIds")))
      .orderBy("card.pass_id"),
  );

  const selectAfter = (slot: Slot<{ organizationId: string; after: string; limit: number }>) =>
    cards
      .where("card.organization_id", "=", slot("organizationId"))
      .where("card.pass_id", ">", slot("after"))
      .where("card.revoked_at", "is", null)
      .orderBy("card.pass_id")
      .limit(slot("limit"));

  const findAllAfter = prepare(selectAfter);

  const findByTemplate = prepare(
    (slot: Slot<{ organizationId: string; after: string; limit: number; templateId: string }>) =>
      selectAfter(slot).where("card.template_id", "=", slot("templateId")),
  );

  const findWithMessage = prepare(
    (slot: Slot<{ organizationId: string; messageId: string; after: string; limit: number }>) =>
      cards
        .where("card.organization_id", "=", slot("organizationId"))
        .where("card.message_id", "=", slot("messageId"))
        .where("card.pass_id", ">", slot("after"))
        .orderBy("card.pass_id")
        .limit(slot("limit")),
  );

  const findDevices = prepare((slot: Slot<{ organizationId: string; passIds: unknown }>) =>
    devices
      .where("device.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("device.pass_id"), slot("passIds")))
      .orderBy("device.pass_id")
      .orderBy("device.platform")
      .orderBy("device.device_id"),
  );

  const findOwners = prepare((slot: Slot<{ passId: string }>) =>
    cards
      .select("card.organization_id as organizationId")
      .where("card.pass_id", "=", slot("passId"))
      .limit(1),
  );

  const selectAfterAnywhere = (slot: Slot<{ after: string; limit: number }>) =>
    cards
      .select("card.organization_id as organizationId")
      .where("card.pass_id", ">", slot("after"))
      .orderBy("card.pass_id")
      .limit(slot("limit"));

  const findAnyAfter = prepare(selectAfterAnywhere);

  const findActiveAfter = prepare((slot: Slot<{ after: string; limit: number }>) =>
    selectAfterAnywhere(slot).where("card.revoked_at", "is", null),
  );

  const findByDevice = prepare((slot: Slot<{ platform: WalletPlatform; deviceId: string; limit: number }>) =>
    db
      .selectFrom("loyalty_wallet_devices as device")
      .innerJoin("loyalty_wallet_cards as card", (join) =>
        join
          .onRef("card.organization_id", "=", "device.organization_id")
          .onRef("card.pass_id", "=", "device.pass_id"),
      )
      .select(["card.organization_id as organizationId", ...cardColumns])
      .where("device.device_id", "=", slot("deviceId"))
      .where("device.platform", "=", slot("platform"))
      .where("device.state", "=", "registered")
      .orderBy("card.organization_id")
      .orderBy("card.pass_id")
      .limit(slot("limit")),
  );

  const findDevicesByToken = prepare(
    (slot: Slot<{ platform: WalletPlatform; pushToken: string; limit: number }>) =>
      devices
        .select("device.organization_id as organizationId")
        .where("device.push_token", "=", slot("pushToken"))
        .where("device.platform", "=", slot("platform"))
        .where("device.state", "=", "registered")
        .orderBy("device.organization_id")
        .orderBy("device.pass_id")
        .orderBy("device.device_id")
        .limit(slot("limit")),
  );

  type OwnedRow = SqlRow<typeof walletCardRecord.columns> & { readonly organizationId: string };
  const toOwnedCard = ({ organizationId, ...card }: OwnedRow) => ({ organizationId, card: toRow(card) });

  const selectOrganizationsWithQueue = prepare((slot: Slot<{ after: string; limit: number }>) =>
    db
      .selectFrom("loyalty_wallet_queues")
      .select("organization_id as organizationId")
      .where("organization_id", ">", slot("after"))
      .orderBy("organization_id")
      .limit(slot("limit")),
  );

  return {
    reads: {
      findWalletCard: withRules({ locks: "wallet queue" }, function* ({ session, organizationId }, passId) {
        const row = yield* findFirst(session, findByPass({ organizationId, passId }));
        return row && toRow(row);
      }),

      walletCardsOf: withRules({ locks: "wallet queue" }, function* ({ session, organizationId }, passIds) {
        return (yield* session.all(findByPasses({ organizationId, passIds: listParameter(passIds) }))).map(
          toRow,
        );
      }),

      walletCardsOfTemplate: withRules(
        { locks: "wallet queue" },
        function* ({ session, organizationId }, templateId, after, limit) {
          const rows = yield* session.all(
            templateId === null
              ? findAllAfter({ organizationId, after, limit })
              : findByTemplate({ organizationId, after, limit, templateId }),
          );
          return rows.map(toRow);
        },
      ),

      walletCardsWithMessage: withRules(
        { locks: "wallet queue" },
        function* ({ session, organizationId }, messageId, after, limit) {
          return (yield* session.all(findWithMessage({ organizationId, messageId, after, limit }))).map(
            toRow,
          );
        },
      ),

      walletDevicesOf: withRules({ locks: "wallet queue" }, ({ session, organizationId }, passIds) =>
        session.all(findDevices({ organizationId, passIds: listParameter(passIds) })),
      ),
    },
    lookUps: {
      *organizationsWithWallets({ session }, after, limit) {
        return (yield* session.all(selectOrganizationsWithQueue({ after, limit }))).map(
          ({ organizationId }) => organizationId,
        );
      },

      *findWalletPass({ session }, passId) {
        const row = yield* findFirst(session, findOwners({ passId }));
        return row === null ? null : toOwnedCard(row);
      },

      *walletPassesAfter({ session }, after, limit) {
        return (yield* session.all(findActiveAfter({ after, limit }))).map(toOwnedCard);
      },

      *walletCardsAfter({ session }, after, limit) {
        return (yield* session.all(findAnyAfter({ after, limit }))).map(toOwnedCard);
      },

      *walletCardsOfDevice({ session }, platform, deviceId, limit) {
        return (yield* session.all(findByDevice({ platform, deviceId, limit }))).map(toOwnedCard);
      },

      *walletDevicesOfToken({ session }, platform, pushToken, limit) {
        return (yield* session.all(findDevicesByToken({ platform, pushToken, limit }))).map(
          ({ organizationId, ...device }) => ({
            organizationId,
            device,
          }),
        );
      },
    },
  };
}

export function walletCardWrites(dialect: SqlDialect): Functions<Writes, WriteContext> {
  const { db, isOneOf, listParameter } = dialect;
  const cards = createRowStatements(dialect, tables.walletCards);
  const devices = createRowStatements(dialect, tables.walletDevices);
  const setDueTime = prepareSetDueTime(dialect, walletJobs);

  const putDevice = prepare((slot: Slot<StoredWalletDevice & { organizationId: string }>) => {
    const { pass_id, platform, device_id, created_at, ...otherColumns } = createSlots(
      walletDeviceRecord.columns,
      slot,
    );
    return db
      .insertInto("loyalty_wallet_devices")
      .values({
        organization_id: slot("organizationId"),
        ...{ pass_id, platform, device_id, created_at },
        ...otherColumns,
      })
      .onConflict((conflict) =>
        conflict.columns(["organization_id", "pass_id", "platform", "device_id"]).doUpdateSet(otherColumns),
      );
  });

  type Notified = CardKey & { platform: WalletPlatform; deviceIds: unknown; revision: number };
  const recordNotified = prepare((slot: Slot<Notified>) =>
    db
      .updateTable("loyalty_wallet_devices")
      .set({ notified_revision: slot("revision") })
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where("platform", "=", slot("platform"))
      .where(({ ref }) => isOneOf(ref("device_id"), slot("deviceIds"))),
  );

  return {
    *insertWalletCard({ session, buffer, organizationId }, card) {
      yield* session.change(cards.insert(organizationId, card));
      yield* buffer.updateCounters(organizationId, {});
    },

    updateWalletCards: withRules(
      { locks: "wallet queue" },
      function* ({ session, organizationId }, changedCards) {
        yield* session.changeEach(changedCards.map((card) => cards.update(organizationId, card)));
      },
    ),

    deleteWalletCard: withRules({ locks: "wallet queue" }, function* ({ session, organizationId }, passId) {
      const isRemoved = yield* changeRow(session, cards.remove(organizationId, { passId }));
      yield* session.change(setDueTime({ organizationId }));
      return isRemoved;
    }),

    recordNotified: withRules(
      { locks: "wallet queue" },
      function* ({ session, organizationId }, platform, outcomes) {
        for (const { passId, revision, deviceIds } of outcomes) {
          if (deviceIds.length === 0) continue;
          const key = { organizationId, platform, passId, revision };
          yield* session.change(recordNotified({ ...key, deviceIds: listParameter(deviceIds) }));
        }
      },
    ),

    putWalletDevice: withRules({ locks: "wallet queue" }, function* ({ session, organizationId }, device) {
      yield* session.change(putDevice({ organizationId, ...device }));
    }),

    deleteWalletDevice: withRules({ locks: "wallet queue" }, ({ session, organizationId }, key) =>
      changeRow(session, devices.remove(organizationId, key)),
    ),
  };
}
