import type { Step } from "../concurrency/step.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, bytes, integer, list, oneOf, type RowOf, record, text, time } from "./record.js";
/** A pass as wallets hold it. It outlives the pass, so that wallets can learn that it is revoked. */
export const walletCardRecord = record("walletCards", ["passId"], {
  passId: text(),
  templateId: text().fixed(),
  /** Devices show it to get the pass; it never changes. It must be put into the pass, so it is stored as it is. */
  authenticationToken: text().sealed(),
  /** Makes the links unguessable; another one revokes them. */
  linkToken: text().sealed(),
  /** The revision of the organization's queue at which the card last changed; 0 when it has not. */
  revision: integer(),
  /** The time when it last changed, in milliseconds but a whole second, and later each time by a second at least. */
  changedAt: time(),
  /** The time since which Google has the pass; `null` if it does not. */
  atGoogleSince: time().nullable(),
  /** `null` until the pass is revoked. */
  revokedAt: time().nullable(),
  /** Until this time, reported changes of the installation count against new ones; `null` before the first. */
  notifiedUntil: time().nullable(),
  /** Since when a phone has been let go of that may still say that it removed the revoked pass; `null` if none has. */
  releasedAt: time().nullable(),
  /** The message that it shows; `null` for none. */
  messageId: text().nullable(),
  /** The delivery that waits for a wallet to have the message; `null` once one has it, or none waits. */
  messageDeliveryId: text().nullable(),
  /** The time until which it shows the message. */
  messageUntil: time().nullable(),
  /** The revision at which the message was set; 0 for none. */
  messageRevision: integer(),
  /** True once Google has been notified of the message, or is being notified. */
  isMessageAnnounced: boolean(),
  /** The times of the newest notifications that Google was asked for, at most 3, oldest first. */
  notificationTimes: list<number>(),
  createdAt: time().fixed(),
});

export type StoredWalletCard = RowOf<typeof walletCardRecord>;

/** A card with its organization. */
export interface OwnedWalletCard {
  readonly organizationId: string;
  readonly card: StoredWalletCard;
}

/** A device and one pass that it has or had. */
export const walletDeviceRecord = record("walletDevices", ["passId", "platform", "deviceId"], {
  passId: text().refersTo("walletCards", "passId"),
  platform: oneOf("apple", "google"),
  deviceId: text().personal(),
  /** The address for pushes to the device; several devices may share one. `null` if the platform has none. */
  pushToken: text().nullable().personal(),
  state: oneOf("registered", "gone", "token_dead"),
  /** The last revision of the card that the device was notified of. */
  notifiedRevision: integer(),
  createdAt: time().fixed(),
  updatedAt: time(),
});

/**
 * A device has the pass, has reported its removal, or has an invalid push token. A wallet that doesn't name its devices, such as
 * Google's, counts as one device.
 */
export type WalletDeviceState = StoredWalletDevice["state"];
/** The apps in which people keep their passes. */
export type WalletPlatform = StoredWalletDevice["platform"];
export type StoredWalletDevice = RowOf<typeof walletDeviceRecord>;

export type WalletDeviceKey = Pick<StoredWalletDevice, "passId" | "platform" | "deviceId">;

/** A device with the organization of its pass. */
export interface OwnedWalletDevice {
  readonly organizationId: string;
  readonly device: StoredWalletDevice;
}

/** Cards that are to be taken as changed, one part after the other. */
export interface WalletSweep {
  /** `null` for the cards of all templates. */
  readonly templateId: string | null;
  /** The cards up to this pass id are done. */
  readonly after: string;
}

/** The position up to which an organization's events have been applied to its cards. An organization without cards has none. */
export const walletQueueRecord = record("walletQueues", [], {
  /** The events of the outbox up to this position have come to the cards. */
  position: integer(),
  /** Grows with each change of cards; changes of one organization's cards come one at a time. */
  revision: integer(),
  sweeps: list<WalletSweep>(),
});

export type StoredWalletQueue = RowOf<typeof walletQueueRecord>;

/**
 * A notification that a pass has changed, on its way to one platform, with the card's revision; at most one for each pass and
 * platform. On the platform `installation` it is a deferred change of the installation status, with a due time of its own, and
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
  /** `null` if the delivery is finished or given up. */
  readonly nextAttemptAt: number | null;
}

/** A picture of a design. */
export const pictureRecord = record("pictures", ["hash"], {
  /** The SHA-256 of its bytes, in hexadecimal. */
  hash: text(),
  /** Such as `image/png`. */
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
  /** The cards of these passes (at most 1,000), by pass id. */
  walletCardsOf(organizationId: string, passIds: readonly string[]): Step<StoredWalletCard[]>;
  /**
   * The cards of a template, or of all with `null`, that are not revoked, by pass id, from behind `after` (the empty
   * text for the start), at most `limit`.
   */
  walletCardsOfTemplate(
    organizationId: string,
    templateId: string | null,
    after: string,
    limit: number,
  ): Step<StoredWalletCard[]>;
  /**
   * The cards that show a message, the revoked ones too, by pass id, after `after` (empty string: from the start), at
   * most `limit`.
   */
  walletCardsWithMessage(
    organizationId: string,
    messageId: string,
    after: string,
    limit: number,
  ): Step<StoredWalletCard[]>;
  /** The devices of these passes (at most 1,000), whatever their state: by pass id, platform, device id. */
  walletDevicesOf(organizationId: string, passIds: readonly string[]): Step<StoredWalletDevice[]>;
  findWalletQueue(organizationId: string): Step<StoredWalletQueue | null>;
  /** The pictures of an organization, oldest first: by `createdAt`, then hash. */
  listPictures(organizationId: string): Step<PictureEntry[]>;
  /** The card of a pass, of whatever organization; ids of passes are given once. */
  findWalletPass(passId: string): Step<OwnedWalletCard | null>;
  /**
   * The cards of all organizations that are not revoked, by pass id, after `after` (empty string: from the start), at
   * most `limit`.
   */
  walletPassesAfter(after: string, limit: number): Step<OwnedWalletCard[]>;
  /** Returns the same as {@link walletPassesAfter}, with the revoked cards. */
  walletCardsAfter(after: string, limit: number): Step<OwnedWalletCard[]>;
  /** The cards for which a device is registered, of all organizations, by organization, then pass id; at most `limit`. */
  walletCardsOfDevice(platform: WalletPlatform, deviceId: string, limit: number): Step<OwnedWalletCard[]>;
  /** The registered devices with a push token, of all organizations, by organization, pass and device; at most `limit`. */
  walletDevicesOfToken(platform: WalletPlatform, pushToken: string, limit: number): Step<OwnedWalletDevice[]>;
  /** The organizations that have a queue, by id, after `after` (empty string: from the start), at most `limit`. */
  organizationsWithWallets(after: string, limit: number): Step<string[]>;
  /** A picture by its hash, from any organization, since equal hashes mean equal pictures. */
  findPicture(hash: string): Step<StoredPicture | null>;
}

/**
 * The writes of a delivery worker never wait for other changes of the organization, and other changes never wait for them. All
 * changes of cards, devices or deliveries begin with {@link lockWalletQueue}. Rows read after that stay unchanged until the
 * transaction ends, except by the transaction itself.
 */
export interface WalletWrites {
  insertWalletQueue(organizationId: string, queue: StoredWalletQueue): Step<void>;
  /**
   * Locks the organization's queue until the transaction ends; other transactions that lock it wait. Returns `null` if there is
   * none, or if `isWaiting` is false and another transaction holds the lock.
   */
  lockWalletQueue(organizationId: string, isWaiting: boolean): Step<StoredWalletQueue | null>;
  /** Replaces the queue. Returns false if there is none. */
  updateWalletQueue(organizationId: string, queue: StoredWalletQueue): Step<boolean>;

  insertWalletCard(organizationId: string, card: StoredWalletCard): Step<void>;
  /** Replaces the cards of these passes (at most 1,000). `templateId` and `createdAt` stay. Missing cards are skipped. */
  updateWalletCards(organizationId: string, cards: readonly StoredWalletCard[]): Step<void>;
  /** Removes the card of a pass with its devices and deliveries. Returns false if there is none. */
  deleteWalletCard(organizationId: string, passId: string): Step<boolean>;

  /** Adds a device to a card, or replaces it; `createdAt` stays then. @throws an error if there is no such card. */
  putWalletDevice(organizationId: string, device: StoredWalletDevice): Step<void>;
  /** Returns false if there is none. */
  deleteWalletDevice(organizationId: string, key: WalletDeviceKey): Step<boolean>;

  /** Sets `notifiedRevision` of the devices that were notified of the revision. */
  recordNotified(
    organizationId: string,
    platform: WalletPlatform,
    outcomes: readonly WalletOutcome[],
  ): Step<void>;

  /** Adds a picture, unless the organization already has it. */
  putPicture(organizationId: string, picture: StoredPicture): Step<void>;
  /** Returns false if there is none. */
  deletePicture(organizationId: string, hash: string): Step<boolean>;
}
