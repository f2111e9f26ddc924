import type { Step } from "../../../concurrency/step.js";
import type { StorageTransaction } from "../../../storage/storage-adapter.js";
import { pictureRecord, walletCardRecord, walletDeviceRecord, walletJobs } from "../../../storage/wallets.js";
import {
  hashOf,
  somePicture,
  someWalletCard,
  someWalletDelivery,
  someWalletDevice,
} from "../../kit/records.js";
import type { World } from "../world.js";
import { chosen, type Write, type WriteName } from "./choosing.js";

/** This organization has no queue. */
const WITHOUT_QUEUE = "initech";

const platforms = ["apple", "apple", "google"] as const;

const aCard = (tx: StorageTransaction, id: string, world: World) =>
  chosen(world, world.cards, ({ passId }) => tx.findWalletCard(id, passId));

const cardsOf = (tx: StorageTransaction, id: string, world: World) =>
  tx.walletCardsOf(
    id,
    world.cards.map(({ passId }) => passId),
  );

/** The queue of the organization, locked; one is made where there is none. */
function* lockedQueue(tx: StorageTransaction, id: string): Step<void> {
  if ((yield* tx.lockWalletQueue(id, true)) === null) {
    yield* tx.insertWalletQueue(id, { position: 0, revision: 0, sweeps: [] });
  }
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
    const card = someWalletCard({ ...world.fieldsOf(walletCardRecord), passId: world.id(), templateId });
    yield* tx.insertWalletCard(id, world.keep(world.cards, card));
  },
  *updateWalletCards(tx, id, world) {
    yield* lockedQueue(tx, id);
    const cards = new Map(world.some(world.cards, 3).map((card) => [card.passId, card]));
    const changed = [...cards.values()].map((card) => ({ ...card, ...world.fieldsOf(walletCardRecord) }));
    yield* tx.updateWalletCards(id, changed);
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
  *putJobs(tx, id, world) {
    yield* lockedQueue(tx, id);
    const card = yield* aCard(tx, id, world);
    if (card === null) return;
    const fields = { revision: world.below(5), nextAttemptAt: world.time() };
    const told = world.one([["apple"], ["google"], ["apple", "google"], []] as const);
    const deliveries = told.map((platform) => someWalletDelivery(card, { ...fields, platform }));
    yield* tx.putJobs(id, walletJobs, deliveries);
  },
  *claimJobs(tx, id, world) {
    yield* lockedQueue(tx, id);
    const platform = world.one(platforms);
    const claim = world.newClaim();
    world.keepClaim(id, platform, claim.lease);
    yield* tx.claimJobs(id, walletJobs, platform, claim);
  },
  *settleJobs(tx, id, world) {
    yield* lockedQueue(tx, id);
    const platform = world.one(platforms);
    if (world.rarely(2)) {
      const claim = { ...world.newClaim(), now: 50, until: 60 };
      world.keepClaim(id, platform, claim.lease);
      yield* tx.claimJobs(id, walletJobs, platform, claim);
    }
    const results = [...(yield* cardsOf(tx, id, world)), someWalletCard()].map(({ passId }) => ({
      subject: passId,
      revision: world.below(5),
      nextAttemptAt: world.orNull(world.time()),
    }));
    yield* tx.settleJobs(id, walletJobs, platform, world.leaseOf(id, platform), results, world.time());
  },
  *noteTold(tx, id, world) {
    yield* lockedQueue(tx, id);
    const cards = yield* cardsOf(tx, id, world);
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
    yield* tx.noteTold(id, world.one(platforms), outcomes);
  },
  putPicture: (tx, id, world) => {
    const picture = world.rarely(2)
      ? world.one(world.pictures)
      : somePicture({ ...world.fieldsOf(pictureRecord), hash: hashOf(world.id()) });
    return tx.putPicture(id, world.keep(world.pictures, picture));
  },
  deletePicture: (tx, id, world) => tx.deletePicture(id, world.one(world.pictures).hash),
} satisfies Partial<Record<WriteName, Write>>;
