import { offsetIn } from "../base/values/calendar-days.js";
import { DAY_MS, MINUTE_MS } from "../base/values/clock.js";
import type { StoredMessageSettings } from "../storage/mail.js";
import type { StoredMessage } from "../storage/messages.js";

/** Maximum time from a message's start until sending ends, in milliseconds. */
export const MAX_SEND_WINDOW_MS = 30 * DAY_MS;
/** Maximum time from a message's start until cards stop showing it, in milliseconds. */
export const MAX_SHOW_WINDOW_MS = 30 * DAY_MS;

const DEFAULT_SEND_WINDOW_MS = DAY_MS;
const DEFAULT_SHOW_WINDOW_MS = 7 * DAY_MS;

/** Returns when sending ends for a message that starts at its scheduled time, or now if it has none. */
export function computeMessageEnd(
  { sendAt, expiresAt }: Pick<StoredMessage, "sendAt" | "expiresAt">,
  now: number,
): number {
  return expiresAt ?? (sendAt ?? now) + DEFAULT_SEND_WINDOW_MS;
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
  return showUntil ?? Math.max(startedAt + DEFAULT_SHOW_WINDOW_MS, endsAt);
}

/**
 * The start and end of quiet hours, as times of day in the form `HH:MM`. If `from` is later than `to`, the quiet hours span
 * midnight.
 */
export interface QuietHours {
  readonly from: string;
  readonly to: string;
}

export function getQuietHours(
  settings: Pick<StoredMessageSettings, "quietFrom" | "quietTo"> | null,
): QuietHours | null {
  const { quietFrom: from = null, quietTo: to = null } = settings ?? {};
  return from === null || to === null ? null : { from, to };
}

/**
 * Returns `at` if it is outside quiet hours in the given time zone, or else the time when those quiet hours end. If a clock change
 * skips the end of quiet hours, they end at the change. If an hour occurs twice, both occurrences are quiet.
 */
export function computeQuietEnd(hours: QuietHours | null, timeZone: string, at: number): number {
  if (hours === null) return at;
  const from = parseTimeOfDay(hours.from);
  const to = parseTimeOfDay(hours.to);
  let time = at;
  // The loop ends because clocks change at most a few times within one night.
  for (;;) {
    const offset = offsetIn(timeZone, time);
    const localTime = computeRemainder(time + offset, DAY_MS);
    if (!isBetween(from, to, localTime)) return time;
    const end = time + computeRemainder(to - localTime, DAY_MS);
    if (offsetIn(timeZone, end) === offset) return end;
    time = findOffsetChange(timeZone, offset, time, end);
  }
}

function isBetween(from: number, to: number, time: number): boolean {
  return from < to ? from <= time && time < to : from <= time || time < to;
}

/** Finds the first instant after `before` whose UTC offset differs from `offset`, given that the offset differs at `after`. */
function findOffsetChange(timeZone: string, offset: number, before: number, after: number): number {
  let [lower, upper] = [before, after];
  while (upper - lower > 1) {
    const middle = Math.floor((lower + upper) / 2);
    if (offsetIn(timeZone, middle) === offset) lower = middle;
    else upper = middle;
  }
  return upper;
}

function parseTimeOfDay(text: string): number {
  const [hours = "", minutes = ""] = text.split(":");
  return (Number(hours) * 60 + Number(minutes)) * MINUTE_MS;
}

function computeRemainder(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
