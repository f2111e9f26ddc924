import type { Clock } from "../../../src/index.js";
import { unseen } from "../../../src/values/unseen.js";
import { FixedWindows } from "../../http/rate-limits/fixed-windows.js";

/** How many lines of how many characters are passed on of one call, how many calls of a minute, and how many of a day. */
const MAX_LINES = 20;
const MAX_LENGTH = 500;
const limits = [
  { calls: 60, seconds: 60 },
  { calls: 1_000, seconds: 86_400 },
] as const;

/** What may be a secret, such as the tokens of passes and phones. */
const secrets = /[0-9A-Za-z_-]{20,}/g;

/** Told what phones complain of. */
export type DeviceLog = (line: string) => void;

/** Passes on what phones post to `/log`, within bounds and without tokens: anybody may post there. */
export class BoundedDeviceLog {
  private readonly windows: FixedWindows;

  constructor(
    private readonly log: DeviceLog,
    clock: Clock,
  ) {
    this.windows = new FixedWindows(clock, limits.length);
  }

  /** @param body `{ logs: [text, …] }`; anything else is left out. */
  pass(body: unknown): void {
    const isTooMuch = ({ calls, seconds }: (typeof limits)[number]) =>
      this.windows.count(`${seconds}`, seconds).requests > calls;
    // What is above the limit of a minute does not use up that of the day.
    if (limits.some(isTooMuch)) return;
    const lines: unknown = typeof body === "object" && body !== null && "logs" in body ? body.logs : null;
    if (!Array.isArray(lines)) return;
    for (const line of lines.slice(0, MAX_LINES)) {
      if (typeof line === "string") this.log(plain(line));
    }
  }
}

function plain(line: string): string {
  return line.slice(0, MAX_LENGTH).toWellFormed().replaceAll(secrets, "…").replaceAll(unseen, " ");
}
