import { createHash } from "node:crypto";
import { FairSemaphore } from "../../../src/concurrency/fair-semaphore.js";
import { unavailable } from "../../../src/errors.js";
import type { Clock } from "../../../src/index.js";
import type { IssuedCard } from "../../../src/wallets/issued-card.js";
import { LruCache } from "../lru-cache.js";
import { findExpiryProblems, findMismatches } from "./certificate-checks.js";
import { createPassPackage, type PassOptions } from "./pass-package.js";

const MAX_BYTES = 33_554_432;

/** A drawing that failed is missing for no longer than this. */
const KEPT_MS = 600_000;

/** One organization may have this share of what others leave. */
const AT_ONCE = 4;
const SHARE = 0.5;

/** An organization's passes that wait are limited, and give up after this time. */
const WAITING = 1_000;
const PATIENCE_MS = 10_000;

/** The passes that phones get: each state takes one signature, however often it is asked for. */
export class PassCache {
  private readonly memory = new LruCache<Buffer<ArrayBuffer>>(MAX_BYTES, ({ byteLength }) => byteLength);
  private readonly slots = new FairSemaphore(AT_ONCE, SHARE, {
    length: WAITING,
    patience: PATIENCE_MS,
    createError: () => unavailable("crowded"),
  });
  private readonly isFitting: boolean;

  constructor(
    private readonly options: PassOptions,
    private readonly clock: Clock,
  ) {
    this.isFitting = findMismatches(options.identity).length === 0;
  }

  /** Returns whether phones accept passes signed now: the certificates match and are valid now. */
  canSign(): boolean {
    const findings = findExpiryProblems(this.options.identity, this.clock());
    return this.isFitting && findings.every(({ severity }) => severity !== "error");
  }

  /** @throws {LoyaltyError} `storage_unavailable` if too many passes of the organization wait, or too many drawings. */
  async getOrSign(issued: IssuedCard): Promise<Buffer<ArrayBuffer>> {
    const now = this.clock();
    const { passId, authenticationToken } = issued.card;
    // The rest of the card's row is in no pass, such as which delivery waits for it.
    const shown = { ...issued, card: { passId, authenticationToken } };
    const state = createHash("sha256").update(JSON.stringify(shown)).digest("base64url");
    const make = () =>
      this.slots.run(issued.organizationId, () => createPassPackage(issued, this.options, this.clock()));
    const signed = await this.memory.get(`${Math.floor(now / KEPT_MS)} ${state}`, make);
    return signed ?? make();
  }
}
