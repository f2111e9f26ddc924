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

/** An organization that has no queue. */
const WITHOUT_QUEUE = "initech";

const someQueue = (world: World) => ({ testTimes: world.some([0, 4, 9], 3), createdAt: world.time() });

function createMessageFields(world: World): Partial<StoredMessage> {
  const { users } = world;
  return {
    ...world.fieldsOf(messageRecord),
    channels: world.some(messageChannels, 2),
    texts: world.some(texts, 3),
    audience: JSON.stringify({ userIds: world.some(users, 3).map(({ id }) => id) }),
  };
}

export const aMessage = (tx: StorageTransaction, id: string, world: World) =>
  chooseRow(world, world.messages, (message) => tx.findMessage(id, message.id));

export const messageWrites = {
  *insertMessage(tx, id, world) {
    const message = someMessage({ ...createMessageFields(world), id: world.id() });
    yield* tx.insertMessage(id, world.keep(world.messages, message));
  },
  *updateMessage(tx, id, world) {
    const message = { ...world.one(world.messages), ...createMessageFields(world) };
    yield* tx.updateMessage(id, world.keep(world.messages, message));
  },
  *updateMessageProgress(tx, id, world) {
    const message = yield* aMessage(tx, id, world);
    if (message === null) return;
    yield* tx.updateMessageProgress(id, { ...message, ...createMessageFields(world) });
    const after = yield* tx.findMessage(id, message.id);
    if (after !== null) world.keep(world.messages, after);
  },
  deleteMessage: (tx, id, world) => tx.deleteMessage(id, world.one(world.messages).id),
  insertMessageQueue: (tx, id, world) => tx.insertMessageQueue(`${id} ${world.name()}`, someQueue(world)),
  updateMessageQueue: (tx, of, world) =>
    tx.updateMessageQueue(world.rarely(4) ? WITHOUT_QUEUE : of, someQueue(world)),
  *putMessageAudience(tx, id, world) {
    const message = yield* aMessage(tx, id, world);
    if (message === null) return;
    yield* tx.removeMessageAudience(id, message.id);
    yield* tx.putMessageAudience(id, message.id, Bitmap.of(world.some(ordinals, 6)));
  },
  removeMessageAudience: (tx, id, world) => tx.removeMessageAudience(id, world.one(world.messages).id),
} satisfies Partial<Record<WriteName, Write>>;
