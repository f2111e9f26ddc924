import { createHash } from "node:crypto";
import { putAndEvict } from "../../../../src/base/bounded-map.js";
import { SingleFlight } from "../../../../src/base/concurrency/shared-calls.js";
import type { Clock, Template } from "../../../../src/index.js";
import { isNotificationAllowed } from "../../../../src/wallets/google-limits.js";
import type { IssuedCard } from "../../../../src/wallets/issued-card.js";
import { toFields } from "../json.js";
import type { ApiResponse, CallGoogle } from "./api-client.js";
import {
  buildLoyaltyClass,
  buildLoyaltyObject,
  buildMessageRequest,
  type CardUrls,
  formatClassId,
  formatObjectId,
  type Issuer,
} from "./card-content.js";

/**
 * Maximum number of cached classes, and how long each is cached, in milliseconds. Later, another process may have written an older
 * version.
 */
const MAX_CLASSES = 1_000;
const MAX_CLASS_AGE_MS = 3_600_000;

/**
 * Maximum number of silent cards, and how long each stays silent after Google refused a notification, in milliseconds. Google
 * notifies people at most three times a day.
 */
const MAX_SILENT_CARDS = 10_000;
const SILENCE_MS = 3_600_000;

const NOTIFY = { notifyPreference: "NOTIFY_ON_UPDATE" } as const;
const SILENT = { notifyPreference: "NOTIFICATION_SETTINGS_FOR_UPDATES_UNSPECIFIED" } as const;

interface WrittenClass {
  /** The hash of the class content. */
  readonly hash: string;
  readonly writtenAt: number;
}

/** Writes cards to Google. Before each write, makes sure that Google has the current class for the card's template. */
export class CardWriter {
  private readonly classes = new Map<string, WrittenClass>();
  private readonly writes = new SingleFlight<ApiResponse>();
  /** The times until which changes cause no notification, keyed by pass ID. */
  private readonly silentUntil = new Map<string, number>();

  constructor(
    private readonly call: CallGoogle,
    private readonly issuer: Issuer,
    private readonly urls: CardUrls,
    private readonly clock: Clock,
  ) {}

  /** Adds a card that Google might not have yet. If Google already has it, updates it without notifying the customer. */
  async insert(issuedCard: IssuedCard): Promise<ApiResponse> {
    return this.ensureClassThen(issuedCard, async () => {
      const inserted = await this.post(issuedCard);
      return inserted.status === 409 ? this.patch(issuedCard, SILENT) : inserted;
    });
  }

  /** Writes a card's current state. Google notifies the customer, unless the card's notification limit has been reached. */
  async update(issuedCard: IssuedCard): Promise<ApiResponse> {
    if (isRevoked(issuedCard)) return this.patch(issuedCard, SILENT);
    return this.ensureClassThen(issuedCard, async () => {
      const patched = await this.patchWithNotification(issuedCard);
      return patched.status === 404 ? this.post(issuedCard) : patched;
    });
  }

  /**
   * Writes a card's current state without notifying the customer.
   * @param hasMessage whether to keep the shop's message on the card.
   */
  async updateSilently(issuedCard: IssuedCard, hasMessage: boolean): Promise<ApiResponse> {
    if (isRevoked(issuedCard)) return this.patch(issuedCard, SILENT);
    return this.ensureClassThen(issuedCard, async () => {
      const patched = await this.patch(issuedCard, SILENT, hasMessage);
      return patched.status === 404 ? this.post(issuedCard, hasMessage) : patched;
    });
  }

  /** Adds the shop's message to a card and has Google notify the customer. Adding the same message again would duplicate it. */
  async addMessage(issuedCard: IssuedCard): Promise<ApiResponse> {
    const response = await this.call(
      "POST",
      `${this.buildPath(issuedCard.card.passId)}/addMessage`,
      buildMessageRequest(issuedCard),
    );
    return { ...response, body: toFields(response.body.resource) };
  }

  read(passId: string): Promise<ApiResponse> {
    return this.call("GET", this.buildPath(passId));
  }

  /** Updates a card with a notification, or without one if Google allows no notification now. */
  private async patchWithNotification(issuedCard: IssuedCard): Promise<ApiResponse> {
    const { passId, notificationTimes } = issuedCard.card;
    const now = this.clock();
    if ((this.silentUntil.get(passId) ?? 0) > now || !isNotificationAllowed(notificationTimes, now))
      return this.patch(issuedCard, SILENT);
    const patched = await this.patch(issuedCard, NOTIFY);
    if (!isNotificationQuotaReached(patched)) return patched;
    putAndEvict(this.silentUntil, passId, now + SILENCE_MS, MAX_SILENT_CARDS);
    return this.patch(issuedCard, SILENT);
  }

  /** Ensures that the card's class is written, then writes the card. */
  private async ensureClassThen(
    issuedCard: IssuedCard,
    write: () => Promise<ApiResponse>,
  ): Promise<ApiResponse> {
    const { template, shopName } = issuedCard;
    if (template === null) return write();
    const classResponse = await this.writeClass(template, shopName);
    if (classResponse !== null && classResponse.status !== 200) return classResponse;
    const response = await write();
    if (response.status !== 404) return response;
    // The class was deleted, or the issuer changed.
    this.classes.delete(template.id);
    const retryResponse = await this.writeClass(template, shopName);
    return retryResponse !== null && retryResponse.status !== 200 ? retryResponse : write();
  }

  /**
   * Writes a template's class.
   * @returns `null` if the current content is known to be written.
   */
  private async writeClass(template: Template, shopName: string | null): Promise<ApiResponse | null> {
    const content = buildLoyaltyClass(template, shopName, this.issuer, this.urls);
    const hash = createHash("sha256").update(JSON.stringify(content)).digest("base64url");
    const storedClass = this.classes.get(template.id);
    if (storedClass?.hash === hash && this.clock() - storedClass.writtenAt < MAX_CLASS_AGE_MS) return null;
    return this.writes.run(hash, async () => {
      const response = await this.upsertClass(template.id, content, storedClass !== undefined);
      if (response.status === 200)
        putAndEvict(this.classes, template.id, { hash, writtenAt: this.clock() }, MAX_CLASSES);
      return response;
    });
  }

  private async upsertClass(templateId: string, content: object, isKnown: boolean): Promise<ApiResponse> {
    const path = `/loyaltyClass/${encodeURIComponent(formatClassId(this.issuer, templateId))}`;
    const patch = () => this.call("PATCH", path, content);
    const insert = () => this.call("POST", "/loyaltyClass", content);
    const first = await (isKnown ? patch() : insert());
    if (first.status === 409) return patch();
    return first.status === 404 ? insert() : first;
  }

  private post(issuedCard: IssuedCard, hasMessage = true): Promise<ApiResponse> {
    return this.call(
      "POST",
      "/loyaltyObject",
      buildLoyaltyObject(issuedCard, this.issuer, this.urls, hasMessage),
    );
  }

  private patch(issuedCard: IssuedCard, preference: object, hasMessage = true): Promise<ApiResponse> {
    const content = { ...buildLoyaltyObject(issuedCard, this.issuer, this.urls, hasMessage), ...preference };
    return this.call("PATCH", this.buildPath(issuedCard.card.passId), content);
  }

  private buildPath(passId: string): string {
    return `/loyaltyObject/${encodeURIComponent(formatObjectId(this.issuer, passId))}`;
  }
}

/** Returns whether Google refused to send a notification because the card's notification limit has been reached. */
export function isNotificationQuotaReached({
  status,
  reason,
}: Pick<ApiResponse, "status" | "reason">): boolean {
  return status === 403 && reason === "quotaExceeded";
}

function isRevoked({ template, qrCodeValue }: IssuedCard): boolean {
  return template === null || qrCodeValue === null;
}
