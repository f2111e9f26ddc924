import { isEventType } from "../event-types.js";
import { isScope } from "../scopes.js";
import type { StoredApiToken } from "../storage/api-tokens.js";
import type { StoredApp, StoredGrant } from "../storage/apps.js";
import type { StoredCard, StoredPass, StoredStampEntry } from "../storage/passes.js";
import type { StoredAssignment, StoredTag } from "../storage/tags.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import type { StoredAttempt, StoredDelivery, StoredWebhookEndpoint } from "../storage/webhooks.js";
import { timestamp } from "../values/clock.js";
import { actorOf } from "./actor.js";
import type { ApiToken } from "./api-token.js";
import type { App } from "./app.js";
import type { Contact } from "./contact.js";
import type { Metadata } from "./fields/metadata.js";
import type { Grant } from "./grant.js";
import type { RevokedPass, WalletPass, WalletPassDetail } from "./pass.js";
import type { StampCard, StampEntry, StampProgress } from "./stamps.js";
import type { UserTag, UserTagAssignment } from "./tag.js";
import type { Template } from "./template.js";
import type { DeletedUser, User } from "./user.js";
import type { WebhookAttempt, WebhookDelivery } from "./webhook-delivery.js";
import type { WebhookEndpoint } from "./webhook-endpoint.js";

/* How stored rows look on the wire. The library answers exactly the same objects. */

export function userOf(user: StoredUser): User {
  return {
    id: user.id,
    object: "user",
    email: user.email,
    name: user.name,
    phone: user.phone,
    externalId: user.externalId,
    metadata: metadataOf(user.metadata),
    ...timesOf(user),
  };
}

export function deletedUserOf({ id }: Pick<StoredUser, "id">): DeletedUser {
  return { id, object: "user" };
}

/** @param withStamps whether the contact shows its stamp progress. */
export function contactOf(user: StoredUser, passes: readonly StoredPass[], withStamps: boolean): Contact {
  return {
    id: user.id,
    object: "contact",
    email: user.email,
    name: user.name,
    phone: user.phone,
    externalId: user.externalId,
    passInfos: passes.map(({ id, templateId }) => ({ templateId, passId: id })),
    ...(withStamps && { stampProgress: passes.flatMap((pass) => stampProgressOf(pass) ?? []) }),
    ...timesOf(user),
  };
}

export function userTagOf(tag: StoredTag): UserTag {
  return {
    id: tag.id,
    object: "UserTag",
    name: tag.name,
    slug: tag.slug,
    description: tag.description,
    color: tag.color,
    ...timesOf(tag),
  };
}

/** An assignment never changes, so it was updated when it was made. */
export function userTagAssignmentOf(assignment: StoredAssignment, tag: StoredTag): UserTagAssignment {
  const createdAt = timestamp(assignment.createdAt);
  return {
    id: assignment.id,
    object: "UserTagAssignment",
    userTag: userTagOf(tag),
    createdAt,
    updatedAt: createdAt,
  };
}

export function templateOf(template: StoredTemplate): Template {
  return {
    id: template.id,
    object: "template",
    name: template.name,
    type: template.type,
    maxStamps: template.maxStamps,
    design: template.design === null ? null : JSON.parse(template.design),
    ...timesOf(template),
  };
}

/** @param shortLinkBase what stands before the code in a QR value. */
export function walletPassOf(pass: StoredPass, shortLinkBase: string): WalletPass {
  return {
    id: pass.id,
    object: "wallet_pass",
    userId: pass.userId,
    templateId: pass.templateId,
    qrCodeValue: `${shortLinkBase}/${pass.code}`,
    isPreviewPass: pass.isPreviewPass,
    installationStatus: pass.installationStatus,
    ...timesOf(pass),
  };
}

export function walletPassDetailOf(
  pass: StoredPass,
  template: StoredTemplate,
  shortLinkBase: string,
): WalletPassDetail {
  return {
    ...walletPassOf(pass, shortLinkBase),
    template: templateOf(template),
    stampProgress: stampProgressOf(pass),
    rewardsAvailable: pass.card?.rewardsAvailable ?? null,
  };
}

export function revokedPassOf({
  id,
  userId,
  templateId,
}: Pick<StoredPass, "id" | "userId" | "templateId">): RevokedPass {
  return { id, object: "wallet_pass", userId, templateId };
}

export function stampCardOf(pass: StoredPass, card: StoredCard): StampCard {
  return {
    object: "stamp_card",
    walletPassId: pass.id,
    templateId: pass.templateId,
    currentStamps: card.currentStamps,
    maxStamps: card.maxStamps,
    totalStampsCollected: card.totalStampsCollected,
    timesCompleted: card.timesCompleted,
    rewardsAvailable: card.rewardsAvailable,
    lastStampAt: timestampOrNull(card.lastStampAt),
  };
}

export function stampEntryOf(entry: StoredStampEntry): StampEntry {
  return {
    id: entry.id,
    object: "stamp_entry",
    type: entry.type,
    delta: entry.delta,
    stampsBefore: entry.stampsBefore,
    stampsAfter: entry.stampsAfter,
    completions: entry.completions,
    note: entry.note,
    reverses: entry.reverses,
    actor: actorOf(entry),
    createdAt: timestamp(entry.createdAt),
  };
}

export function apiTokenOf(token: StoredApiToken): ApiToken {
  return {
    id: token.id,
    object: "api_token",
    name: token.name,
    prefix: token.prefix,
    scopes: token.scopes.filter(isScope),
    createdAt: timestamp(token.createdAt),
    lastUsedAt: timestampOrNull(token.lastUsedAt),
    expiresAt: timestampOrNull(token.expiresAt),
  };
}

export function appOf(app: StoredApp): App {
  return {
    id: app.id,
    object: "app",
    name: app.name,
    redirectUris: [...app.redirectUris],
    scopes: app.scopes.filter(isScope),
    ...timesOf(app),
  };
}

export function grantOf(grant: StoredGrant): Grant {
  return {
    id: grant.id,
    object: "grant",
    appId: grant.appId,
    subject: grant.subject,
    scopes: grant.scopes.filter(isScope),
    tokenId: grant.tokenId,
    createdAt: timestamp(grant.createdAt),
    expiresAt: grant.expiresAt === null ? null : timestamp(grant.expiresAt),
  };
}

export function webhookEndpointOf(endpoint: StoredWebhookEndpoint): WebhookEndpoint {
  return {
    id: endpoint.id,
    object: "webhook_endpoint",
    url: endpoint.url,
    description: endpoint.description,
    types: endpoint.types?.filter(isEventType) ?? null,
    isDisabled: endpoint.disabledAt !== null,
    disabledReason: endpoint.disabledReason,
    disabledAt: timestampOrNull(endpoint.disabledAt),
    ...timesOf(endpoint),
  };
}

/** @param attempts also those of other deliveries. */
export function webhookDeliveryOf(
  delivery: StoredDelivery,
  attempts: readonly StoredAttempt[],
): WebhookDelivery {
  return {
    id: delivery.id,
    object: "webhook_delivery",
    webhookEndpointId: delivery.endpointId,
    eventId: delivery.eventId,
    eventType: delivery.eventType,
    status: delivery.status,
    attempts: attempts.filter(({ deliveryId }) => deliveryId === delivery.id).map(webhookAttemptOf),
    nextAttemptAt: timestampOrNull(delivery.nextAttemptAt),
    ...timesOf(delivery),
  };
}

function webhookAttemptOf({
  number,
  startedAt,
  duration,
  status,
  answer,
  error,
}: StoredAttempt): WebhookAttempt {
  return { number, startedAt: timestamp(startedAt), duration, status, answer, error };
}

function stampProgressOf({ id, templateId, card }: StoredPass): StampProgress | null {
  if (card === null) return null;
  const { currentStamps, maxStamps, timesCompleted } = card;
  return { templateId, passId: id, currentStamps, maxStamps, timesCompleted };
}

function metadataOf(json: string): Metadata {
  return json === "{}" ? {} : JSON.parse(json);
}

function timesOf(row: { createdAt: number; updatedAt: number }): { createdAt: string; updatedAt: string } {
  const createdAt = timestamp(row.createdAt);
  return { createdAt, updatedAt: row.updatedAt === row.createdAt ? createdAt : timestamp(row.updatedAt) };
}

function timestampOrNull(ms: number | null): string | null {
  return ms === null ? null : timestamp(ms);
}
