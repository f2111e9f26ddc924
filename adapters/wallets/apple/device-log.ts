import type { Clock } from "../../../src/index.js";

/** How many lines of how many characters are passed on of one call, and how many calls of a minute. */
const MAX_LINES = 20;
const MAX_LENGTH = 500;
const CALLS = 60;
const WINDOW_MS = 60_000;

/** What may be a secret, such as the tokens of passes and phones. */
const secrets = /[0-9A-Za-z_-]{20,}/g;

/** Told what phones complain of. */
export type DeviceLog = (line: string) => void;

/** Passes on what phones post to `/log`, within bounds and without tokens: anybody may post there. */
export class BoundedDeviceLog {
  private calls = 0;
  private since = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly log: DeviceLog,
    private readonly clock: Clock,
  ) {}

  /** @param body `{ logs: [text, …] }`; anything else is left out. */
  pass(body: unknown): void {
    const now = this.clock();
    if (now - this.since >= WINDOW_MS) {
      this.since = now;
      this.calls = 0;
    }
    this.calls += 1;
    if (this.calls > CALLS) return;
    const lines: unknown = typeof body === "object" && body !== null && "logs" in body ? body.logs : null;
    if (!Array.isArray(lines)) return;
    for (const line of lines.slice(0, MAX_LINES)) {
      if (typeof line === "string") this.log(plain(line));
    }
  }
}

function plain(line: string): string {
  return Array.from(line.slice(0, MAX_LENGTH).replaceAll(secrets, "…"), (character) =>
    character < " " || character === "\u007f" ? " " : character,
  ).join("");
}
