import {
  pictureRecord,
  type StoredWalletCard,
  walletCardRecord,
  walletDeviceRecord,
  walletJobs,
} from "../../../../../src/storage/wallets.js";
import { hashToken, somePicture, someWalletCard, someWalletDevice } from "../../kit/records.js";
import type { World } from "../world.js";
import type { Write, WriteName } from "./choosing.js";
import { aCard, lockOrInsertQueue, platforms, readCards } from "./jobs.js";

function createCardFields(world: World): Partial<StoredWalletCard> {
  const messageId = world.orNull(world.one(world.messages).id);
  return { ...world.fieldsOf(walletCardRecord), messageId, notificationTimes: world.some([0, 3, 9], 3) };
}

export const walletWrites = {
  *insertWalletCard(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    const templateId = world.one(world.templates).id;
    const card = someWalletCard({ ...createCardFields(world), passId: world.id(), templateId });
    yield* tx.insertWalletCard(world.keep(world.cards, card));
  },
  *updateWalletCards(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    const cards = new Map(world.some(world.cards, 3).map((card) => [card.passId, card]));
    const changedCards = [...cards.values()].map((card) => ({ ...card, ...createCardFields(world) }));
    yield* tx.updateWalletCards(changedCards);
  },
  *deleteWalletCard(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    yield* tx.deleteWalletCard(world.one(world.cards).passId);
  },
  *putWalletDevice(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    const card = yield* aCard(tx, world);
    if (card === null) return;
    const device = someWalletDevice(card, {
      ...world.fieldsOf(walletDeviceRecord),
      platform: world.one(platforms),
      deviceId: world.one(["one", "one", "two"]),
      pushToken: world.one(["push", "push", "pull", null]),
      state: world.one(["registered", "registered", "gone", "token_dead"] as const),
    });
    yield* tx.putWalletDevice(world.keep(world.devices, device));
  },
  *deleteWalletDevice(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    yield* tx.deleteWalletDevice(world.one(world.devices));
  },
  *recordNotified(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    const cards = yield* readCards(tx, world);
    const devices = yield* tx.walletDevicesOf(cards.map(({ passId }) => passId));
    const outcomes = cards.map(({ passId }) => ({
      passId,
      revision: world.below(5),
      deviceIds: world.some([...devices.map(({ deviceId }) => deviceId), "none"], 3),
      nextAttemptAt: null,
    }));
    yield* tx.recordNotified(world.one(platforms), outcomes);
  },
  putPicture: (tx, world) => {
    const picture = world.rarely(2)
      ? world.one(world.pictures)
      : somePicture({ ...world.fieldsOf(pictureRecord), hash: hashToken(world.id()) });
    return tx.putPicture(world.keep(world.pictures, picture));
  },
  deletePicture: (tx, world) => tx.deletePicture(world.one(world.pictures).hash),
} satisfies Partial<Record<WriteName, Write>>;
