import {
  messageDeliveryRecord,
  messageSettingsRecord,
  type StoredMessageDelivery,
} from "../../../../../src/storage/mail.js";
import { subscriptionRecord } from "../../../../../src/storage/subscriptions.js";
import {
  someMessageAttempt,
  someMessageDelivery,
  someMessageSettings,
  someSubscription,
} from "../../kit/mail-records.js";
import { scene } from "../../kit/scene.js";
import type { World } from "../world.js";
import { pickUser, type Write, type WriteName } from "./choosing.js";

const attempts = [
  someMessageAttempt(),
  someMessageAttempt({ at: 9, code: null, answer: null }),
  someMessageAttempt({ answer: 'é😀"\\' }),
];

function createDeliveryFields(world: World): Partial<StoredMessageDelivery> {
  return { ...world.createFields(messageDeliveryRecord), attempts: world.pickSome(attempts, 3) };
}

export const mailWrites = {
  *putSubscription(tx, world) {
    const user = yield* pickUser(tx, world);
    if (user === null) return;
    yield* tx.putSubscription(someSubscription(user, world.createFields(subscriptionRecord)));
  },
  putMessageSettings: (tx, world) =>
    tx.putMessageSettings(someMessageSettings(world.createFields(messageSettingsRecord))),
  *insertMessageDeliveries(tx, world, id) {
    const newDeliveries = Array.from({ length: world.randomBelow(4) }, () =>
      someMessageDelivery({
        ...createDeliveryFields(world),
        ...(world.oneIn(2) && { kind: "message", messageId: world.pickOne(world.messages).id }),
        id: world.id(),
        userId: world.pickOne(world.users).id,
        passId: world.orNull(world.pickOne(world.passes).id),
      }),
    );
    const isSceneDelivery = ({ messageId, userId }: StoredMessageDelivery) =>
      messageId === scene.messageDelivery.messageId && userId === scene.messageDelivery.userId;
    const deliveries = newDeliveries.filter(
      (each) => each.kind !== "message" || (!isSceneDelivery(each) && world.isNewInMessage(id, each)),
    );
    for (const delivery of deliveries) world.track(world.messageDeliveries, delivery);
    yield* tx.insertMessageDeliveries(deliveries);
  },
  *updateMessageDeliveries(tx, world) {
    const existing = new Map(
      world.pickSome(world.messageDeliveries, 3).map((delivery) => [delivery.id, delivery]),
    );
    const changedDeliveries = [...existing.values()].map((delivery) => ({
      ...delivery,
      ...createDeliveryFields(world),
    }));
    yield* tx.updateMessageDeliveries(changedDeliveries);
  },
  removeMessageDeliveries: (tx, world) =>
    tx.removeMessageDeliveries(
      world.oneIn(2)
        ? { userId: world.pickOne(world.users).id }
        : { before: world.time(), limit: world.pickOne([1, 2, 100]) },
    ),
} satisfies Partial<Record<WriteName, Write>>;
