import type { Step } from "../base/concurrency/step.js";
import type { Change } from "../kernel/tenant.js";
import { zoneOf } from "../settings/schema.js";
import type { StoredMessageSettings } from "../storage/mail.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { computeQuietEnd, getQuietHours } from "./message-times.js";
import { defaultMessageSettings } from "./settings-schema.js";

export interface MessageContext extends Change {
  readonly now: number;
}

/** How long a message waits for capacity or for a reply before it is checked again, in milliseconds. */
export const RECHECK_DELAY_MS = 1_000;

export type SendingSettings = Omit<StoredMessageSettings, "updatedAt">;

/**
 * Reads an organization's message settings and computes when the current quiet hours end. Outside quiet hours, `quietUntil` is
 * `now`.
 */
export function* readSendingSettings(
  reader: StorageReader,
  now: number,
): Step<{ readonly settings: SendingSettings; readonly quietUntil: number }> {
  const settings = (yield* reader.findMessageSettings()) ?? defaultMessageSettings;
  const hours = getQuietHours(settings);
  if (hours === null) return { settings, quietUntil: now };
  const zone = zoneOf(yield* reader.findSettings());
  return { settings, quietUntil: computeQuietEnd(hours, zone, now) };
}
