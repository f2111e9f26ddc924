import { createHash } from "node:crypto";
import { foldEmail } from "../../../../src/base/values/email.js";
import { fold } from "../../../../src/base/values/text.js";
import type { StoredApiToken } from "../../../../src/storage/api-tokens.js";
import type { StoredApp, StoredGrant, StoredGrantToken } from "../../../../src/storage/apps.js";
import type { StoredAuditEntry } from "../../../../src/storage/audit.js";
import type { StoredCooldown } from "../../../../src/storage/cooldowns.js";
import type { NewEvent } from "../../../../src/storage/events.js";
import type { StoredIdempotencyRecord } from "../../../../src/storage/idempotency-records.js";
import {
  MAX_STORED_VISITS,
  type StoredPass,
  type StoredStampCard,
  type StoredStampEntry,
} from "../../../../src/storage/passes.js";
import type { StoredPasskey, StoredPerson, StoredPersonSession } from "../../../../src/storage/people.js";
import type { Column, Columns, RowOf } from "../../../../src/storage/record.js";
import { type StoredSettings, settingsRecord } from "../../../../src/storage/settings.js";
import {
  type StoredAssignment,
  type StoredTag,
  type StoredTagRemoval,
  tagRemovalRecord,
} from "../../../../src/storage/tags.js";
import { type StoredTemplate, templateRecord } from "../../../../src/storage/templates.js";
import { type StoredUser, type UserFolds, userRecord } from "../../../../src/storage/users.js";
import type {
  NewWalletDelivery,
  StoredPicture,
  StoredWalletCard,
  StoredWalletDevice,
} from "../../../../src/storage/wallets.js";
import {
  type AttemptOutcome,
  type NewDelivery,
  type StoredDelivery,
  type StoredWebhookEndpoint,
  webhookEndpointRecord,
} from "../../../../src/storage/webhooks.js";

/*
 * Builders for valid records. A test sets the fields it is about; the remaining fields get new values. Each record has its own ID
 * and keys, and is one millisecond younger than the previously built record.
 */

let createdCount = 0;

/**
 * Builds a row with a valid value in every column: `null` where allowed, and otherwise an empty value or the first allowed value.
 * Strings are unique.
 * @param prefix the prefix of the row's ID.
 */
export function sample<Own extends Columns>(
  { columns }: { readonly columns: Own },
  prefix: string,
  fields: Partial<RowOf<{ readonly columns: Own }>>,
): RowOf<{ readonly columns: Own }>;
export function sample(
  { columns }: { readonly columns: Columns },
  prefix: string,
  fields: Readonly<Record<string, unknown>>,
) {
  const origin: Readonly<Record<string, unknown>> = createOrigin(prefix);
  const values = Object.entries(columns).map(([name, column]) => [
    name,
    origin[name] ?? createSampleValue(name, column),
  ]);
  return { ...Object.fromEntries(values), ...fields };
}

function createSampleValue(name: string, { kind, traits }: Column): unknown {
  if (traits.isNullable) return null;
  if (traits.choices !== null) return traits.choices[0];
  if (kind === "text") return `${name} ${createdCount}`;
  return {
    integer: 0,
    time: 0,
    boolean: false,
    json: "{}",
    list: [],
    bytes: new Uint8Array([0, 255, 10, 13]),
  }[kind];
}

export function someUser(fields: Partial<StoredUser>): StoredUser {
  return sample(userRecord, "usr", { email: `customer-${createdCount + 1}@example.com`, ...fields });
}

export function buildUserFolds(user: StoredUser): UserFolds {
  const { email } = user;
  const [key, emailFold] = email === null ? [null, null] : [foldEmail(email), fold(email)];
  return {
    email: key,
    writtenEmail: emailFold === key ? null : emailFold,
    name: user.name === null ? null : fold(user.name),
    phone: user.phone === null ? null : fold(user.phone),
    externalId: user.externalId === null ? null : fold(user.externalId),
  };
}

/** The ordinal for a tag that is not stored. */
const UNKNOWN_TAG = 1_000_000;

export function someTag(fields: Partial<StoredTag> = {}): StoredTag {
  const slug = `tag-${createdCount + 1}`;
  const text = { name: slug, description: null, color: "#64748B" };
  return { slug, ...text, ...createOrigin("utag"), ordinal: UNKNOWN_TAG, ...fields };
}

/** Builds a tag removal record. By default, the tag was deleted rather than merged into another tag. */
export function someTagRemoval(tag: StoredTag, fields: Partial<StoredTagRemoval> = {}): StoredTagRemoval {
  const { ordinal, slug, name } = tag;
  const tagJson = JSON.stringify({ slug, name });
  return sample(tagRemovalRecord, "", { ordinal, tag: tagJson, targetOrdinal: null, merge: null, ...fields });
}

export function someAssignment(user: StoredUser, tag: StoredTag, fields: Partial<StoredAssignment> = {}) {
  const { id, createdAt } = createOrigin("uta");
  return { id, userOrdinal: user.ordinal, tagOrdinal: tag.ordinal, createdAt, ...fields };
}

export function someTemplate(fields: Partial<StoredTemplate> = {}): StoredTemplate {
  return sample(templateRecord, "tpl", { maxStamps: 100, programVersion: 1, ...fields });
}

/** Builds a pass from the template. If the template is a stamp card, the pass has a card. */
export function somePass(
  user: StoredUser,
  template: StoredTemplate,
  fields: Partial<StoredPass> = {},
): StoredPass {
  return {
    userId: user.id,
    templateId: template.id,
    code: `code${String(createdCount + 1).padStart(8, "0")}`,
    isPreviewPass: false,
    installationStatus: null,
    card: template.maxStamps === null ? null : someCard({ maxStamps: template.maxStamps }),
    ...createOrigin("wp"),
    ...fields,
  };
}

export function someCard(fields: Partial<StoredStampCard> = {}): StoredStampCard {
  return {
    maxStamps: 100,
    currentStamps: 0,
    timesCompleted: 0,
    rewardsAvailable: 0,
    totalStampsCollected: 0,
    lastStampAt: null,
    visits: "[]",
    entries: 0,
    ...fields,
  };
}

/** Builds the pass's next ledger entry, which adds one stamp, and the resulting card. */
export function someStamp(pass: StoredPass, fields: Partial<StoredStampEntry> = {}) {
  const card = pass.card ?? someCard();
  const { id, createdAt } = createOrigin("ste");
  const entry: StoredStampEntry = {
    id,
    passId: pass.id,
    sequence: card.entries + 1,
    type: "added",
    delta: 1,
    stampsBefore: card.currentStamps,
    stampsAfter: card.currentStamps + 1,
    completions: 0,
    note: null,
    reverses: null,
    source: null,
    receipt: null,
    isImported: false,
    actor: null,
    subject: null,
    createdAt,
    ...fields,
  };
  const after: StoredStampCard = {
    ...card,
    currentStamps: entry.stampsAfter,
    totalStampsCollected: card.totalStampsCollected + 1,
    lastStampAt: entry.createdAt,
    visits: withVisit(card.visits, entry.createdAt),
    entries: entry.sequence,
  };
  return { card: after, entry };
}

function withVisit(visits: string, at: number): string {
  const times: readonly number[] = [at, ...JSON.parse(visits)];
  return JSON.stringify(times.toSorted((one, other) => other - one).slice(0, MAX_STORED_VISITS));
}

export function someApiToken(fields: Partial<StoredApiToken> = {}): StoredApiToken {
  const { id, createdAt } = createOrigin("akt");
  return {
    id,
    name: "Till",
    prefix: "lk_abc",
    hash: hashToken(id),
    scopes: ["user:read"],
    createdAt,
    lastUsedAt: null,
    expiresAt: null,
    allowedAddresses: null,
    createdBy: null,
    ...fields,
  };
}

export function somePersonSession(fields: Partial<StoredPersonSession> = {}): StoredPersonSession {
  const { id, createdAt } = createOrigin("pse");
  const expiresAt = createdAt + 3_600_000;
  return {
    id,
    hash: hashToken(id),
    device: "Chrome on Windows",
    createdAt,
    lastSeenAt: createdAt,
    expiresAt,
    ...fields,
  };
}

export function somePasskey(fields: Partial<StoredPasskey> = {}): StoredPasskey {
  const { id, createdAt } = createOrigin("pky");
  return {
    id,
    credentialId: `credential-${id}`,
    publicKey: "pQECAyYgASFYIA",
    counter: 0,
    name: "Phone",
    createdAt,
    lastUsedAt: null,
    ...fields,
  };
}

export function somePerson(fields: Partial<StoredPerson> = {}): StoredPerson {
  const { id, createdAt } = createOrigin("per");
  return {
    id,
    email: `${id}@example.com`,
    emailFold: `${id}@example.com`,
    name: "Grace",
    role: "manager",
    invitedAt: createdAt,
    lastSignedInAt: null,
    linkHash: null,
    linkExpiresAt: null,
    isLinkMailed: false,
    emailProvenAt: null,
    sessions: [],
    passkeys: [],
    createdAt,
    ...fields,
  };
}

export function someIdempotencyRecord(
  fields: Partial<StoredIdempotencyRecord> = {},
): StoredIdempotencyRecord {
  const { id, createdAt } = createOrigin("key");
  return {
    keyHash: hashToken(id),
    fingerprint: hashToken("POST"),
    sealed: "c2VhbGVk",
    userId: null,
    createdAt,
    ...fields,
  };
}

export function someCooldown(fields: Partial<StoredCooldown> = {}): StoredCooldown {
  const { id, createdAt } = createOrigin("mark");
  return { name: hashToken(id), until: createdAt, ...fields };
}

export function someSettings(fields: Partial<StoredSettings> = {}): StoredSettings {
  return sample(settingsRecord, "set", fields);
}

export function someApp(fields: Partial<StoredApp> = {}): StoredApp {
  return {
    name: "Till app",
    secretHash: hashToken("secret"),
    previousSecretHash: null,
    previousSecretExpiresAt: null,
    redirectUris: ["https://app.example/back"],
    scopes: ["user:read"],
    createdBy: null,
    ...createOrigin("app"),
    ...fields,
  };
}

export function someGrant(app: StoredApp, fields: Partial<StoredGrant> = {}): StoredGrant {
  const { id, createdAt } = createOrigin("grt");
  const { scopes } = app;
  return { id, appId: app.id, subject: "ada", scopes, createdAt, tokenId: null, expiresAt: null, ...fields };
}

/** Builds an access token that is valid for an hour. */
export function someGrantToken(grant: StoredGrant, fields: Partial<StoredGrantToken> = {}): StoredGrantToken {
  const { id, createdAt } = createOrigin("gtk");
  return {
    id,
    grantId: grant.id,
    kind: "access",
    hash: hashToken(id),
    scopes: grant.scopes,
    details: "{}",
    createdAt,
    expiresAt: createdAt + 3_600_000,
    usedAt: null,
    ...fields,
  };
}

export function someEvent(fields: Partial<NewEvent> = {}): NewEvent {
  const { id, createdAt } = createOrigin("evt");
  return { id, type: "user.created", createdAt, actor: null, subject: null, data: "{}", ...fields };
}

/**
 * Builds a sample audit entry.
 * @param sequence the entry's sequence number in the audit trail.
 * @param fields values that replace the defaults.
 */
export function someAuditEntry(sequence: number, fields: Partial<StoredAuditEntry> = {}): StoredAuditEntry {
  const { id, createdAt } = createOrigin("akt");
  return {
    sequence,
    action: "api_token.created",
    target: id,
    details: "{}",
    actor: null,
    subject: null,
    salt: null,
    subjectSeal: null,
    previousHash: hashToken(String(sequence - 1)),
    hash: hashToken(String(sequence)),
    createdAt,
    ...fields,
  };
}

export function someWebhookEndpoint(fields: Partial<StoredWebhookEndpoint> = {}): StoredWebhookEndpoint {
  return sample(webhookEndpointRecord, "whe", fields);
}

export function someDelivery(
  endpoint: StoredWebhookEndpoint,
  fields: Partial<NewDelivery> = {},
): NewDelivery {
  const { id, createdAt } = createOrigin("whd");
  return {
    id,
    endpointId: endpoint.id,
    eventId: `evt_${id}`,
    eventPosition: null,
    eventType: "user.created",
    customBody: null,
    nextAttemptAt: createdAt,
    createdAt,
    ...fields,
  };
}

/** Converts a new delivery to its stored form: pending, with no attempts yet. */
export function toStoredDelivery(delivery: NewDelivery): StoredDelivery {
  return { ...delivery, status: "pending", attempts: 0, updatedAt: delivery.createdAt };
}

/** Builds the outcome of a delivery's next attempt. By default, the attempt succeeds. */
export function someOutcome(
  { id: deliveryId, attempts }: StoredDelivery,
  fields: Partial<AttemptOutcome> = {},
): AttemptOutcome {
  const number = attempts + 1;
  return {
    attempt: { deliveryId, number, startedAt: 7, duration: 12, status: 200, response: "ok", error: null },
    status: "delivered",
    nextAttemptAt: null,
    ...fields,
  };
}

export function someWalletCard(fields: Partial<StoredWalletCard> = {}): StoredWalletCard {
  const { id, createdAt } = createOrigin("wp");
  return {
    passId: id,
    templateId: `tpl_${id}`,
    authenticationToken: `authentication ${id}`,
    linkToken: `link ${id}`,
    revision: 0,
    changedAt: 0,
    atGoogleSince: null,
    revokedAt: null,
    notifiedUntil: null,
    releasedAt: null,
    messageId: null,
    messageDeliveryId: null,
    messageUntil: null,
    messageRevision: 0,
    isMessageAnnounced: false,
    notificationTimes: [],
    createdAt,
    ...fields,
  };
}

/** Builds a registered Apple device. */
export function someWalletDevice(
  { passId }: StoredWalletCard,
  fields: Partial<StoredWalletDevice> = {},
): StoredWalletDevice {
  const { id, createdAt, updatedAt } = createOrigin("dev");
  return {
    passId,
    platform: "apple",
    deviceId: id,
    pushToken: `token ${id}`,
    state: "registered",
    notifiedRevision: 0,
    createdAt,
    updatedAt,
    ...fields,
  };
}

export function someWalletDelivery(
  { passId }: StoredWalletCard,
  fields: Partial<NewWalletDelivery> = {},
): NewWalletDelivery {
  const { createdAt } = createOrigin("whd");
  return { passId, platform: "apple", revision: 1, nextAttemptAt: createdAt, createdAt, ...fields };
}

export function somePicture(fields: Partial<StoredPicture> = {}): StoredPicture {
  const { id, createdAt } = createOrigin("pic");
  return {
    hash: hashToken(id),
    type: "image/png",
    width: 3,
    height: 2,
    bytes: new Uint8Array([0, 255, 10, 13]),
    createdAt,
    ...fields,
  };
}

export function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function createOrigin(prefix: string) {
  createdCount += 1;
  const time = 1_700_000_000_000 + createdCount;
  return {
    id: `${prefix}_018bcfe5-6800-7000-8000-${createdCount.toString(16).padStart(12, "0")}`,
    createdAt: time,
    updatedAt: time,
  };
}

/** Returns the IDs of rows, in their order. */
export function listIds(rows: readonly { readonly id: string }[]): string[] {
  return rows.map(({ id }) => id);
}
