import { DAY_MS } from "../base/values/clock.js";
import type { StoredMessage } from "../storage/messages.js";

/** Maximum time from a message's start until sending ends, in milliseconds. */
export const MAX_SEND_WINDOW_MS = 30 * DAY_MS;
/** Maximum time from a message's start until cards stop showing it, in milliseconds. */
export const MAX_SHOW_WINDOW_MS = 30 * DAY_MS;

const OPEN = DAY_MS;
const DISPLAY_MS = 7 * DAY_MS;

/** Returns when sending ends for a message that starts at its scheduled time, or now if it has none. */
export function computeMessageEnd(
  { sendAt, expiresAt }: Pick<StoredMessage, "sendAt" | "expiresAt">,
  now: number,
): number {
  return expiresAt ?? (sendAt ?? now) + OPEN;
}

/**
 * Returns when cards stop showing a message, or `null` if the message isn't sent to wallets.
 * @param endsAt when sending ends.
 * @param startedAt when the message started.
 */
export function computeShownUntil(
  { channels, showUntil }: Pick<StoredMessage, "channels" | "showUntil">,
  endsAt: number,
  startedAt: number,
): number | null {
  if (!channels.includes("wallet")) return null;
  return showUntil ?? Math.max(startedAt + DISPLAY_MS, endsAt);
}
