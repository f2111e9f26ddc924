import type { Step } from "../base/concurrency/step.js";
import { jobColumns, jobKind, type NewJob } from "./jobs.js";
import { boolean, bytes, integer, list, oneOf, type RowOf, record, text, time } from "./record.js";
/**
 * A wallet card, which is the version of a pass that wallets hold. The row outlives the pass, so that wallets can be notified when
 * the pass is revoked.
 */
export const walletCardRecord = record("walletCards", ["passId"], {
  /** The ID of the pass, unique across all organizations. */
  passId: text(),
  /** The ID of the template that the pass was issued from. */
  templateId: text().fixed(),
  /**
   * The token that devices present to fetch the pass. It never changes. It is part of the pass file, so a hash of it wouldn't be
   * enough.
   */
  authenticationToken: text().sealed("wallet token"),
  /** A random token that makes links unguessable. Replacing it revokes all existing links. */
  linkToken: text().sealed("wallet link"),
  /** The organization's queue revision when the card last changed, or 0 if the card has never changed. */
  revision: integer(),
  /** The time of the last change, rounded to a whole second. Each change is at least one second after the previous one. */
  changedAt: time(),
  /** The time since when Google has had the pass, or `null` if Google doesn't have it. */
  atGoogleSince: time().nullable(),
  /** The time when the pass was revoked, or `null` if it wasn't. */
  revokedAt: time().nullable(),
  /**
   * Limits the rate of reported installation changes: earlier reports count against new ones until this time. `null` before the
   * first report.
   */
  notifiedUntil: time().nullable(),
  /**
   * When a phone was last released that may not have reported yet that the revoked pass was removed, or `null` if there is no such
   * phone.
   */
  releasedAt: time().nullable(),
  /** The ID of the message that the card shows, or `null` if it shows none. */
  messageId: text().nullable(),
  /** The ID of the delivery that is waiting for a wallet to get the message, or `null` if none is waiting. */
  messageDeliveryId: text().nullable(),
  /** The time until which the card shows the message. */
  messageUntil: time().nullable(),
  /** The card's revision at which the message was set, or 0 if there is no message. */
  messageRevision: integer(),
  /** True once Google has been notified of the message, or is being notified. */
  isMessageAnnounced: boolean(),
  /** The times when notifications were last requested from Google, at most 3, oldest first. */
  notificationTimes: list<number>(),
  /** When the card was created, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
});

export type StoredWalletCard = RowOf<typeof walletCardRecord>;

/** A wallet card found in a search across all organizations, with the ID of its organization. */
export interface OwnedWalletCard {
  /** The ID of the organization that issued the pass. */
  readonly organizationId: string;
  /** The card, which might be revoked. */
  readonly card: StoredWalletCard;
}

/** The registration of a pass on a device. The row remains after the device reports that the pass was removed. */
export const walletDeviceRecord = record("walletDevices", ["passId", "platform", "deviceId"], {
  /** The ID of the pass that the device has or had. */
  passId: text().refersTo("walletCards", "passId"),
  /** The wallet app that holds the pass. */
  platform: oneOf("apple", "google"),
  /**
   * The ID that the wallet app uses for the device. Google Wallet doesn't identify devices, so it counts as one device with a fixed
   * ID.
   */
  deviceId: text(),
  /** The device's push address, which other devices may share. `null` if the platform has no push addresses. */
  pushToken: text().nullable(),
  /**
   * Whether the device has the pass (`registered`), has reported that the pass was removed (`gone`), or has an invalid push token
   * (`token_dead`).
   */
  state: oneOf("registered", "gone", "token_dead"),
  /** The newest revision of the card that the device was notified of. */
  notifiedRevision: integer(),
  /** When the device was added, in milliseconds since the Unix epoch. */
  createdAt: time().fixed(),
  /** When the device last registered or its state last changed, in milliseconds since the Unix epoch. */
  updatedAt: time(),
});

/**
 * A device's state: it has the pass, has reported that the pass was removed, or has an invalid push token. A wallet that doesn't
 * identify its devices, such as Google's, counts as a single device.
 */
export type WalletDeviceState = StoredWalletDevice["state"];
/** A wallet app in which people store their passes. */
export type WalletPlatform = StoredWalletDevice["platform"];
export type StoredWalletDevice = RowOf<typeof walletDeviceRecord>;

export type WalletDeviceKey = Pick<StoredWalletDevice, "passId" | "platform" | "deviceId">;

/** A device found by a search across all organizations, with the ID of the organization that issued its pass. */
export interface OwnedWalletDevice {
  /** The ID of the organization that issued the device's pass. */
  readonly organizationId: string;
  /** The device's registration for one pass. */
  readonly device: StoredWalletDevice;
}

/** The progress of a refresh that marks cards as changed in batches. */
export interface WalletSweep {
  /** The ID of the template whose cards are marked, or `null` to mark the cards from all templates. */
  readonly templateId: string | null;
  /** The ID of the last pass whose card has been marked. All cards with lower or equal pass IDs have been marked. */
  readonly after: string;
}

/**
 * An organization's wallet queue, which tracks how far outbox events have been applied to the organization's cards. An organization
 * without cards has no queue.
 */
export const walletQueueRecord = record("walletQueues", [], {
  /** Events up to this outbox position have been applied to the cards. */
  position: integer(),
  /** Incremented by each change to the organization's cards, which change one at a time. */
  revision: integer(),
  /** The unfinished refreshes, in the order in which they run. */
  sweeps: list<WalletSweep>(),
});

export type StoredWalletQueue = RowOf<typeof walletQueueRecord>;

/**
 * A pending notification that tells one platform that a pass has changed. Each row records the card's revision, and there is at
 * most one row per pass and platform. On the pseudo-platform `installation`, the row is instead a deferred change to the pass's
 * installation status, which has its own due time and sends no notification.
 */
export const walletDeliveryRecord = record("walletDeliveries", ["platform", "passId"], {
  /** The ID of the pass whose card changed. */
  passId: text().refersTo("walletCards", "passId"),
  /** The wallet to notify, or `installation` for a deferred change to the pass's installation status. */
  platform: oneOf("apple", "google", "installation"),
  ...jobColumns,
});

export type StoredWalletDelivery = RowOf<typeof walletDeliveryRecord>;

export type NewWalletDelivery = NewJob<StoredWalletDelivery>;

export const walletJobs = jobKind(walletDeliveryRecord, {
  lane: "platform",
  subject: "passId",
  queue: walletQueueRecord,
  isLockedAlone: true,
});

/** The outcome of a delivery claimed by a worker. */
export interface WalletOutcome {
  /** The ID of the delivery's pass. It identifies the delivery within its platform. */
  readonly passId: string;
  /** The card revision that the devices were notified of. */
  readonly revision: number;
  /** The IDs of the devices that were notified. */
  readonly deviceIds: readonly string[];
  /** The time of the next attempt, in milliseconds since the Unix epoch. `null` if the delivery is finished or abandoned. */
  readonly nextAttemptAt: number | null;
}

/** A picture for use in card designs or the organization's settings. */
export const pictureRecord = record("pictures", ["hash"], {
  /** SHA-256 of the picture's bytes, in hexadecimal. */
  hash: text(),
  /** The media type, such as `image/png`. */
  type: text(),
  /** Width in pixels. */
  width: integer(),
  /** Height in pixels. */
  height: integer(),
  /** The encoded image, in the format that `type` specifies. */
  bytes: bytes(),
  /** When the organization stored the picture, in milliseconds since the Unix epoch. */
  createdAt: time(),
});

export type StoredPicture = RowOf<typeof pictureRecord>;

/** A stored picture without its bytes, so that listing pictures doesn't load the images. */
export type PictureEntry = Omit<StoredPicture, "bytes">;

export interface WalletReads {
  /** Finds a pass's wallet card, even if the pass has been revoked. Returns `null` if there is none. */
  findWalletCard(passId: string): Step<StoredWalletCard | null>;
  /** Returns the wallet cards for up to 1,000 passes, sorted by pass ID. */
  walletCardsOf(passIds: readonly string[]): Step<StoredWalletCard[]>;
  /**
   * Lists up to `limit` unrevoked cards from a template, or from all templates if `templateId` is `null`, sorted by pass ID. Starts
   * after the pass ID `after`, or at the beginning if `after` is an empty string.
   */
  walletCardsOfTemplate(templateId: string | null, after: string, limit: number): Step<StoredWalletCard[]>;
  /**
   * Lists up to `limit` cards that show a message, including revoked cards, sorted by pass ID. Starts after the pass ID `after`, or
   * at the beginning if `after` is an empty string.
   */
  walletCardsWithMessage(messageId: string, after: string, limit: number): Step<StoredWalletCard[]>;
  /**
   * Returns the devices registered for up to 1,000 passes, regardless of their state, sorted by pass ID, then platform, then
   * device ID.
   */
  walletDevicesOf(passIds: readonly string[]): Step<StoredWalletDevice[]>;
  /** Lists an organization's pictures without their bytes, sorted by `createdAt` (oldest first), then by hash. */
  listPictures(): Step<PictureEntry[]>;
}

/** Look-ups across all organizations. */
export interface WalletLookUps {
  /** Finds a pass's card across all organizations. Pass IDs are globally unique. */
  findWalletPass(passId: string): Step<OwnedWalletCard | null>;
  /**
   * Lists up to `limit` unrevoked cards across all organizations, sorted by pass ID. Starts after the pass ID `after`, or at the
   * beginning if `after` is an empty string.
   */
  walletPassesAfter(after: string, limit: number): Step<OwnedWalletCard[]>;
  /** Lists cards like {@link walletPassesAfter}, but also includes revoked cards. */
  walletCardsAfter(after: string, limit: number): Step<OwnedWalletCard[]>;
  /**
   * Lists up to `limit` cards that a device is registered for, across all organizations, sorted by organization ID, then pass ID.
   */
  walletCardsOfDevice(platform: WalletPlatform, deviceId: string, limit: number): Step<OwnedWalletCard[]>;
  /**
   * Lists up to `limit` devices registered with the given push token, across all organizations, sorted by organization, then pass,
   * then device.
   */
  walletDevicesOfToken(platform: WalletPlatform, pushToken: string, limit: number): Step<OwnedWalletDevice[]>;
  /**
   * Lists the IDs of up to `limit` organizations that have a wallet queue, in ascending order. Starts after the ID `after`, or at
   * the beginning if `after` is an empty string.
   */
  organizationsWithWallets(after: string, limit: number): Step<string[]>;
  /** Finds a picture by its hash, across all organizations. Pictures with the same hash are identical. */
  findPicture(hash: string): Step<StoredPicture | null>;
}

/**
 * Write operations for wallets. Delivery workers' writes and the organization's other changes never block each other. A transaction
 * must lock the queue of {@link walletJobs} before it changes cards, devices, or deliveries. After that, the rows it reads can be
 * changed only by the transaction itself until it ends.
 */
export interface WalletWrites {
  /** Adds a pass's card. The pass must not have one yet. */
  insertWalletCard(card: StoredWalletCard): Step<void>;
  /**
   * Updates up to 1,000 cards, identified by pass ID. Overwrites every field except `templateId` and `createdAt`. Ignores cards
   * that don't exist.
   */
  updateWalletCards(cards: readonly StoredWalletCard[]): Step<void>;
  /** Removes a pass's card along with its devices and deliveries. Returns `false` if there is no such card. */
  deleteWalletCard(passId: string): Step<boolean>;

  /**
   * Adds a device to a card. If the device is already registered, overwrites every field except `createdAt`.
   * @throws an error if there is no such card.
   */
  putWalletDevice(device: StoredWalletDevice): Step<void>;
  /** Removes a device from a card. Returns `false` if there is no such device. */
  deleteWalletDevice(key: WalletDeviceKey): Step<boolean>;

  /** Sets each notified device's `notifiedRevision` to the revision that was delivered. */
  recordNotified(platform: WalletPlatform, outcomes: readonly WalletOutcome[]): Step<void>;

  /** Adds a picture. Does nothing if the organization already has it. */
  putPicture(picture: StoredPicture): Step<void>;
  /** Removes a picture. Returns `false` if there is no such picture. */
  deletePicture(hash: string): Step<boolean>;
}
