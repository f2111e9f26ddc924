import { validationFailed } from "../base/errors.js";
import { findPlaceholderNames } from "../base/values/placeholders.js";
import type { StoredMessage } from "../storage/messages.js";
import { computeMessageEnd, MAX_SEND_WINDOW_MS, MAX_SHOW_WINDOW_MS } from "./message-times.js";

/** Validation error messages, keyed by field path. */
export type FieldErrors = Readonly<Record<string, string>>;

/** Throws `validation_failed` with the given errors. Does nothing if there are none. */
export function assertNoErrors(errors: FieldErrors): void {
  if (Object.keys(errors).length > 0) throw validationFailed(errors);
}

const textParts = ["wallet", "subject", "text"] as const;

/** The parts of a text that each channel needs. */
const partsByChannel = { email: ["subject", "text"], wallet: ["wallet"] } as const;

/** Returns validation errors for invalid combinations of a draft's fields. Doesn't check the times. */
export function findDraftErrors({
  channels,
  templateId,
  texts,
}: Pick<StoredMessage, "channels" | "templateId" | "texts">): FieldErrors {
  if (templateId !== null) return {};
  const errors: Record<string, string> = {};
  if (channels.includes("wallet")) errors.templateId = "is required for wallet";
  for (const [index, text] of texts.entries()) {
    for (const part of textParts) {
      const name = findPlaceholderNames(text[part] ?? "").find((placeholder) => placeholder !== "name");
      if (name !== undefined) errors[`texts.${index}.${part}`] = `can't have {${name}} without a templateId`;
    }
  }
  return errors;
}

type MessageTimes = Pick<StoredMessage, "channels" | "sendAt" | "expiresAt" | "showUntil">;

/** Returns validation errors for the times in a message that is about to be sent or scheduled. */
export function findTimeErrors(message: MessageTimes, now: number): FieldErrors {
  const { channels, sendAt, expiresAt, showUntil } = message;
  const begin = Math.max(sendAt ?? now, now);
  const end = computeMessageEnd(message, now);
  const errors: Record<string, string> = {};
  if (end <= begin) {
    errors.expiresAt = sendAt !== null && sendAt > now ? "must be after sendAt" : "must be in the future";
  } else if (expiresAt !== null && expiresAt > begin + MAX_SEND_WINDOW_MS) {
    errors.expiresAt = "must be at most 30 days after sendAt";
  }
  if (showUntil !== null && channels.includes("wallet")) {
    if (showUntil < end) errors.showUntil = "must not be before expiresAt";
    else if (showUntil > begin + MAX_SHOW_WINDOW_MS)
      errors.showUntil = "must be at most 30 days after sendAt";
  }
  return errors;
}

/** Returns a validation error for each missing text field that one of the message's channels requires. */
export function findMissingTexts({
  channels,
  texts,
}: Pick<StoredMessage, "channels" | "texts">): FieldErrors {
  const errors: Record<string, string> = {};
  for (const [index, text] of texts.entries()) {
    for (const channel of channels) {
      for (const part of partsByChannel[channel])
        if (text[part] === null) errors[`texts.${index}.${part}`] = `is required for ${channel}`;
    }
  }
  return errors;
}
