import type { Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound } from "../base/errors.js";
import { isStorable } from "../base/values/text.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/**
 * Finds a message in any status by its ID.
 * @throws {LoyaltyError} `resource_not_found` if there is no such message.
 */
export function* findMessage(reader: StorageReader, organizationId: string, id: string): Step<StoredMessage> {
  const message = isStorable(id) ? yield* reader.findMessage(id) : null;
  if (message === null) throw notFound("message", id, organizationId);
  return message;
}

/** Throws `message_not_draft` unless the message is a draft. */
export function requireDraft({ status }: Pick<StoredMessage, "status">): void {
  if (status !== "DRAFT") throw createLoyaltyError("message_not_draft");
}

/** Throws `message_not_draft` if the message has already started or ended. */
export function requireNotStarted({ status }: Pick<StoredMessage, "status">): void {
  if (status !== "DRAFT" && status !== "SCHEDULED") throw createLoyaltyError("message_not_draft");
}

/** Throws `resource_not_found` if a template is specified but doesn't exist. */
export function* requireTemplate(
  reader: StorageReader,
  organizationId: string,
  templateId: string | null,
): Step<void> {
  if (templateId !== null && (yield* reader.findTemplate(templateId)) === null)
    throw notFound("template", templateId, organizationId);
}
