import { Bitmap } from "../../../../../src/storage/bitmap.js";
import { messageRecord, type StoredMessage } from "../../../../../src/storage/messages.js";
import type { StorageTransaction } from "../../../../../src/storage/storage-adapter.js";
import { messageChannels } from "../../../../../src/storage/subscriptions.js";
import { someMessage, someMessageText } from "../../kit/message-records.js";
import type { World } from "../world.js";
import { chooseRow, type Write, type WriteName } from "./choosing.js";

const texts = [
  someMessageText(),
  someMessageText({ language: "de-AT", wallet: null }),
  someMessageText({ language: "el", subject: null, text: 'é😀"\\\n' }),
];

/** Ordinals in two chunks, with an empty chunk between them. */
const ordinals = [0, 1, 31, 32, 7, 15_359, 46_080, 46_111];

function createMessageFields(world: World): Partial<StoredMessage> {
  const { users } = world;
  return {
    ...world.createFields(messageRecord),
    channels: world.pickSome(messageChannels, 2),
    texts: world.pickSome(texts, 3),
    audience: JSON.stringify({ userIds: world.pickSome(users, 3).map(({ id }) => id) }),
  };
}

export const pickMessage = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.messages, (message) => tx.findMessage(message.id));

export const messageWrites = {
  *insertMessage(tx, world) {
    const message = someMessage({ ...createMessageFields(world), id: world.id() });
    yield* tx.insertMessage(world.track(world.messages, message));
  },
  *updateMessage(tx, world) {
    const message = { ...world.pickOne(world.messages), ...createMessageFields(world) };
    yield* tx.updateMessage(world.track(world.messages, message));
  },
  *updateMessageProgress(tx, world) {
    const message = yield* pickMessage(tx, world);
    if (message === null) return;
    yield* tx.updateMessageProgress({ ...message, ...createMessageFields(world) });
    const after = yield* tx.findMessage(message.id);
    if (after !== null) world.track(world.messages, after);
  },
  deleteMessage: (tx, world) => tx.deleteMessage(world.pickOne(world.messages).id),
  *putMessageAudience(tx, world) {
    const message = yield* pickMessage(tx, world);
    if (message === null) return;
    yield* tx.removeMessageAudience(message.id);
    yield* tx.putMessageAudience(message.id, Bitmap.of(world.pickSome(ordinals, 6)));
  },
  removeMessageAudience: (tx, world) => tx.removeMessageAudience(world.pickOne(world.messages).id),
} satisfies Partial<Record<WriteName, Write>>;
