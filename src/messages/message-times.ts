import { DAY } from "../jobs/retries.js";
import type { StoredMessage } from "../storage/messages.js";

/** The longest time that a message may be sent after it begins. */
export const MAX_SEND_WINDOW_MS = 30 * DAY;
/** The longest time that cards show a message after it begins. */
export const MAX_SHOW_WINDOW_MS = 30 * DAY;

const OPEN = DAY;
const SHOWN = 7 * DAY;

/** Returns until when a message is sent that is sent now, or at its time. */
export function computeMessageEnd(
  { sendAt, expiresAt }: Pick<StoredMessage, "sendAt" | "expiresAt">,
  now: number,
): number {
  return expiresAt ?? (sendAt ?? now) + OPEN;
}

/**
 * Returns until when the cards show a message; `null` for one that is not for wallets.
 * @param endsAt until when it is sent.
 * @param startedAt when it began.
 */
export function computeShownUntil(
  { channels, showUntil }: Pick<StoredMessage, "channels" | "showUntil">,
  endsAt: number,
  startedAt: number,
): number | null {
  if (!channels.includes("wallet")) return null;
  return showUntil ?? Math.max(startedAt + SHOWN, endsAt);
}
