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
    ...world.fieldsOf(messageRecord),
    channels: world.some(messageChannels, 2),
    texts: world.some(texts, 3),
    audience: JSON.stringify({ userIds: world.some(users, 3).map(({ id }) => id) }),
  };
}

export const aMessage = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.messages, (message) => tx.findMessage(message.id));

export const messageWrites = {
  *insertMessage(tx, world) {
    const message = someMessage({ ...createMessageFields(world), id: world.id() });
    yield* tx.insertMessage(world.keep(world.messages, message));
  },
  *updateMessage(tx, world) {
    const message = { ...world.one(world.messages), ...createMessageFields(world) };
    yield* tx.updateMessage(world.keep(world.messages, message));
  },
  *updateMessageProgress(tx, world) {
    const message = yield* aMessage(tx, world);
    if (message === null) return;
    yield* tx.updateMessageProgress({ ...message, ...createMessageFields(world) });
    const after = yield* tx.findMessage(message.id);
    if (after !== null) world.keep(world.messages, after);
  },
  deleteMessage: (tx, world) => tx.deleteMessage(world.one(world.messages).id),
  *putMessageAudience(tx, world) {
    const message = yield* aMessage(tx, world);
    if (message === null) return;
    yield* tx.removeMessageAudience(message.id);
    yield* tx.putMessageAudience(message.id, Bitmap.of(world.some(ordinals, 6)));
  },
  removeMessageAudience: (tx, world) => tx.removeMessageAudience(world.one(world.messages).id),
} satisfies Partial<Record<WriteName, Write>>;
