import type { CallTable } from "./call-table.js";

/** Made from the route table by its test, which fails when they differ. */
export const calls = {
  tags: {
    create: "POST /v1/user-tags",
    list: "GET /v1/user-tags",
    query: "QUERY /v1/user-tags/query",
    get: "GET /v1/user-tags/{slug}",
    update: "PUT /v1/user-tags/{slug}",
    delete: "DELETE /v1/user-tags/{slug}",
    users: "STREAM /v1/user-tags/{slug}/users",
    assignUsers: "POST /v1/user-tags/{slug}/users:assign",
    unassignUsers: "POST /v1/user-tags/{slug}/users:unassign",
    ofUser: "GET /v1/users/{userId}/tags",
    assign: "POST /v1/users/{userId}/tags/{tagSlug}",
    unassign: "DELETE /v1/users/{userId}/tags/{tagSlug}",
  },
  users: {
    create: "POST /v1/users",
    list: "STREAM /v1/users",
    upsert: "POST /v1/users:upsert",
    find: "GET /v1/users:find",
    get: "GET /v1/users/{userId}",
    update: "PATCH /v1/users/{userId}",
    delete: "DELETE /v1/users/{userId}",
  },
  passes: {
    ofUser: "GET /v1/users/{userId}/passes",
    create: "POST /v1/templates/{templateId}/walletpasses",
    ensure: "POST /v1/templates/{templateId}/walletpasses:ensure",
    get: "GET /v1/walletpasses/{walletPassId}",
    delete: "DELETE /v1/walletpasses/{walletPassId}",
    walletLinks: "GET /v1/walletpasses/{walletPassId}/wallet-links",
    revokeWalletLinks: "DELETE /v1/walletpasses/{walletPassId}/wallet-links",
  },
  contacts: {
    list: "GET /v1/contacts",
  },
  templates: {
    create: "POST /v1/templates",
    list: "GET /v1/templates",
    get: "GET /v1/templates/{templateId}",
    update: "PATCH /v1/templates/{templateId}",
    delete: "DELETE /v1/templates/{templateId}",
  },
  stamps: {
    state: "GET /v1/walletpasses/{walletPassId}/stamps",
    history: "GET /v1/walletpasses/{walletPassId}/stamps/history",
    add: "POST /v1/walletpasses/{walletPassId}/stamps/add",
    remove: "POST /v1/walletpasses/{walletPassId}/stamps/remove",
    set: "POST /v1/walletpasses/{walletPassId}/stamps/set",
    reset: "POST /v1/walletpasses/{walletPassId}/stamps/reset",
    redeem: "POST /v1/walletpasses/{walletPassId}/stamps/redeem",
    reverse: "POST /v1/walletpasses/{walletPassId}/stamps/reverse",
  },
  events: {
    list: "GET /v1/events",
  },
  webhooks: {
    create: "POST /v1/webhook-endpoints",
    list: "GET /v1/webhook-endpoints",
    get: "GET /v1/webhook-endpoints/{webhookEndpointId}",
    update: "PATCH /v1/webhook-endpoints/{webhookEndpointId}",
    delete: "DELETE /v1/webhook-endpoints/{webhookEndpointId}",
    rotateSecret: "POST /v1/webhook-endpoints/{webhookEndpointId}/rotate-secret",
    deliveries: "GET /v1/webhook-endpoints/{webhookEndpointId}/deliveries",
    replay: "POST /v1/webhook-endpoints/{webhookEndpointId}/replay",
    test: "POST /v1/webhook-endpoints/{webhookEndpointId}/test",
  },
  statistics: {
    get: "GET /v1/statistics",
  },
  apiTokens: {
    create: "POST /v1/api-keys",
    list: "GET /v1/api-keys",
    delete: "DELETE /v1/api-keys/{id}",
  },
} satisfies CallTable;
