import assert from "node:assert/strict";
import type { Scope } from "loyalty-kit";
import { scopesOfRole } from "../../src/base/scopes.js";
import { serviceInternals } from "../../src/internals.js";
import type { HttpUnderTest } from "./every-mount.js";

/* Every endpoint of the API, as listed in its tables. */

/** One resource of each kind, all of one organization. The user has the tag and the pass. */
export interface World {
  readonly userId: string;
  readonly slug: string;
  /** A tag that no user has. */
  readonly otherSlug: string;
  /** The segment of the users with the tag. */
  readonly segmentSlug: string;
  readonly templateId: string;
  readonly walletPassId: string;
  readonly tokenId: string;
  readonly appId: string;
  /** A person with the role `till`, and their session. */
  readonly personId: string;
  readonly sessionId: string;
  /** The grant of the app. */
  readonly grantId: string;
  readonly webhookEndpointId: string;
  /** The delivery of a mail about a pass that is deleted. */
  readonly messageDeliveryId: string;
  /** A draft of a mail to all users. */
  readonly messageId: string;
  readonly automationId: string;
  /** The oldest event. */
  readonly eventId: string;
  readonly qrCodeValue: string;
  /** The newest entry of the pass, and the user's email. */
  readonly entryId: string;
  readonly email: string;
  /** A pass with points, and the entry that added them. */
  readonly pointPassId: string;
  readonly pointEntryId: string;
  /** The user's purchase. No other world has the same source or receipt. */
  readonly source: string;
  readonly receipt: string;
}

export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly scope: Scope;
  /** Other scopes that the endpoint requires. */
  readonly otherScopes?: readonly Scope[];
  /** The status on success. */
  readonly status: 200 | 201 | 202 | 204;
  /** The other success status, if a call returns an existing resource or creates it. */
  readonly otherStatus?: 200 | 201;
  /** True if the endpoint creates what its path names, so that no name is unknown. */
  readonly isNewByPath?: true;
  /** A scope that is sufficient instead of the others. */
  readonly orScope?: Scope;
  /** A query that the endpoint requires. */
  readonly query?: (world: World) => string;
  /** A valid body; absent if the endpoint reads none. */
  readonly body?: (world: World) => unknown;
}

const user = "/v1/users/{userId}";
const pass = "/v1/walletpasses/{walletPassId}";
const points = "/v1/walletpasses/{pointPassId}/points";
const purchase = "/v1/purchases/{source}/{receipt}";
const webhookEndpoint = "/v1/webhook-endpoints/{webhookEndpointId}";
const messageDelivery = "/v1/message-deliveries/{messageDeliveryId}";
const message = "/v1/messages/{messageId}";
const segment = "/v1/segments/{segmentSlug}";
const automation = "/v1/automations/{automationId}";
const personPath = "/v1/people/{personId}";
/** The scopes of the person's role, which a caller needs to change the person. */
const tillScopes = scopesOfRole.till;
const passOfTemplate = "/v1/templates/{templateId}/walletpasses/{walletPassId}";

export const endpoints: readonly Endpoint[] = [
  postEndpoint("/v1/user-tags", "user_tag:write", () => ({ name: "New" })),
  {
    ...postEndpoint("/v1/user-tags:ensure", "user_tag:write", ({ slug }) => ({ slug })),
    otherScopes: ["user_tag:read"],
    status: 200,
    otherStatus: 201,
  },
  {
    ...postEndpoint("/v1/templates:ensure", "template:create", () => ({
      key: "tea",
      name: "Tea",
      type: "LOYALTY_CARD",
    })),
    otherScopes: ["template:read"],
    status: 201,
    otherStatus: 200,
  },
  getEndpoint("/v1/user-tags", "user_tag:read"),
  getEndpoint("/v1/user-tags/{slug}", "user_tag:read"),
  {
    method: "PUT",
    path: "/v1/user-tags/{slug}",
    scope: "user_tag:write",
    status: 200,
    body: () => ({ name: "Renamed" }),
  },
  deleteEndpoint("/v1/user-tags/{slug}", "user_tag:write"),
  getEndpoint(`${user}/tags`, "user_tag:read"),
  { method: "POST", path: `${user}/tags/{tagSlug}`, scope: "user_tag:write", status: 201 },
  deleteEndpoint(`${user}/tags/{tagSlug}`, "user_tag:write"),
  getEndpoint("/v1/user-tags/{slug}/users", "user_tag:read"),
  {
    ...postEndpoint("/v1/user-tags/query", "user_tag:read", ({ slug }) => ({
      filter: { operator: "OR", conditions: [{ slug }] },
    })),
    status: 200,
  },
  {
    ...postEndpoint("/v1/user-tags/{slug}/merge", "user_tag:write", ({ otherSlug }) => ({ into: otherSlug })),
    status: 200,
  },
  bulkTaggingEndpoint("assign"),
  bulkTaggingEndpoint("unassign"),
  postEndpoint("/v1/users", "user:create", () => ({ email: "new@example.com" })),
  {
    ...postEndpoint("/v1/users:upsert", "user:update", ({ email }) => ({ email, name: "Ada" })),
    otherScopes: ["user:create"],
    status: 200,
  },
  { ...getEndpoint("/v1/users:find", "user:read"), query: ({ email }) => `?email=${email}` },
  getEndpoint(user, "user:read"),
  getEndpoint("/v1/contacts", "user:read"),
  getEndpoint("/v1/users", "user:read"),
  { method: "PATCH", path: user, scope: "user:update", status: 200, body: () => ({ name: "Renamed" }) },
  deleteEndpoint(user, "user:update"),
  {
    ...getEndpoint(`${user}/dossier`, "user:read"),
    otherScopes: ["user_tag:read", "pass:read", "webhook:manage"],
  },
  getEndpoint(`${user}/passes`, "pass:read"),
  getEndpoint(`${user}/subscription`, "user:read"),
  {
    method: "PUT",
    path: `${user}/subscription`,
    scope: "user:update",
    status: 200,
    body: () => ({ email: { status: "SUBSCRIBED", text: "News, please." } }),
  },
  postEndpoint("/v1/templates/{templateId}/walletpasses", "pass:create", ({ userId }) => ({ userId })),
  {
    ...postEndpoint("/v1/templates/{templateId}/walletpasses:ensure", "pass:create", ({ userId }) => ({
      userId,
    })),
    otherScopes: ["pass:read"],
    status: 200,
  },
  getEndpoint(passOfTemplate, "pass:read"),
  getEndpoint(pass, "pass:read"),
  deleteEndpoint(passOfTemplate, "pass:delete"),
  deleteEndpoint(pass, "pass:delete"),

  postEndpoint("/v1/templates", "template:create", () => ({ name: "New", type: "LOYALTY_CARD" })),
  getEndpoint("/v1/templates", "template:read"),
  getEndpoint("/v1/templates/{templateId}", "template:read"),
  {
    method: "PATCH",
    path: "/v1/templates/{templateId}",
    scope: "template:update",
    status: 200,
    body: () => ({ name: "Renamed" }),
  },
  deleteEndpoint("/v1/templates/{templateId}", "template:delete"),

  {
    method: "PUT",
    path: `${pass}/installation`,
    scope: "pass:update",
    status: 200,
    body: () => ({ status: "INSTALLED" }),
  },
  getEndpoint(`${pass}/wallet-links`, "pass:read"),
  { method: "DELETE", path: `${pass}/wallet-links`, scope: "pass:update", status: 200 },
  {
    ...getEndpoint("/v1/walletpasses/lookup", "pass:read"),
    query: ({ qrCodeValue }) => `?qrCodeValue=${encodeURIComponent(qrCodeValue)}`,
  },
  { method: "POST", path: `${pass}/notify`, scope: "pass:notify", status: 202, body: () => ({}) },
  getEndpoint(`${pass}/deliveries`, "pass:read"),
  getEndpoint(`${pass}/stamps`, "pass:read"),
  getEndpoint(`${pass}/stamps/history`, "pass:read"),
  { ...stampEndpoint("reverse"), body: ({ entryId }) => ({ entryId }) },
  stampEndpoint("add", { count: 2, note: "n" }),
  stampEndpoint("remove", { count: 1 }),
  stampEndpoint("set", { stamps: 3 }),
  stampEndpoint("reset"),
  stampEndpoint("redeem"),

  getEndpoint(points, "pass:read"),
  getEndpoint(`${points}/history`, "pass:read"),
  pointEndpoint("add", () => ({ points: 5, note: "n" })),
  // Must come before the points are used.
  pointEndpoint("reverse", ({ pointEntryId }) => ({ entryId: pointEntryId })),
  pointEndpoint("remove", () => ({ points: 1 })),
  pointEndpoint("spend", () => ({ points: 1 })),

  {
    method: "PUT",
    path: purchase,
    scope: "purchase:write",
    status: 200,
    otherStatus: 201,
    isNewByPath: true,
    body: ({ userId }) => ({ userId, currency: "EUR", lines: [{ amount: 1_250 }] }),
  },
  getEndpoint("/v1/purchases", "purchase:read"),
  getEndpoint(purchase, "purchase:read"),
  {
    ...postEndpoint(`${purchase}/returns`, "purchase:write", () => ({ returnId: "r-1", all: true })),
    status: 200,
  },
  { method: "POST", path: `${purchase}/confirm`, scope: "purchase:write", status: 200 },

  getEndpoint("/v1/settings", "settings:read"),
  {
    method: "PUT",
    path: "/v1/settings",
    scope: "settings:write",
    status: 200,
    body: () => ({ timeZone: "Europe/Vienna" }),
  },

  postEndpoint("/v1/messages", "message:send", () => ({
    name: "News",
    audience: { all: true },
    channels: ["email"],
    texts: [{ language: "en", subject: "News", text: "There is coffee." }],
  })),
  getEndpoint("/v1/messages", "message:read"),
  {
    method: "POST",
    path: "/v1/automations",
    scope: "automation:manage",
    otherScopes: ["user:read", "user_tag:write"],
    status: 201,
    body: ({ slug }) => ({ name: "New", on: { event: "user.created" }, do: [{ assignTag: slug }] }),
  },
  getEndpoint("/v1/automations", "automation:manage"),
  getEndpoint(automation, "automation:manage"),
  {
    method: "PATCH",
    path: automation,
    scope: "automation:manage",
    status: 200,
    body: () => ({ name: "Newer" }),
  },
  getEndpoint(`${automation}/runs`, "automation:manage"),
  {
    method: "POST",
    path: `${automation}/test`,
    scope: "automation:manage",
    otherScopes: ["user:read"],
    status: 200,
    body: ({ userId }) => ({ userId }),
  },
  {
    ...getEndpoint(`${user}/automation-runs`, "automation:manage"),
    otherScopes: ["user_tag:read", "pass:read", "user:read"],
  },
  { method: "DELETE", path: automation, scope: "automation:manage", status: 204 },
  getEndpoint(message, "message:read"),
  {
    method: "PATCH",
    path: message,
    scope: "message:send",
    status: 200,
    body: () => ({ name: "Old news" }),
  },
  deleteEndpoint(message, "message:send"),
  { method: "POST", path: `${message}/preview`, scope: "message:read", status: 200 },
  {
    method: "POST",
    path: `${message}/test`,
    scope: "message:send",
    status: 202,
    body: ({ userId }) => ({ userId }),
  },
  { method: "POST", path: `${message}/send`, scope: "message:send", status: 202 },
  { method: "POST", path: `${message}/cancel`, scope: "message:send", status: 200 },
  getEndpoint(`${message}/deliveries`, "message:read"),

  getEndpoint("/v1/message-settings", "message:read"),
  {
    method: "PUT",
    path: "/v1/message-settings",
    scope: "message:send",
    status: 200,
    body: () => ({ senderName: "Coffee" }),
  },
  { ...getEndpoint(messageDelivery, "message:read"), orScope: "pass:read" },
  { ...postEndpoint(`${messageDelivery}/bounce`, "message:send", () => ({ kind: "soft" })), status: 204 },
  {
    ...postEndpoint("/v1/message-deliveries:bounce", "message:send", () => ({
      email: "a@example.com",
      kind: "soft",
    })),
    status: 204,
  },

  getEndpoint("/v1/events", "webhook:manage"),
  getEndpoint("/v1/events/{eventId}", "webhook:manage"),

  postEndpoint("/v1/webhook-endpoints", "webhook:manage", () => ({ url: "https://example.com/new" })),
  getEndpoint("/v1/webhook-endpoints", "webhook:manage"),
  getEndpoint(webhookEndpoint, "webhook:manage"),
  {
    method: "PATCH",
    path: webhookEndpoint,
    scope: "webhook:manage",
    status: 200,
    body: () => ({ description: "Changed" }),
  },
  deleteEndpoint(webhookEndpoint, "webhook:manage"),
  { method: "POST", path: `${webhookEndpoint}/rotate-secret`, scope: "webhook:manage", status: 200 },
  getEndpoint(`${webhookEndpoint}/deliveries`, "webhook:manage"),
  {
    method: "POST",
    path: `${webhookEndpoint}/replay`,
    scope: "webhook:manage",
    status: 200,
    body: () => ({ since: "2000-01-01T00:00:00.000Z", until: "2999-01-01T00:00:00.000Z" }),
  },
  { method: "POST", path: `${webhookEndpoint}/test`, scope: "webhook:manage", status: 201 },

  {
    ...postEndpoint("/v1/segments/query", "segment:read", ({ slug, templateId }) => ({
      filter: {
        operator: "OR",
        conditions: [{ slug }, { stamps: { templateId } }, { field: { name: "name", exists: true } }],
      },
    })),
    otherScopes: ["user_tag:read", "pass:read", "user:read"],
    status: 200,
  },
  {
    ...postEndpoint("/v1/segments", "segment:write", ({ slug }) => ({
      name: "New",
      filter: { operator: "OR", conditions: [{ slug }] },
    })),
    otherScopes: ["user_tag:read"],
  },
  getEndpoint("/v1/segments", "segment:read"),
  getEndpoint(segment, "segment:read"),
  {
    method: "PUT",
    path: segment,
    scope: "segment:write",
    otherScopes: ["user_tag:read"],
    status: 200,
    body: () => ({ name: "Renamed" }),
  },
  deleteEndpoint(segment, "segment:write"),
  { ...getEndpoint(`${segment}/members`, "segment:read"), otherScopes: ["user_tag:read"] },
  { ...getEndpoint(`${segment}/explain/{userId}`, "segment:read"), otherScopes: ["user_tag:read"] },
  { ...getEndpoint(`${segment}/statistics`, "segment:read"), otherScopes: ["user_tag:read"] },
  getEndpoint("/v1/statistics", "statistics:read"),
  getEndpoint("/v1/statistics/points", "statistics:read"),

  getEndpoint("/v1/export", "organization:export"),

  getEndpoint("/v1/audit-entries", "audit:read"),
  getEndpoint("/v1/audit-entries:verify", "audit:read"),

  postEndpoint("/v1/api-tokens", "api_token:manage", () => ({ name: "New", scopes: ["api_token:manage"] })),
  getEndpoint("/v1/api-tokens", "api_token:manage"),
  getEndpoint("/v1/api-tokens/{id}/created", "api_token:manage"),
  { method: "POST", path: "/v1/api-tokens/{id}/rotate", scope: "api_token:manage", status: 200 },
  deleteEndpoint("/v1/api-tokens/{id}", "api_token:manage"),
  {
    ...postEndpoint("/v1/people", "people:manage", () => ({ email: "new@example.com", role: "till" })),
    otherScopes: tillScopes,
  },
  getEndpoint("/v1/people", "people:manage"),
  getEndpoint(personPath, "people:manage"),
  {
    method: "PATCH",
    path: personPath,
    scope: "people:manage",
    otherScopes: tillScopes,
    status: 200,
    body: () => ({ name: "Bo" }),
  },
  {
    method: "POST",
    path: `${personPath}/invite`,
    scope: "people:manage",
    otherScopes: tillScopes,
    status: 200,
  },
  getEndpoint(`${personPath}/sessions`, "people:manage"),
  { ...deleteEndpoint(`${personPath}/sessions/{sessionId}`, "people:manage"), otherScopes: tillScopes },
  { ...deleteEndpoint(`${personPath}/sessions`, "people:manage"), otherScopes: tillScopes },
  { ...deleteEndpoint(personPath, "people:manage"), otherScopes: tillScopes },
  postEndpoint("/v1/apps", "api_token:manage", () => ({
    name: "New",
    redirectUris: ["https://app.example/back"],
    scopes: ["api_token:manage"],
  })),
  getEndpoint("/v1/apps", "api_token:manage"),
  getEndpoint("/v1/apps/{appId}", "api_token:manage"),
  { method: "POST", path: "/v1/apps/{appId}/rotate-secret", scope: "api_token:manage", status: 200 },
  deleteEndpoint("/v1/apps/{appId}", "api_token:manage"),
  getEndpoint("/v1/grants", "api_token:manage"),
  deleteEndpoint("/v1/grants/{grantId}", "api_token:manage"),

  { method: "POST", path: `${user}/erase`, scope: "user:update", status: 204 },
];

function getEndpoint(path: string, scope: Scope): Endpoint {
  return { method: "GET", path, scope, status: 200 };
}

function postEndpoint(path: string, scope: Scope, body: (world: World) => unknown): Endpoint {
  return { method: "POST", path, scope, status: 201, body };
}

function deleteEndpoint(path: string, scope: Scope): Endpoint {
  return { method: "DELETE", path, scope, status: 204 };
}

function bulkTaggingEndpoint(kind: string): Endpoint {
  const path = `/v1/user-tags/{slug}/users:${kind}`;
  return { ...postEndpoint(path, "user_tag:write", ({ userId }) => ({ userIds: [userId] })), status: 200 };
}

function stampEndpoint(kind: string, body?: unknown): Endpoint {
  const endpoint = {
    method: "POST",
    path: `${pass}/stamps/${kind}`,
    scope: "loyalty:manage",
    status: 200,
  } as const;
  return body === undefined ? endpoint : { ...endpoint, body: () => body };
}

function pointEndpoint(kind: string, body: (world: World) => unknown): Endpoint {
  return { method: "POST", path: `${points}/${kind}`, scope: "loyalty:manage", status: 200, body };
}

/** Returns the name of an endpoint, independent of the names of its path parameters. */
export function titleOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path.replace(/\{\w+\}/g, "{}")}`;
}

/** The resource that each path parameter names. */
const keysByParameter: Readonly<Record<string, keyof World>> = {
  userId: "userId",
  slug: "slug",
  tagSlug: "slug",
  segmentSlug: "segmentSlug",
  templateId: "templateId",
  walletPassId: "walletPassId",
  id: "tokenId",
  appId: "appId",
  personId: "personId",
  sessionId: "sessionId",
  grantId: "grantId",
  webhookEndpointId: "webhookEndpointId",
  messageDeliveryId: "messageDeliveryId",
  messageId: "messageId",
  automationId: "automationId",
  eventId: "eventId",
  pointPassId: "pointPassId",
  source: "source",
  receipt: "receipt",
};

/** Returns the value of a path parameter in a world. */
export function resourceOf(world: World, parameter: string): string {
  const key = keysByParameter[parameter];
  assert.ok(key, `no resource for the parameter ${parameter}`);
  return world[key];
}

/** Returns the names of a path's parameters. */
export function parseParameters(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
}

/** Builds an endpoint's path with the resources of a world. Some can be overridden. */
export function pathOf(
  { path, query }: Pick<Endpoint, "path" | "query">,
  world: World,
  overrides: Readonly<Record<string, string>> = {},
): string {
  const filledPath = path.replace(
    /\{(\w+)\}/g,
    (_, name: string) => overrides[name] ?? resourceOf(world, name),
  );
  return filledPath + (query?.(world) ?? "");
}

/** Resources that don't exist. */
export const nowhere: World = {
  userId: "nobody",
  slug: "nobody",
  otherSlug: "none",
  segmentSlug: "nobody",
  templateId: "tpl_unknown",
  walletPassId: "wp_unknown",
  tokenId: "akt_unknown",
  appId: "app_unknown",
  personId: "per_unknown",
  sessionId: "pse_unknown",
  grantId: "grt_unknown",
  webhookEndpointId: "whe_unknown",
  messageDeliveryId: "mdl_unknown",
  messageId: "msg_unknown",
  automationId: "aut_unknown",
  eventId: "evt_unknown",
  qrCodeValue: "unknown",
  entryId: "ste_unknown",
  email: "nobody@example.com",
  pointPassId: "wp_unknown",
  pointEntryId: "pte_unknown",
  source: "nobody",
  receipt: "unknown",
};

/** Creates an organization with one resource of each kind. Its stamp card was full once and has 50 more stamps. */
export async function createWorld(http: HttpUnderTest) {
  const organization = await http.createOrganization();
  const { acme } = organization;
  const { slug } = await acme.tags.create({ name: "VIP" });
  const { slug: otherSlug } = await acme.tags.create({ name: "Other" });
  const { id: userId } = await acme.users.create({ email: "ada@example.com", externalId: "c-1" });
  await acme.tags.assign(userId, slug);
  const { slug: segmentSlug } = await acme.segments.create({
    name: "Guests",
    filter: { operator: "AND", conditions: [{ slug }] },
  });
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 100 });
  const { id: walletPassId, qrCodeValue } = await acme.passes.create(template.id, { userId });
  await acme.stamps.add(walletPassId, { count: 100 });
  const { entryId } = await acme.stamps.add(walletPassId, { count: 50 });
  const pointTemplate = await acme.templates.create({ name: "Points", type: "LOYALTY_CARD", points: {} });
  const { id: pointPassId } = await acme.passes.create(pointTemplate.id, { userId });
  const { entryId: pointEntryId } = await acme.points.add(pointPassId, { points: 1_000 });
  const source = `till-${userId.slice(-12)}`;
  const { receipt } = await acme.purchases.put(source, userId, {
    userId,
    currency: "EUR",
    lines: [{ amount: 320 }],
  });
  const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["api_token:manage"] });
  const { app } = await acme.apps.create({
    name: "Till",
    redirectUris: ["https://app.example/back"],
    scopes: ["api_token:manage"],
  });
  const { person, link } = await acme.people.add({ email: "till@example.com", role: "till" });
  const token = link.path.split("/").at(-1) ?? "";
  await serviceInternals(http.loyalty).signIns.startSession(token, {
    device: "Chrome on Windows",
    isLong: true,
  });
  const [session] = await acme.people.sessions(person.id);
  await acme.grants.allow({
    appId: app.id,
    subject: "ada",
    scopes: ["api_token:manage"],
    redirectUri: null,
    codeChallenge: "x".repeat(43),
  });
  const [grant] = await acme.grants.list();
  const { id: mailedPass, notification } = await acme.passes.create(template.id, { userId, notify: true });
  await acme.passes.delete(mailedPass);
  const { id: messageId } = await acme.messages.create({
    name: "Hello",
    audience: { all: true },
    channels: ["email"],
    texts: [{ language: "en", subject: "Hello {name}", text: "There is coffee." }],
  });
  const { id: automationId } = await acme.automations.create({
    name: "Tag who comes",
    on: { event: "user.created" },
    do: [{ assignTag: slug }],
  });
  const { webhookEndpoint } = await acme.webhooks.create({ url: "https://example.com/webhooks" });
  const [event] = (await acme.events.list({ limit: 1 })).content;
  const resources: World = {
    userId,
    slug,
    otherSlug,
    segmentSlug,
    templateId: template.id,
    walletPassId,
    tokenId: apiToken.id,
    appId: app.id,
    personId: person.id,
    sessionId: session?.id ?? "",
    grantId: grant?.id ?? "",
    automationId,
    eventId: event?.id ?? "",
    webhookEndpointId: webhookEndpoint.id,
    messageDeliveryId:
      notification !== undefined && "delivery" in notification ? notification.delivery.id : "",
    messageId,
    qrCodeValue,
    entryId,
    email: "ada@example.com",
    pointPassId,
    pointEntryId,
    source,
    receipt,
  };
  return { ...organization, world: resources };
}
