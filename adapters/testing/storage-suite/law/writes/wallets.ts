import {
  pictureRecord,
  type StoredWalletCard,
  walletCardRecord,
  walletDeviceRecord,
} from "../../../../../src/storage/wallets.js";
import { hashToken, somePicture, someWalletCard, someWalletDevice } from "../../kit/records.js";
import type { World } from "../world.js";
import type { Write, WriteName } from "./choosing.js";
import { aCard, lockedQueue, platforms, readCards } from "./jobs.js";

/** An organization that has no queue. */
const WITHOUT_QUEUE = "initech";

function createCardFields(world: World): Partial<StoredWalletCard> {
  const messageId = world.orNull(world.one(world.messages).id);
  return { ...world.fieldsOf(walletCardRecord), messageId, notificationTimes: world.some([0, 3, 9], 3) };
}

export const walletWrites = {
  *insertWalletQueue(tx, id, world) {
    yield* tx.insertWalletQueue(`${id} ${world.name()}`, { position: 0, revision: 0, sweeps: [] });
  },
  lockWalletQueue: (tx, id, world) => tx.lockWalletQueue(id, world.rarely(2)),
  *updateWalletQueue(tx, of, world) {
    const id = world.rarely(4) ? WITHOUT_QUEUE : of;
    yield* tx.lockWalletQueue(id, true);
    const sweep = { templateId: world.orNull(world.one(world.templates).id), after: world.text() };
    yield* tx.updateWalletQueue(id, {
      position: world.below(6),
      revision: world.below(5),
      sweeps: world.rarely(2) ? [] : [sweep],
    });
  },
  *insertWalletCard(tx, id, world) {
    yield* lockedQueue(tx, id);
    const templateId = world.one(world.templates).id;
    const card = someWalletCard({ ...createCardFields(world), passId: world.id(), templateId });
    yield* tx.insertWalletCard(id, world.keep(world.cards, card));
  },
  *updateWalletCards(tx, id, world) {
    yield* lockedQueue(tx, id);
    const cards = new Map(world.some(world.cards, 3).map((card) => [card.passId, card]));
    const changedCards = [...cards.values()].map((card) => ({ ...card, ...createCardFields(world) }));
    yield* tx.updateWalletCards(id, changedCards);
  },
  *deleteWalletCard(tx, id, world) {
    yield* lockedQueue(tx, id);
    yield* tx.deleteWalletCard(id, world.one(world.cards).passId);
  },
  *putWalletDevice(tx, id, world) {
    yield* lockedQueue(tx, id);
    const card = yield* aCard(tx, id, world);
    if (card === null) return;
    const device = someWalletDevice(card, {
      ...world.fieldsOf(walletDeviceRecord),
      platform: world.one(platforms),
      deviceId: world.one(["one", "one", "two"]),
      pushToken: world.one(["push", "push", "pull", null]),
      state: world.one(["registered", "registered", "gone", "token_dead"] as const),
    });
    yield* tx.putWalletDevice(id, world.keep(world.devices, device));
  },
  *deleteWalletDevice(tx, id, world) {
    yield* lockedQueue(tx, id);
    yield* tx.deleteWalletDevice(id, world.one(world.devices));
  },
  *recordNotified(tx, id, world) {
    yield* lockedQueue(tx, id);
    const cards = yield* readCards(tx, id, world);
    const devices = yield* tx.walletDevicesOf(
      id,
      cards.map(({ passId }) => passId),
    );
    const outcomes = cards.map(({ passId }) => ({
      passId,
      revision: world.below(5),
      deviceIds: world.some([...devices.map(({ deviceId }) => deviceId), "none"], 3),
      nextAttemptAt: null,
    }));
    yield* tx.recordNotified(id, world.one(platforms), outcomes);
  },
  putPicture: (tx, id, world) => {
    const picture = world.rarely(2)
      ? world.one(world.pictures)
      : somePicture({ ...world.fieldsOf(pictureRecord), hash: hashToken(world.id()) });
    return tx.putPicture(id, world.keep(world.pictures, picture));
  },
  deletePicture: (tx, id, world) => tx.deletePicture(id, world.one(world.pictures).hash),
} satisfies Partial<Record<WriteName, Write>>;
