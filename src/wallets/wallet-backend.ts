import { createHash } from "node:crypto";
import { resolveActor } from "../access/actor-schema.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { hashRequest } from "../base/secrets/idempotency-seal.js";
import { isSameSecret } from "../base/secrets/token-format.js";
import { type Clock, timestamp } from "../base/values/clock.js";
import type { PictureDecoder } from "../base/values/picture.js";
import { isStorable } from "../base/values/text.js";
import { tryStartCooldown } from "../kernel/cooldowns.js";
import { createClaim } from "../kernel/engine.js";
import type { ErrorListener } from "../kernel/events/event-emitter.js";
import type { Outbox } from "../kernel/events/outbox.js";
import type { RowSecrets } from "../kernel/row-secrets.js";
import type { BackendParts } from "../kernel/tenant.js";
import type { CreateLinks, WalletDescription } from "../kernel/wallet-gateway.js";
import type { StorageLookUps, StorageTransaction } from "../storage/storage-adapter.js";
import {
  type OwnedWalletCard,
  type StoredPicture,
  type StoredWalletCard,
  type StoredWalletDelivery,
  type StoredWalletDevice,
  type WalletOutcome,
  type WalletPlatform,
  walletCardRecord,
  walletJobs,
} from "../storage/wallets.js";
import { CardFollower } from "./card-follower.js";
import { WalletDevices } from "./devices.js";
import { GoogleCards, GoogleNotifications } from "./google-cards.js";

import { type IssuedCard, readIssuedCard } from "./issued-card.js";
import { isRetentionOver, RevokedCards, removeForPhones, scheduleReminders } from "./revoked-cards.js";
import type { WalletCertificate } from "./schema.js";

/*
 * A device can have passes from several organizations, whose revisions are independent. Its tag therefore lists, for each
 * organization, the newest revision that the device knows.
 */

const SHORT_NAME_LENGTH = 10;

/**
 * Maximum number of organizations in a tag. A longer tag wouldn't fit into a URL, and no device has passes from more organizations.
 */
const MAX_TAG_PARTS = 200;

const REVISION_TAG = /^(?:[A-Za-z0-9_-]{10}[0-9]{1,16})(?:\.[A-Za-z0-9_-]{10}[0-9]{1,16})*$/;

const PAGE_SIZE = 200;

/** Cooldown for reports, in milliseconds. It must be longer than the day that it covers. */
const REPORT_COOLDOWN_MS = 48 * 3_600_000;

const workerActor = resolveActor({ kind: "worker", id: "wallets" });

/** Maximum number of cards read per device, which is more than any device has. */
const MAX_CARDS_PER_DEVICE = 1_000;

/** Which of a card's secrets the caller presents. */
type SecretField = "authenticationToken" | "linkToken";

/** A claimed delivery, with the data needed to send it. */
export interface WalletJob {
  readonly organizationId: string;
  readonly lease: string;
  readonly delivery: StoredWalletDelivery;
  /**
   * The devices on this platform that have the pass and haven't been sent a push for this revision yet. If the pass is revoked,
   * includes all devices on this platform that have it.
   */
  readonly devices: readonly StoredWalletDevice[];
}

/** The changed passes on a device, with a new revision tag for the device. */
export interface UpdatedPasses {
  readonly passIds: readonly string[];
  /** The revision tag that the device should send with its next request. */
  readonly tag: string;
}

/** Handles requests from wallets, and assigns wallet deliveries to workers. Used by `createWallets` from `loyalty-kit/wallets`. */
export class WalletBackend {
  readonly clock: Clock;
  readonly devices: WalletDevices;
  readonly google: GoogleCards;
  readonly notices: GoogleNotifications;
  readonly revoked: RevokedCards;
  private readonly follower: CardFollower;

  constructor(
    private readonly engine: Pick<
      BackendParts,
      "storage" | "clock" | "uuid" | "secrets" | "config" | "changes" | "queues" | "channels" | "openTenant"
    >,
    private readonly outbox: Outbox,
    readonly onError: ErrorListener,
    debounceMs: number,
  ) {
    this.clock = engine.clock;
    this.devices = new WalletDevices(engine);
    this.google = new GoogleCards(engine);
    this.notices = new GoogleNotifications(engine);
    this.revoked = new RevokedCards(engine);
    this.follower = new CardFollower(engine, debounceMs);
  }

  /**
   * Adds wallet links to passes.
   * @param linker a function that creates a pass's links, or `null` if neither platform is set up. In that case, passes have no
   *   links, and messages can't be sent to wallets.
   * @param description a function that returns the wallet setup to show to an organization. Default: none.
   * @param googleCallsPerSecond the maximum number of API calls to Google per second. Default: 20.
   * @returns a function that removes the links.
   * @throws {TypeError} if a linker is already attached.
   */
  attachLinker(
    linker: CreateLinks | null,
    description: WalletDescription | null = null,
    googleCallsPerSecond?: number,
  ): () => void {
    this.engine.channels.wallets.attach(linker, description, googleCallsPerSecond);
    return () => this.engine.channels.wallets.detach();
  }

  /**
   * Sets the decoder for design pictures, if the service has no decoder of its own.
   * @returns a function that removes the decoder.
   */
  attachDecoder(decoder: PictureDecoder): () => void {
    return this.engine.queues.pictures.attach(decoder);
  }

  /** Returns a pass's card if the secret is correct. Otherwise, returns `null`, so a caller can't tell whether the card exists. */
  open(passId: string, secret: SecretField, presentedSecret: string): Promise<IssuedCard | null> {
    return this.readIssued(passId, (card) => isSameSecret(card[secret], presentedSecret));
  }

  /** Returns a pass's card without checking a secret, for delivery workers. Returns `null` if there is no such card. */
  card(passId: string): Promise<IssuedCard | null> {
    return this.readIssued(passId, () => true);
  }

  /** Returns the ID of the organization that owns a pass's card, or `null` if the authentication token is incorrect. */
  async findOwner(passId: string, authenticationToken: string): Promise<string | null> {
    const { storage, secrets } = this.engine;
    const owned = await runStep(readOwnedCard(secrets, storage.all, passId));
    const isOwner = owned !== null && isSameSecret(owned.card.authenticationToken, authenticationToken);
    return isOwner ? owned.organizationId : null;
  }

  /**
   * Returns the passes on a device that have changed since the given revision tag was issued. If `tag` is `null`, returns all of
   * the device's passes. Returns `null` if nothing has changed or the device is unknown.
   */
  async updatedPasses(
    platform: WalletPlatform,
    deviceId: string,
    tag: string | null,
  ): Promise<UpdatedPasses | null> {
    if (!isStorable(deviceId)) return null;
    const { storage } = this.engine;
    const cards = await runStep(storage.all.walletCardsOfDevice(platform, deviceId, MAX_CARDS_PER_DEVICE));
    const update = findChangedCards(cards, parseRevisionTag(tag));
    for (const { organizationId, card } of cards) {
      const hasRevocation = card.revokedAt !== null && !update.changed.some((owned) => owned.card === card);
      if (hasRevocation) await this.revoked.onNotified(organizationId, card.passId, deviceId);
    }
    if (update.changed.length === 0) return null;
    return { passIds: update.changed.map(({ card }) => card.passId), tag: update.tag };
  }

  /**
   * Returns the design picture with the given hash, or `null` if there is none. Anyone who knows the hash is allowed to read the
   * picture.
   */
  picture(hash: string): Promise<StoredPicture | null> {
    return runStep(this.engine.storage.all.findPicture(hash));
  }

  /**
   * Records the event `wallet_certificate.expiring`, at most once a day per organization.
   * @param operator the ID of the only organization to receive the event, or `null` for all organizations that have wallet cards.
   */
  reportExpiry(certificate: WalletCertificate, operator: string | null): Promise<void> {
    return this.engine.changes.track(reportExpiry(this.engine, certificate, operator));
  }

  /** Returns the IDs of at most `limit` organizations that might have wallet work to do. */
  queuesWithDueJobs(limit: number): Promise<string[]> {
    return runStep(this.engine.storage.all.queuesWithDueJobs(walletJobs, this.clock(), limit));
  }

  /**
   * Applies the next events to the cards. Does nothing if another worker is already applying them.
   * @returns whether there might be more events to apply.
   */
  follow(organizationId: string): Promise<boolean> {
    return this.follower.follow(organizationId);
  }

  /**
   * Marks the next batch of cards as changed, after a design change or a gap in the events.
   * @returns whether there are more cards to refresh.
   */
  refreshNext(organizationId: string): Promise<boolean> {
    return this.follower.refreshNext(organizationId);
  }

  /**
   * Claims a platform's due deliveries for 60 seconds. A claim for Apple also applies deferred installation changes that are due.
   * @returns the claimed deliveries, or an empty array if another worker has locked the queue.
   */
  async claim(organizationId: string, platform: WalletPlatform, limit: number): Promise<WalletJob[]> {
    const { engine } = this;
    const { jobs, ended, deferred } = await engine.changes.runOutOfTurn(organizationId, function* (tx) {
      const jobs: WalletJob[] = [];
      const ended: WalletOutcome[] = [];
      if ((yield* tx.tryLockQueue(walletJobs)) === null) return { jobs, ended, deferred: [] };
      const claim = createClaim(engine, limit);
      const { lease, now } = claim;
      const deliveries = yield* tx.claimJobs(walletJobs, platform, claim);
      const passIds = deliveries.map(({ passId }) => passId);
      const cards = new Map((yield* tx.walletCardsOf(passIds)).map((card) => [card.passId, card]));
      const devices = yield* tx.walletDevicesOf(passIds);
      for (const delivery of deliveries) {
        const { passId, revision } = delivery;
        const card = cards.get(passId);
        if (platform === "apple" && card !== undefined && isRetentionOver(card, now)) {
          yield* removeForPhones(tx, card, devices);
          ended.push({ passId, revision, deviceIds: [], nextAttemptAt: null });
          continue;
        }
        const isRevoked = card !== undefined && card.revokedAt !== null;
        const toNotify = devices.filter((device) => shouldNotify(device, delivery, isRevoked));
        jobs.push({ organizationId, lease, delivery, devices: toNotify });
      }
      yield* recordOutcomes(tx, { platform, lease, now }, ended);
      const installationJobs =
        platform === "apple" ? yield* tx.claimJobs(walletJobs, "installation", claim) : [];
      const deferred = installationJobs.map(({ passId, revision }) => ({ passId, revision, lease }));
      return { jobs, ended, deferred };
    });
    if (ended.length > 0) await this.revoked.purge();
    // This runs outside the claim's transaction, because the claim must not wait for the organization's other changes.
    for (const claimed of deferred) await this.devices.applyDeferred(organizationId, claimed);
    return jobs;
  }

  /** Records the outcomes of deliveries from one claim. Schedules reminders for phones that haven't fetched a revoked card. */
  recordResults(
    organizationId: string,
    platform: WalletPlatform,
    lease: string,
    outcomes: readonly WalletOutcome[],
  ): Promise<void> {
    const { changes, clock } = this.engine;
    return changes.runOutOfTurn(organizationId, function* (tx) {
      if ((yield* tx.lockQueue(walletJobs)) === null) return;
      const now = clock();
      const reminderOutcomes = yield* scheduleReminders(tx, platform, outcomes, now);
      yield* recordOutcomes(tx, { platform, lease, now }, reminderOutcomes);
    });
  }

  /**
   * Registers a listener that is called when a commit in this process adds events to the outbox.
   * @returns a function that removes the listener.
   */
  onWork(listener: (organizationId: string) => void): () => void {
    return this.outbox.onWork(listener);
  }

  private async readIssued(
    passId: string,
    isAllowed: (card: StoredWalletCard) => boolean,
  ): Promise<IssuedCard | null> {
    const {
      storage,
      config: { shortLinks },
      secrets,
      clock,
    } = this.engine;
    const state = { shortLinkBase: shortLinks.current, now: clock() };
    const owner = isStorable(passId) ? await runStep(storage.all.findWalletPass(passId)) : null;
    if (owner === null) return null;
    const { organizationId } = owner;
    return storage.snapshot(organizationId, function* (reader) {
      const walletCard = yield* reader.findWalletCard(passId);
      if (walletCard === null) return null;
      const card = secrets.open(walletCardRecord, organizationId, walletCard);
      return isAllowed(card) ? yield* readIssuedCard(reader, organizationId, card, state) : null;
    });
  }
}

/** Reads a pass's card with its secrets decrypted. */
function* readOwnedCard(
  secrets: RowSecrets,
  lookUps: StorageLookUps,
  passId: string,
): Step<OwnedWalletCard | null> {
  const owned = isStorable(passId) ? yield* lookUps.findWalletPass(passId) : null;
  if (owned === null) return null;
  const { organizationId } = owned;
  return { organizationId, card: secrets.open(walletCardRecord, organizationId, owned.card) };
}

/** A claim on some of a platform's deliveries, whose outcomes are recorded now. */
interface DeliveryClaim {
  readonly platform: WalletPlatform;
  readonly lease: string;
  readonly now: number;
}

function* recordOutcomes(
  tx: StorageTransaction,
  { platform, lease, now }: DeliveryClaim,
  outcomes: readonly WalletOutcome[],
): Step<void> {
  const results = outcomes.map(({ passId, ...outcome }) => ({ subject: passId, ...outcome }));
  const recordedPassIds = new Set(yield* tx.recordResults(walletJobs, platform, lease, results, now));
  yield* tx.recordNotified(
    platform,
    outcomes.filter(({ passId }) => recordedPassIds.has(passId)),
  );
}

function shouldNotify(
  device: StoredWalletDevice,
  { passId, platform, revision }: StoredWalletDelivery,
  isRevoked: boolean,
): boolean {
  return (
    device.passId === passId &&
    device.platform === platform &&
    device.state === "registered" &&
    (isRevoked || device.notifiedRevision < revision)
  );
}

/**
 * Records the event `wallet_certificate.expiring` for organizations that have wallet cards. Each organization receives the event at
 * most once a day, even if several processes call this function.
 * @param operator the ID of the only organization that should receive the event, or `null` for all organizations that have wallet
 *   cards.
 */
async function reportExpiry(
  engine: Pick<BackendParts, "storage" | "clock" | "openTenant">,
  certificate: WalletCertificate,
  operator: string | null,
): Promise<void> {
  const day = timestamp(engine.clock()).slice(0, "YYYY-MM-DD".length);
  if (operator !== null) return reportToOrganization(engine, operator, certificate, day);
  for (let after = ""; ; ) {
    const organizations = await runStep(engine.storage.all.organizationsWithWallets(after, PAGE_SIZE));
    for (const organizationId of organizations)
      await reportToOrganization(engine, organizationId, certificate, day);
    const last = organizations.at(-1);
    if (last === undefined || organizations.length < PAGE_SIZE) return;
    after = last;
  }
}

async function reportToOrganization(
  engine: Pick<BackendParts, "clock" | "openTenant">,
  organizationId: string,
  certificate: WalletCertificate,
  day: string,
): Promise<void> {
  const { platform, name, expiresAt } = certificate;
  const key = hashRequest(["certificate expiring", day, platform, expiresAt, name]);
  const now = engine.clock();
  await engine
    .openTenant(organizationId, workerActor)
    .change(["wallets.certificateExpiring"], function* ({ tx, record }) {
      const isNew = yield* tryStartCooldown(tx, key, { now, until: now + REPORT_COOLDOWN_MS });
      if (isNew) record("wallet_certificate.expiring", certificate);
      return null;
    });
}

/**
 * The newest card revision that a device knows for each organization, keyed by a ten-character name that identifies the
 * organization.
 */
type Revisions = ReadonlyMap<string, number>;

/**
 * Parses the revision tag that a device sent. A missing or malformed tag counts as empty, so all of the device's cards count as
 * changed.
 */
function parseRevisionTag(tag: string | null): Revisions {
  if (tag === null || tag.length > MAX_TAG_PARTS * (SHORT_NAME_LENGTH + 18) || !REVISION_TAG.test(tag))
    return new Map();
  return new Map(
    tag.split(".").map((part) => [part.slice(0, SHORT_NAME_LENGTH), Number(part.slice(SHORT_NAME_LENGTH))]),
  );
}

/**
 * Finds the cards that are newer than the revisions a device knows.
 * @returns the changed cards, and the tag for a device that has the current revisions of all the cards.
 */
function findChangedCards(
  cards: readonly OwnedWalletCard[],
  knownRevisions: Revisions,
): { readonly changed: readonly OwnedWalletCard[]; readonly tag: string } {
  const newest = new Map<string, number>();
  const changedCards: OwnedWalletCard[] = [];
  for (const owned of cards) {
    const name = hashOrganizationId(owned.organizationId);
    const { revision } = owned.card;
    newest.set(name, Math.max(revision, newest.get(name) ?? 0));
    if (revision > (knownRevisions.get(name) ?? -1)) changedCards.push(owned);
  }
  const parts = [...newest].sort().slice(0, MAX_TAG_PARTS);
  return { changed: changedCards, tag: parts.map(([name, revision]) => `${name}${revision}`).join(".") };
}

function hashOrganizationId(organizationId: string): string {
  return createHash("sha256").update(organizationId).digest("base64url").slice(0, SHORT_NAME_LENGTH);
}
