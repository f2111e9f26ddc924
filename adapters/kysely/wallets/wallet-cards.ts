import type { Functions } from "../../../src/storage/methods.js";
import type {
  StoredWalletCard,
  StoredWalletDevice,
  WalletPlatform,
  WalletReads,
  WalletWrites,
} from "../../../src/storage/wallets.js";
import type { Changing } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import { changed, first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";

type Reads = Pick<
  WalletReads,
  | "findWalletCard"
  | "walletCardsOf"
  | "walletCardsOfTemplate"
  | "walletDevicesOf"
  | "findWalletPass"
  | "walletPassesBehind"
  | "walletCardsBehind"
  | "walletCardsOfDevice"
  | "walletDevicesOfToken"
>;
type Writes = Pick<
  WalletWrites,
  "insertWalletCard" | "updateWalletCards" | "putWalletDevice" | "deleteWalletDevice"
>;

interface CardKey {
  organizationId: string;
  passId: string;
}

const cardColumns = [
  "card.pass_id as passId",
  "card.template_id as templateId",
  "card.authentication_token as authenticationToken",
  "card.link_token as linkToken",
  "card.revision as revision",
  "card.changed_at as changedAt",
  "card.at_google_since as atGoogleSince",
  "card.revoked_at as revokedAt",
  "card.told_until as toldUntil",
  "card.installation_due_at as installationDueAt",
  "card.let_go_at as letGoAt",
  "card.created_at as createdAt",
] as const;

const deviceColumns = [
  "device.pass_id as passId",
  "device.platform as platform",
  "device.device_id as deviceId",
  "device.push_token as pushToken",
  "device.state as state",
  "device.told_revision as toldRevision",
  "device.created_at as createdAt",
  "device.updated_at as updatedAt",
] as const;

export function walletCardReads({ db, isOneOf, listParameter }: SqlDialect): Functions<Reads, Reading> {
  const cards = db.selectFrom("loyalty_wallet_cards as card").select(cardColumns);
  const devices = db.selectFrom("loyalty_wallet_devices as device").select(deviceColumns);

  const byPass = prepare((slot: Slot<CardKey>) =>
    cards
      .where("card.organization_id", "=", slot("organizationId"))
      .where("card.pass_id", "=", slot("passId")),
  );

  const byPasses = prepare((slot: Slot<{ organizationId: string; passIds: unknown }>) =>
    cards
      .where("card.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("card.pass_id"), slot("passIds")))
      .orderBy("card.pass_id"),
  );

  const behind = (slot: Slot<{ organizationId: string; after: string; limit: number }>) =>
    cards
      .where("card.organization_id", "=", slot("organizationId"))
      .where("card.pass_id", ">", slot("after"))
      .where("card.revoked_at", "is", null)
      .orderBy("card.pass_id")
      .limit(slot("limit"));

  const ofAll = prepare(behind);

  const ofTemplate = prepare(
    (slot: Slot<{ organizationId: string; after: string; limit: number; templateId: string }>) =>
      behind(slot).where("card.template_id", "=", slot("templateId")),
  );

  const ofPasses = prepare((slot: Slot<{ organizationId: string; passIds: unknown }>) =>
    devices
      .where("device.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("device.pass_id"), slot("passIds")))
      .orderBy("device.pass_id")
      .orderBy("device.platform")
      .orderBy("device.device_id"),
  );

  const anywhere = prepare((slot: Slot<{ passId: string }>) =>
    cards
      .select("card.organization_id as organizationId")
      .where("card.pass_id", "=", slot("passId"))
      .limit(1),
  );

  const everyBehind = (slot: Slot<{ after: string; limit: number }>) =>
    cards
      .select("card.organization_id as organizationId")
      .where("card.pass_id", ">", slot("after"))
      .orderBy("card.pass_id")
      .limit(slot("limit"));

  const anyBehind = prepare(everyBehind);

  const anywhereBehind = prepare((slot: Slot<{ after: string; limit: number }>) =>
    everyBehind(slot).where("card.revoked_at", "is", null),
  );

  const ofDevice = prepare((slot: Slot<{ platform: WalletPlatform; deviceId: string; limit: number }>) =>
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

  const ofToken = prepare((slot: Slot<{ platform: WalletPlatform; pushToken: string; limit: number }>) =>
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

  return {
    findWalletCard: called({ locks: "wallet queue" }, ({ session }, organizationId, passId) =>
      first(session, byPass({ organizationId, passId })),
    ),

    walletCardsOf: called({ locks: "wallet queue" }, ({ session }, organizationId, passIds) =>
      session.all(byPasses({ organizationId, passIds: listParameter(passIds) })),
    ),

    walletCardsOfTemplate: called(
      { locks: "wallet queue" },
      ({ session }, organizationId, templateId, after, limit) =>
        session.all(
          templateId === null
            ? ofAll({ organizationId, after, limit })
            : ofTemplate({ organizationId, after, limit, templateId }),
        ),
    ),

    walletDevicesOf: called({ locks: "wallet queue" }, ({ session }, organizationId, passIds) =>
      session.all(ofPasses({ organizationId, passIds: listParameter(passIds) })),
    ),

    findWalletPass: called({ locks: "none" }, function* ({ session }, passId) {
      const row = yield* first(session, anywhere({ passId }));
      return row === null ? null : ownedCard(row);
    }),

    walletPassesBehind: called({ locks: "none" }, function* ({ session }, after, limit) {
      return (yield* session.all(anywhereBehind({ after, limit }))).map(ownedCard);
    }),

    walletCardsBehind: called({ locks: "none" }, function* ({ session }, after, limit) {
      return (yield* session.all(anyBehind({ after, limit }))).map(ownedCard);
    }),

    walletCardsOfDevice: called({ locks: "none" }, function* ({ session }, platform, deviceId, limit) {
      return (yield* session.all(ofDevice({ platform, deviceId, limit }))).map(ownedCard);
    }),

    walletDevicesOfToken: called({ locks: "none" }, function* ({ session }, platform, pushToken, limit) {
      return (yield* session.all(ofToken({ platform, pushToken, limit }))).map(
        ({ organizationId, ...device }) => ({
          organizationId,
          device,
        }),
      );
    }),
  };
}

export function walletCardWrites({ db }: SqlDialect): Functions<Writes, Changing> {
  const insert = prepare((slot: Slot<StoredWalletCard & { organizationId: string }>) =>
    db.insertInto("loyalty_wallet_cards").values({
      organization_id: slot("organizationId"),
      pass_id: slot("passId"),
      template_id: slot("templateId"),
      created_at: slot("createdAt"),
      ...changingColumns(slot),
    }),
  );

  const update = prepare((slot: Slot<StoredWalletCard & { organizationId: string }>) =>
    db
      .updateTable("loyalty_wallet_cards")
      .set(changingColumns(slot))
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId")),
  );

  const put = prepare((slot: Slot<StoredWalletDevice & { organizationId: string }>) =>
    db
      .insertInto("loyalty_wallet_devices")
      .values({
        organization_id: slot("organizationId"),
        pass_id: slot("passId"),
        platform: slot("platform"),
        device_id: slot("deviceId"),
        created_at: slot("createdAt"),
        ...deviceState(slot),
      })
      .onConflict((conflict) =>
        conflict
          .columns(["organization_id", "pass_id", "platform", "device_id"])
          .doUpdateSet(deviceState(slot)),
      ),
  );

  const remove = prepare((slot: Slot<CardKey & { platform: WalletPlatform; deviceId: string }>) =>
    db
      .deleteFrom("loyalty_wallet_devices")
      .where("organization_id", "=", slot("organizationId"))
      .where("pass_id", "=", slot("passId"))
      .where("platform", "=", slot("platform"))
      .where("device_id", "=", slot("deviceId")),
  );

  return {
    *insertWalletCard({ session, pending }, organizationId, card) {
      yield* session.change(insert({ organizationId, ...card }));
      yield* pending.count(organizationId, {});
    },

    updateWalletCards: called({ locks: "wallet queue" }, function* ({ session }, organizationId, cards) {
      yield* session.changeEach(cards.map((card) => update({ organizationId, ...card })));
    }),

    putWalletDevice: called({ locks: "wallet queue" }, function* ({ session }, organizationId, device) {
      yield* session.change(put({ organizationId, ...device }));
    }),

    deleteWalletDevice: called(
      { locks: "wallet queue" },
      ({ session }, organizationId, { passId, platform, deviceId }) =>
        changed(session, remove({ organizationId, passId, platform, deviceId })),
    ),
  };
}

function changingColumns(slot: Slot<StoredWalletCard>) {
  return {
    authentication_token: slot("authenticationToken"),
    link_token: slot("linkToken"),
    revision: slot("revision"),
    changed_at: slot("changedAt"),
    at_google_since: slot("atGoogleSince"),
    revoked_at: slot("revokedAt"),
    told_until: slot("toldUntil"),
    installation_due_at: slot("installationDueAt"),
    let_go_at: slot("letGoAt"),
  };
}

function deviceState(slot: Slot<StoredWalletDevice>) {
  return {
    push_token: slot("pushToken"),
    state: slot("state"),
    told_revision: slot("toldRevision"),
    updated_at: slot("updatedAt"),
  };
}

function ownedCard({ organizationId, ...card }: StoredWalletCard & { readonly organizationId: string }) {
  return { organizationId, card };
}
