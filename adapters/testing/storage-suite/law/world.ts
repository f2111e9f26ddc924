import type { StoredApiToken } from "../../../../src/storage/api-tokens.js";
import type { StoredApp, StoredGrant, StoredGrantToken } from "../../../../src/storage/apps.js";
import type { StoredAutomation, StoredAutomationRun } from "../../../../src/storage/automations.js";
import type { StoredCooldown } from "../../../../src/storage/cooldowns.js";
import type { NewEvent } from "../../../../src/storage/events.js";
import type { StoredIdempotencyRecord } from "../../../../src/storage/idempotency-records.js";
import type { Claim } from "../../../../src/storage/jobs.js";
import type { StoredMailQueue, StoredMessageDelivery } from "../../../../src/storage/mail.js";
import type { StoredMessage } from "../../../../src/storage/messages.js";
import type { StoredPass, StoredStampEntry } from "../../../../src/storage/passes.js";
import type { StoredPerson } from "../../../../src/storage/people.js";
import type { StoredPurchase, StoredPurchaseReturn } from "../../../../src/storage/purchases.js";
import type { Column, Columns, RowOf } from "../../../../src/storage/record.js";
import type { StoredSegment } from "../../../../src/storage/saved-segments.js";
import type { StoredTag } from "../../../../src/storage/tags.js";
import type { StoredTemplate } from "../../../../src/storage/templates.js";
import type { StoredUser } from "../../../../src/storage/users.js";
import type { StoredPicture, StoredWalletCard, StoredWalletDevice } from "../../../../src/storage/wallets.js";
import type { NewDelivery, StoredWebhookEndpoint } from "../../../../src/storage/webhooks.js";
import { metadataTexts } from "../kit/metadata-texts.js";
import { pseudoRandom } from "../kit/pseudo-random.js";
import { scene } from "../kit/scene.js";

/**
 * The organizations that receive random writes. Wherever the contract allows it, their rows have the same IDs and keys, so that the
 * tests catch any query that fails to filter by organization.
 */
export const organizations = ["acme", "globex"] as const;

/** Strings that are easily confused with one another. */
const texts = ["Ada", "ada", "ADA Lovelace", "é😀", "e\u0301", "50%_\\", " a\nb ", ""];

/** Number of recent rows to remember per list, so that reads and writes often meet the same row. */
const MAX_TRACKED_ROWS = 9;

/**
 * Makes the random choices for a sequence of writes, and tracks the rows that the writes have produced. The tracked rows come from
 * all organizations, and include earlier versions and removed rows. The same seed always gives the same sequence of writes.
 */
export class World {
  readonly users: StoredUser[] = [scene.ada, scene.bob];
  readonly tags: StoredTag[] = [scene.vip, scene.regular];
  readonly templates: StoredTemplate[] = [scene.coffee, scene.unused];
  readonly passes: StoredPass[] = [scene.pass];
  readonly entries: StoredStampEntry[] = [scene.entry];
  readonly purchases: StoredPurchase[] = [scene.purchase];
  readonly returns: StoredPurchaseReturn[] = [scene.purchaseReturn];
  readonly events: NewEvent[] = [scene.event];
  readonly apiTokens: StoredApiToken[] = organizations.map(scene.tokenOf);
  readonly people: StoredPerson[] = [scene.person];
  readonly answers: StoredIdempotencyRecord[] = [scene.answer];
  readonly marks: StoredCooldown[] = [scene.mark];
  readonly apps: StoredApp[] = organizations.map(scene.appOf);
  readonly grants: StoredGrant[] = organizations.map(scene.grantOf);
  readonly grantTokens: StoredGrantToken[] = organizations.flatMap((id) => [
    scene.accessOf(id),
    scene.codeOf(id),
  ]);
  readonly endpoints: StoredWebhookEndpoint[] = [scene.endpoint];
  readonly deliveries: Pick<NewDelivery, "id" | "createdAt">[] = [scene.delivered, scene.claimed, scene.due];
  readonly cards: StoredWalletCard[] = organizations.map(scene.walletCardOf);
  readonly devices: StoredWalletDevice[] = organizations.map(scene.walletDeviceOf);
  readonly pictures: StoredPicture[] = organizations.map(scene.pictureOf);
  readonly mailQueues: StoredMailQueue[] = organizations.map(scene.mailQueueOf);
  readonly messageDeliveries: StoredMessageDelivery[] = [scene.mailed, scene.mail, scene.messageDelivery];
  readonly messages: StoredMessage[] = [scene.message];
  readonly segments: StoredSegment[] = [scene.segment];
  readonly automations: StoredAutomation[] = [scene.automation];
  readonly runs: StoredAutomationRun[] = [scene.doneRun, scene.waitingRun];
  readonly #seenInMessages = new Set<string>();
  /** The most recent claim's lease, keyed by organization and by endpoint, platform, or lane. */
  readonly #leases = new Map<string, string>();
  readonly #random: (bound: number) => number;
  #nameCount = 0;

  constructor(seed: number) {
    this.#random = pseudoRandom(seed);
  }

  /** Returns a pseudo-random integer from 0 (inclusive) to `bound` (exclusive). */
  randomBelow(bound: number): number {
    return this.#random(bound);
  }

  /** Returns `true` once in every `times` calls, on average. */
  oneIn(times: number): boolean {
    return this.#random(times) === 0;
  }

  pickOne<T>(values: readonly T[]): T {
    const at = this.#random(values.length);
    for (const value of values.slice(at, at + 1)) return value;
    throw new RangeError("there is nothing to choose from");
  }

  /** Returns up to `max` randomly chosen values, possibly with duplicates. */
  pickSome<T>(values: readonly T[], max: number): T[] {
    return Array.from({ length: this.#random(max + 1) }, () => this.pickOne(values));
  }

  orNull<T>(value: T): T | null {
    return this.oneIn(3) ? null : value;
  }

  text(): string {
    return this.pickOne(texts);
  }

  /** Returns a random time from 0 to 11, inclusive. All due times and claim times are in this range. */
  time(): number {
    return this.#random(12);
  }

  /** Returns a new, unique ID. Successive IDs aren't in ascending order. */
  id(): string {
    this.#nameCount += 1;
    return `${this.#random(1_000)}-${this.#nameCount}`;
  }

  name(): string {
    this.#nameCount += 1;
    return `${this.text()}${this.#nameCount}`;
  }

  /** Returns random values for a record's columns, except for its key, its references to other rows, and its byte columns. */
  createFields<Own extends Columns>(record: {
    readonly columns: Own;
    readonly key: readonly (keyof Own)[];
  }): Partial<RowOf<{ readonly columns: Own }>>;
  createFields({ columns, key }: { readonly columns: Columns; readonly key: readonly string[] }) {
    const fillable = Object.entries(columns).filter(
      ([name, { kind, traits }]) => !key.includes(name) && traits.reference === null && kind !== "bytes",
    );
    return Object.fromEntries(fillable.map(([name, column]) => [name, this.#createValue(column)]));
  }

  #createValue({ kind, traits: { isNullable, choices } }: Column): unknown {
    if (isNullable && this.oneIn(3)) return null;
    if (choices !== null) return this.pickOne(choices);
    switch (kind) {
      case "text":
        return this.text();
      case "integer":
        return this.#random(6);
      case "time":
        return this.time();
      case "boolean":
        return this.oneIn(2);
      case "json":
        return this.pickOne(metadataTexts);
      default:
        return this.pickOne([[], ["user:read"], ["pass:read", "user:read"]]);
    }
  }

  /**
   * Records a combination of message, user, and channel, and returns whether it is new in the organization. A message can have only
   * one delivery per user and channel.
   */
  isNewInMessage(organizationId: string, { messageId, userId, channel }: StoredMessageDelivery): boolean {
    const place = JSON.stringify([organizationId, messageId, userId, channel]);
    const isNew = !this.#seenInMessages.has(place);
    this.#seenInMessages.add(place);
    return isNew;
  }

  /** Returns a claim with a new lease and a random time, expiry, and limit. */
  createClaim(): Claim {
    const now = this.time();
    return { lease: this.name(), now, until: now + 1 + this.time(), limit: this.pickOne([1, 2, 100]) };
  }

  /**
   * Stores a claim's lease so that {@link findLease} can return it.
   * @param of the endpoint ID, platform, or lane whose deliveries were claimed.
   */
  trackClaim(organizationId: string, of: string, lease: string): void {
    this.#leases.set(`${organizationId} ${of}`, lease);
  }

  /**
   * Returns the lease from the most recent claim on an endpoint, platform, or lane. Occasionally returns a different lease, so that
   * tests also record results with the wrong lease.
   */
  findLease(organizationId: string, of: string): string {
    if (this.oneIn(5)) return this.pickOne(["first", ...this.#leases.values()]);
    return this.#leases.get(`${organizationId} ${of}`) ?? "first";
  }

  /**
   * Stores a row so that later reads and writes can refer to it, and returns the row. Only the newest rows in each list are kept.
   */
  track<Row>(rows: Row[], row: Row): Row {
    rows.push(row);
    if (rows.length > MAX_TRACKED_ROWS) rows.shift();
    return row;
  }
}
