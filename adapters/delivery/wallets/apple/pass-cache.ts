import { createHash } from "node:crypto";
import { FairSemaphore } from "../../../../src/base/concurrency/fair-semaphore.js";
import { unavailable } from "../../../../src/base/errors.js";
import type { Clock } from "../../../../src/index.js";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import { LruCache } from "../picture-cache.js";
import { findExpiryProblems, findMismatches } from "./certificate-checks.js";
import { createPassPackage, type PassOptions } from "./pass-package.js";

const MAX_BYTES = 33_554_432;

/** How long a signed pass is cached at most, in milliseconds, so that a drawing that failed is missing only for this long. */
const MAX_CACHE_AGE_MS = 600_000;

/** Number of passes created concurrently, and an organization's share of the free slots. */
const MAX_CONCURRENT_SIGNINGS = 4;
const ORGANIZATION_SHARE = 0.5;

/** Maximum number of an organization's passes that wait, and how long each waits, in milliseconds. */
const MAX_WAITING = 1_000;
const MAX_WAIT_MS = 10_000;

/** Caches signed passes. All phones that download a card's pass receive the same signed copy until the card changes. */
export class PassCache {
  private readonly cache = new LruCache<Buffer<ArrayBuffer>>(MAX_BYTES, ({ byteLength }) => byteLength);
  private readonly slots = new FairSemaphore(MAX_CONCURRENT_SIGNINGS, ORGANIZATION_SHARE, {
    length: MAX_WAITING,
    patience: MAX_WAIT_MS,
    createError: () => unavailable("crowded"),
  });
  private readonly isIdentityConsistent: boolean;

  constructor(
    private readonly options: PassOptions,
    private readonly clock: Clock,
  ) {
    this.isIdentityConsistent = findMismatches(options.identity).length === 0;
  }

  /**
   * Returns whether phones would accept a pass signed now, which requires that the certificates match the key and are currently
   * valid.
   */
  canSign(): boolean {
    const findings = findExpiryProblems(this.options.identity, this.clock());
    return this.isIdentityConsistent && findings.every(({ severity }) => severity !== "error");
  }

  /**
   * Returns the signed pass for a card, from the cache if possible.
   * @throws {LoyaltyError} `storage_unavailable` if too many passes or drawings are already queued for the card's organization.
   */
  async getOrSign(issuedCard: IssuedCard): Promise<Buffer<ArrayBuffer>> {
    const now = this.clock();
    const { passId, authenticationToken } = issuedCard.card;
    // Only these fields of the card's row affect the pass. Others, such as the delivery that waits for it, don't.
    const visibleCard = { ...issuedCard, card: { passId, authenticationToken } };
    const state = createHash("sha256").update(JSON.stringify(visibleCard)).digest("base64url");
    const sign = () =>
      this.slots.run(issuedCard.organizationId, () =>
        createPassPackage(issuedCard, this.options, this.clock()),
      );
    const signedPass = await this.cache.get(`${Math.floor(now / MAX_CACHE_AGE_MS)} ${state}`, sign);
    return signedPass ?? sign();
  }
}
