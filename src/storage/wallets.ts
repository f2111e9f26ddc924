import type { Step } from "../concurrency/step.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, bytes, integer, list, oneOf, type RowOf, record, text, time } from "./record.js";
/** A pass as wallets hold it. It outlives the pass, so that wallets can learn of the revocation. */
export const walletCardRecord = record("walletCards", ["passId"], {
  passId: text(),
  templateId: text().fixed(),
  /** Devices present it to fetch the pass; it never changes. It must be put into the pass, so it can't be stored as a hash. */
  authenticationToken: text().sealed(),
  /** Makes links unguessable; replacing it revokes the existing links. */
  linkToken: text().sealed(),
  /** The revision of the organization's queue at which the card last changed; 0 if it has never changed. */
  revision: integer(),
  /**
   * The time of the last change, in milliseconds but rounded to a whole second; each change is at least one second after the
   * previous one.
   */
  changedAt: time(),
  /** The time since when Google has had the pass; `null` if it doesn't have it. */
  atGoogleSince: time().nullable(),
  /** The time when the pass was revoked; `null` while it is valid. */
  revokedAt: time().nullable(),
  /**
   * The rate limit for reported installation changes: earlier reports count against new ones until this time; `null` before the
   * first report.
   */
  notifiedUntil: time().nullable(),
  /**
   * The time when a phone was last released that may not have reported the removal of the revoked pass yet; `null` if there is
   * none.
   */
  releasedAt: time().nullable(),
  /** The message that the card shows; `null` if there is none. */
  messageId: text().nullable(),
  /** The delivery that waits until a wallet has the message; `null` once a wallet has it, or if none is waiting. */
  messageDeliveryId: text().nullable(),
  /** The time until which the card shows the message. */
  messageUntil: time().nullable(),
  /** The revision at which the message was set; 0 if there is none. */
  messageRevision: integer(),
  /** True once Google has been notified of the message, or is being notified. */
  isMessageAnnounced: boolean(),
  /** The times of the latest notifications that were requested from Google, at most 3, oldest first. */
  notificationTimes: list<number>(),
  createdAt: time().fixed(),
});

export type StoredWalletCard = RowOf<typeof walletCardRecord>;

/** A card with its organization. */
export interface OwnedWalletCard {
  readonly organizationId: string;
  readonly card: StoredWalletCard;
}

/** A device and a pass that it has or had. */
export const walletDeviceRecord = record("walletDevices", ["passId", "platform", "deviceId"], {
  passId: text().refersTo("walletCards", "passId"),
  platform: oneOf("apple", "google"),
  deviceId: text().personal(),
  /** The device's push address, which several devices may share. `null` if the platform has none. */
  pushToken: text().nullable().personal(),
  state: oneOf("registered", "gone", "token_dead"),
  /** The newest card revision that the device was notified of. */
  notifiedRevision: integer(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

/**
 * Whether a device has the pass, has reported its removal, or has an invalid push token. A wallet that doesn't identify its
 * devices, such as Google's, counts as one device.
 */
export type WalletDeviceState = StoredWalletDevice["state"];
/** The wallet apps in which people store their passes. */
export type WalletPlatform = StoredWalletDevice["platform"];
export type StoredWalletDevice = RowOf<typeof walletDeviceRecord>;

export type WalletDeviceKey = Pick<StoredWalletDevice, "passId" | "platform" | "deviceId">;

/** A device with the organization of its pass. */
export interface OwnedWalletDevice {
  readonly organizationId: string;
  readonly device: StoredWalletDevice;
}

/** A batched operation that marks cards as changed. */
export interface WalletSweep {
  /** The template whose cards are marked; `null` for the cards of all templates. */
  readonly templateId: string | null;
  /** All cards up to and including this pass id are done. */
  readonly after: string;
}

/**
 * The outbox position up to which an organization's events have been applied to its cards. Organizations without cards have no row.
 */
export const walletQueueRecord = record("walletQueues", [], {
  /** Events up to this outbox position have been applied to the cards. */
  position: integer(),
  /** Incremented with each change to cards; an organization's cards change one at a time. */
  revision: integer(),
  sweeps: list<WalletSweep>(),
});

export type StoredWalletQueue = RowOf<typeof walletQueueRecord>;

/**
 * A pending notification to one platform that a pass has changed, with the card's revision; at most one for each pass and platform.
 * On the pseudo-platform `installation` it is a deferred change of the installation status, with a due time of its own, and
 * notifies no platform.
 */
export const walletDeliveryRecord = record("walletDeliveries", ["platform", "passId"], {
  passId: text().refersTo("walletCards", "passId"),
  platform: oneOf("apple", "google", "installation"),
  ...jobColumns,
});

export type StoredWalletDelivery = RowOf<typeof walletDeliveryRecord>;

export type NewWalletDelivery = NewJob<StoredWalletDelivery>;

export const walletJobs = jobKind(walletDeliveryRecord, {
  lane: "platform",
  subject: "passId",
  queue: walletQueueRecord,
});

/** The outcome of a claimed delivery. */
export interface WalletOutcome {
  readonly passId: string;
  /** The revision that the devices were notified of. */
  readonly revision: number;
  /** The notified devices. */
  readonly deviceIds: readonly string[];
  /** The time of the next attempt; `null` if the delivery is finished or given up. */
  readonly nextAttemptAt: number | null;
}

/** A picture in a design. */
export const pictureRecord = record("pictures", ["hash"], {
  /** The SHA-256 hash of its bytes, in hexadecimal. */
  hash: text(),
  /** The media type, such as `image/png`. */
  type: text(),
  /** In pixels. */
  width: integer(),
  height: integer(),
  bytes: bytes(),
  createdAt: time(),
});

export type StoredPicture = RowOf<typeof pictureRecord>;

/** A picture without its bytes. */
export type PictureEntry = Omit<StoredPicture, "bytes">;

export interface WalletReads {
  findWalletCard(organizationId: string, passId: string): Step<StoredWalletCard | null>;
  /** Returns the cards of these passes (at most 1,000), by pass id. */
  walletCardsOf(organizationId: string, passIds: readonly string[]): Step<StoredWalletCard[]>;
  /**
   * Returns the unrevoked cards of a template (`null`: of all templates), by pass id, after `after` (empty string: from the start),
   * at most `limit`.
   */
  walletCardsOfTemplate(
    organizationId: string,
    templateId: string | null,
    after: string,
    limit: number,
  ): Step<StoredWalletCard[]>;
  /**
   * Returns the cards that show a message, including revoked ones, by pass id, after `after` (empty string: from the start), at
   * most `limit`.
   */
  walletCardsWithMessage(
    organizationId: string,
    messageId: string,
    after: string,
    limit: number,
  ): Step<StoredWalletCard[]>;
  /** Returns the devices of these passes (at most 1,000), whatever their state, by pass id, platform and device id. */
  walletDevicesOf(organizationId: string, passIds: readonly string[]): Step<StoredWalletDevice[]>;
  findWalletQueue(organizationId: string): Step<StoredWalletQueue | null>;
  /** Lists an organization's pictures, oldest first: by `createdAt`, then hash. */
  listPictures(organizationId: string): Step<PictureEntry[]>;
  /** Finds a pass's card in any organization; pass ids are unique across organizations. */
  findWalletPass(passId: string): Step<OwnedWalletCard | null>;
  /**
   * Returns the unrevoked cards of all organizations, by pass id, after `after` (empty string: from the start), at most `limit`.
   */
  walletPassesAfter(after: string, limit: number): Step<OwnedWalletCard[]>;
  /** Like {@link walletPassesAfter}, but includes revoked cards. */
  walletCardsAfter(after: string, limit: number): Step<OwnedWalletCard[]>;
  /**
   * Returns the cards that a device is registered for, across all organizations, by organization, then pass id; at most `limit`.
   */
  walletCardsOfDevice(platform: WalletPlatform, deviceId: string, limit: number): Step<OwnedWalletCard[]>;
  /**
   * Returns the registered devices with a push token, across all organizations, by organization, pass and device; at most `limit`.
   */
  walletDevicesOfToken(platform: WalletPlatform, pushToken: string, limit: number): Step<OwnedWalletDevice[]>;
  /** Returns the organizations that have a queue, by id, after `after` (empty string: from the start), at most `limit`. */
  organizationsWithWallets(after: string, limit: number): Step<string[]>;
  /** Finds a picture by its hash, in any organization, since equal hashes mean equal pictures. */
  findPicture(hash: string): Step<StoredPicture | null>;
}

/**
 * Wallet writes. A delivery worker's writes never wait for other changes of the organization, and vice versa. All changes to cards,
 * devices or deliveries begin with {@link lockWalletQueue}. Rows read after it stay unchanged until the transaction ends, except
 * through the transaction itself.
 */
export interface WalletWrites {
  insertWalletQueue(organizationId: string, queue: StoredWalletQueue): Step<void>;
  /**
   * Locks the organization's queue until the transaction ends; other transactions that lock it wait. Returns `null` if there is no
   * queue, or if `isWaiting` is false and another transaction holds the lock.
   */
  lockWalletQueue(organizationId: string, isWaiting: boolean): Step<StoredWalletQueue | null>;
  /** Replaces the queue. Returns false if there is none. */
  updateWalletQueue(organizationId: string, queue: StoredWalletQueue): Step<boolean>;

  insertWalletCard(organizationId: string, card: StoredWalletCard): Step<void>;
  /** Replaces the cards of these passes (at most 1,000), except `templateId` and `createdAt`. Skips missing cards. */
  updateWalletCards(organizationId: string, cards: readonly StoredWalletCard[]): Step<void>;
  /** Removes the card of a pass with its devices and deliveries. Returns false if there is none. */
  deleteWalletCard(organizationId: string, passId: string): Step<boolean>;

  /**
   * Adds a device to a card, or replaces an existing one, except its `createdAt`.
   * @throws an error if there is no such card.
   */
  putWalletDevice(organizationId: string, device: StoredWalletDevice): Step<void>;
  /** Removes a device from a card. Returns false if there is none. */
  deleteWalletDevice(organizationId: string, key: WalletDeviceKey): Step<boolean>;

  /** Sets `notifiedRevision` on the devices that were notified. */
  recordNotified(
    organizationId: string,
    platform: WalletPlatform,
    outcomes: readonly WalletOutcome[],
  ): Step<void>;

  /** Adds a picture, unless the organization already has it. */
  putPicture(organizationId: string, picture: StoredPicture): Step<void>;
  /** Removes a picture. Returns false if there is none. */
  deletePicture(organizationId: string, hash: string): Step<boolean>;
}
