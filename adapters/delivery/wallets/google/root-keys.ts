import { finishesWithin } from "../../../../src/base/concurrency/timeout.js";
import type { Clock } from "../../../../src/index.js";
import { toFields, tryParseJson } from "../json.js";
import { SingleFlight } from "../single-flight.js";
import { parseSigningKey, type SigningKey } from "./signed-message.js";

/** Intervals after which keys are fetched again, in milliseconds: one after a success, the other after a failure. */
const KEPT_MS = 3_600_000;
const AGAIN_MS = 10_000;

const TIMEOUT_MS = 10_000;

/** How long callers wait for newer keys if there are valid ones, in milliseconds. */
const PATIENCE_MS = 500;

const MAX_KEYS = 20;
const MAX_LENGTH = 65_536;

/**
 * Fetches and caches Google's public root keys for a protocol version. Limits how often it fetches keys, no matter how many
 * messages arrive.
 */
export class RootKeys {
  private keys: readonly SigningKey[] = [];
  private nextFetchAt = Number.NEGATIVE_INFINITY;
  private readonly fetches = new SingleFlight<void>();

  constructor(
    private readonly url: string,
    private readonly protocolVersion: string,
    private readonly clock: Clock,
  ) {}

  /** Returns the keys that haven't expired, fetching newer keys if necessary. Returns an empty array if there are none. */
  async current(): Promise<readonly SigningKey[]> {
    if (this.clock() >= this.nextFetchAt) {
      const fetching = this.fetches.run("", () => this.refresh());
      // Valid keys stay in use while newer ones are being fetched.
      if (this.good().length === 0) await fetching;
      else await finishesWithin(PATIENCE_MS, fetching);
    }
    return this.good();
  }

  private good(): readonly SigningKey[] {
    return this.keys.filter(({ expiresAt }) => expiresAt > this.clock());
  }

  private async refresh(): Promise<void> {
    const keys = await this.fetch();
    if (keys.length > 0) this.keys = keys;
    this.nextFetchAt = this.clock() + (keys.length > 0 ? KEPT_MS : AGAIN_MS);
  }

  private async fetch(): Promise<SigningKey[]> {
    try {
      const response = await fetch(this.url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
      const text = await response.text();
      if (!response.ok || text.length > MAX_LENGTH) return [];
      const { keys } = toFields(tryParseJson(text));
      if (!Array.isArray(keys)) return [];
      return keys
        .slice(0, MAX_KEYS)
        .filter((key) => toFields(key).protocolVersion === this.protocolVersion)
        .flatMap((key) => parseSigningKey(key) ?? []);
    } catch {
      return [];
    }
  }
}
