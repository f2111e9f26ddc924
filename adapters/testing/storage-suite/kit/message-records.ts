import {
  messageRecord,
  type NewMessageJob,
  type StoredMessage,
  type StoredMessageText,
} from "../../../../src/storage/messages.js";
import { sample } from "./records.js";

/** Builds a draft message. */
export function someMessage(fields: Partial<StoredMessage> = {}): StoredMessage {
  return sample(messageRecord, "msg", fields);
}

export function someMessageText(fields: Partial<StoredMessageText> = {}): StoredMessageText {
  return { language: "en", wallet: "Hello", subject: "Hello", text: "Hello {name}", ...fields };
}

export function someMessageJob(
  { id: messageId, createdAt }: StoredMessage,
  fields: Partial<NewMessageJob> = {},
): NewMessageJob {
  return { messageId, lane: "message", revision: 1, nextAttemptAt: 1, createdAt, ...fields };
}
