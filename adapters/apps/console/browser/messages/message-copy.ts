import type { CreateMessage, Message } from "../../../../../src/messages/schema.js";
import { report } from "../words/en/message-report.js";

/** Returns a copy of a message that can be saved as a new draft, without the send time and expiry time. */
export function buildCopy(message: Message): CreateMessage {
  const { audience, templateId, channels, order, texts, link, respectsCap } = message;
  const name = [...report.copyName(message.name)].slice(0, 150).join("");
  return { name, audience, templateId, channels, order, texts, link, respectsCap };
}
