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
import { lockOrInsertQueue, pickCard, platforms, readCards } from "./jobs.js";

function createCardFields(world: World): Partial<StoredWalletCard> {
  const messageId = world.orNull(world.pickOne(world.messages).id);
  return {
    ...world.createFields(walletCardRecord),
    messageId,
    notificationTimes: world.pickSome([0, 3, 9], 3),
  };
}

export const walletWrites = {
  *insertWalletCard(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    const templateId = world.pickOne(world.templates).id;
    const card = someWalletCard({ ...createCardFields(world), passId: world.id(), templateId });
    yield* tx.insertWalletCard(world.track(world.cards, card));
  },
  *updateWalletCards(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    const cards = new Map(world.pickSome(world.cards, 3).map((card) => [card.passId, card]));
    const changedCards = [...cards.values()].map((card) => ({ ...card, ...createCardFields(world) }));
    yield* tx.updateWalletCards(changedCards);
  },
  *deleteWalletCard(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    yield* tx.deleteWalletCard(world.pickOne(world.cards).passId);
  },
  *putWalletDevice(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    const card = yield* pickCard(tx, world);
    if (card === null) return;
    const device = someWalletDevice(card, {
      ...world.createFields(walletDeviceRecord),
      platform: world.pickOne(platforms),
      deviceId: world.pickOne(["one", "one", "two"]),
      pushToken: world.pickOne(["push", "push", "pull", null]),
      state: world.pickOne(["registered", "registered", "gone", "token_dead"] as const),
    });
    yield* tx.putWalletDevice(world.track(world.devices, device));
  },
  *deleteWalletDevice(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    yield* tx.deleteWalletDevice(world.pickOne(world.devices));
  },
  *recordNotified(tx, world) {
    yield* lockOrInsertQueue(tx, world, walletJobs);
    const cards = yield* readCards(tx, world);
    const devices = yield* tx.walletDevicesOf(cards.map(({ passId }) => passId));
    const outcomes = cards.map(({ passId }) => ({
      passId,
      revision: world.randomBelow(5),
      deviceIds: world.pickSome([...devices.map(({ deviceId }) => deviceId), "none"], 3),
      nextAttemptAt: null,
    }));
    yield* tx.recordNotified(world.pickOne(platforms), outcomes);
  },
  putPicture: (tx, world) => {
    const picture = world.oneIn(2)
      ? world.pickOne(world.pictures)
      : somePicture({ ...world.createFields(pictureRecord), hash: hashToken(world.id()) });
    return tx.putPicture(world.track(world.pictures, picture));
  },
  deletePicture: (tx, world) => tx.deletePicture(world.pickOne(world.pictures).hash),
} satisfies Partial<Record<WriteName, Write>>;
