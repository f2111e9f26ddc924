/**
 * A route's kind, which determines its HTTP method. `STREAM` is a GET that streams a list, `FILE` is a GET that returns bytes,
 * `QUERY` is a POST that changes nothing, and `ACT` is a POST without a body.
 */
export type RouteKind = "GET" | "STREAM" | "FILE" | "QUERY" | "POST" | "ACT" | "PUT" | "PATCH" | "DELETE";

/**
 * A route, written as its kind followed by its path in OpenAPI syntax. A parameter after the path names a body field that calls
 * take as a separate argument, as in `POST /v1/templates:ensure {key}`.
 */
export type RouteText = `${RouteKind} /v1/${string}`;

/**
 * The routes of all HTTP operations, keyed by group and name. A call's first arguments are the route parameters, in order. The
 * next argument is the body, or the query for a `GET`. The HTTP client is generated entirely from this table.
 */
export const routes = {
  tags: {
    create: "POST /v1/user-tags",
    ensure: "POST /v1/user-tags:ensure {slug}",
    list: "GET /v1/user-tags",
    query: "QUERY /v1/user-tags/query",
    get: "GET /v1/user-tags/{slug}",
    update: "PUT /v1/user-tags/{slug}",
    delete: "DELETE /v1/user-tags/{slug}",
    merge: "POST /v1/user-tags/{slug}/merge",
    users: "STREAM /v1/user-tags/{slug}/users",
    assignUsers: "POST /v1/user-tags/{slug}/users:assign",
    unassignUsers: "POST /v1/user-tags/{slug}/users:unassign",
    ofUser: "GET /v1/users/{userId}/tags",
    assign: "ACT /v1/users/{userId}/tags/{tagSlug}",
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
    erase: "ACT /v1/users/{userId}/erase",
    dossier: "GET /v1/users/{userId}/dossier",
  },
  contacts: {
    list: "GET /v1/contacts",
  },
  templates: {
    create: "POST /v1/templates",
    ensure: "POST /v1/templates:ensure {key}",
    list: "GET /v1/templates",
    get: "GET /v1/templates/{templateId}",
    update: "PATCH /v1/templates/{templateId}",
    delete: "DELETE /v1/templates/{templateId}",
  },
  passes: {
    ofUser: "GET /v1/users/{userId}/passes",
    create: "POST /v1/templates/{templateId}/walletpasses",
    ensure: "POST /v1/templates/{templateId}/walletpasses:ensure",
    getOfTemplate: "GET /v1/templates/{templateId}/walletpasses/{walletPassId}",
    deleteOfTemplate: "DELETE /v1/templates/{templateId}/walletpasses/{walletPassId}",
    getByCode: "GET /v1/walletpasses/lookup",
    get: "GET /v1/walletpasses/{walletPassId}",
    delete: "DELETE /v1/walletpasses/{walletPassId}",
    walletLinks: "GET /v1/walletpasses/{walletPassId}/wallet-links",
    revokeWalletLinks: "DELETE /v1/walletpasses/{walletPassId}/wallet-links",
    setInstallation: "PUT /v1/walletpasses/{walletPassId}/installation",
    notify: "POST /v1/walletpasses/{walletPassId}/notify",
    deliveries: "GET /v1/walletpasses/{walletPassId}/deliveries",
  },
  stamps: {
    state: "GET /v1/walletpasses/{walletPassId}/stamps",
    history: "GET /v1/walletpasses/{walletPassId}/stamps/history",
    add: "POST /v1/walletpasses/{walletPassId}/stamps/add",
    remove: "POST /v1/walletpasses/{walletPassId}/stamps/remove",
    set: "POST /v1/walletpasses/{walletPassId}/stamps/set",
    reset: "ACT /v1/walletpasses/{walletPassId}/stamps/reset",
    redeem: "POST /v1/walletpasses/{walletPassId}/stamps/redeem",
    reverse: "POST /v1/walletpasses/{walletPassId}/stamps/reverse",
  },
  points: {
    state: "GET /v1/walletpasses/{walletPassId}/points",
    history: "GET /v1/walletpasses/{walletPassId}/points/history",
    add: "POST /v1/walletpasses/{walletPassId}/points/add",
    remove: "POST /v1/walletpasses/{walletPassId}/points/remove",
    spend: "POST /v1/walletpasses/{walletPassId}/points/spend",
    reverse: "POST /v1/walletpasses/{walletPassId}/points/reverse",
  },
  purchases: {
    put: "PUT /v1/purchases/{source}/{receipt}",
    list: "GET /v1/purchases",
    get: "GET /v1/purchases/{source}/{receipt}",
    addReturn: "POST /v1/purchases/{source}/{receipt}/returns",
    confirm: "ACT /v1/purchases/{source}/{receipt}/confirm",
  },
  events: {
    list: "GET /v1/events",
    get: "GET /v1/events/{eventId}",
  },
  webhooks: {
    create: "POST /v1/webhook-endpoints",
    list: "GET /v1/webhook-endpoints",
    get: "GET /v1/webhook-endpoints/{webhookEndpointId}",
    update: "PATCH /v1/webhook-endpoints/{webhookEndpointId}",
    delete: "DELETE /v1/webhook-endpoints/{webhookEndpointId}",
    rotateSecret: "ACT /v1/webhook-endpoints/{webhookEndpointId}/rotate-secret",
    deliveries: "GET /v1/webhook-endpoints/{webhookEndpointId}/deliveries",
    replay: "POST /v1/webhook-endpoints/{webhookEndpointId}/replay",
    test: "ACT /v1/webhook-endpoints/{webhookEndpointId}/test",
  },
  segments: {
    create: "POST /v1/segments",
    list: "GET /v1/segments",
    query: "QUERY /v1/segments/query",
    get: "GET /v1/segments/{segmentSlug}",
    update: "PUT /v1/segments/{segmentSlug}",
    delete: "DELETE /v1/segments/{segmentSlug}",
    members: "GET /v1/segments/{segmentSlug}/members",
    explain: "GET /v1/segments/{segmentSlug}/explain/{userId}",
    statistics: "GET /v1/segments/{segmentSlug}/statistics",
  },
  statistics: {
    get: "GET /v1/statistics",
    points: "GET /v1/statistics/points",
  },
  apiTokens: {
    create: "POST /v1/api-tokens",
    list: "GET /v1/api-tokens",
    listCreated: "GET /v1/api-tokens/{id}/created",
    rotate: "POST /v1/api-tokens/{id}/rotate",
    delete: "DELETE /v1/api-tokens/{id}",
  },
  people: {
    invite: "POST /v1/people",
    list: "GET /v1/people",
    get: "GET /v1/people/{personId}",
    update: "PATCH /v1/people/{personId}",
    delete: "DELETE /v1/people/{personId}",
    inviteAgain: "POST /v1/people/{personId}/invite",
    sessions: "GET /v1/people/{personId}/sessions",
    endSessions: "DELETE /v1/people/{personId}/sessions",
    endSession: "DELETE /v1/people/{personId}/sessions/{sessionId}",
  },
  apps: {
    create: "POST /v1/apps",
    list: "GET /v1/apps",
    get: "GET /v1/apps/{appId}",
    rotateSecret: "POST /v1/apps/{appId}/rotate-secret",
    delete: "DELETE /v1/apps/{appId}",
  },
  grants: {
    list: "GET /v1/grants",
    delete: "DELETE /v1/grants/{grantId}",
  },
  subscriptions: {
    get: "GET /v1/users/{userId}/subscription",
    put: "PUT /v1/users/{userId}/subscription",
  },
  messages: {
    create: "POST /v1/messages",
    list: "GET /v1/messages",
    get: "GET /v1/messages/{messageId}",
    update: "PATCH /v1/messages/{messageId}",
    delete: "DELETE /v1/messages/{messageId}",
    preview: "QUERY /v1/messages/{messageId}/preview",
    test: "POST /v1/messages/{messageId}/test",
    send: "ACT /v1/messages/{messageId}/send",
    cancel: "ACT /v1/messages/{messageId}/cancel",
    deliveries: "GET /v1/messages/{messageId}/deliveries",
  },
  messageSettings: {
    get: "GET /v1/message-settings",
    update: "PUT /v1/message-settings",
  },
  messageDeliveries: {
    get: "GET /v1/message-deliveries/{messageDeliveryId}",
    bounce: "POST /v1/message-deliveries/{messageDeliveryId}/bounce",
    bounceAddress: "POST /v1/message-deliveries:bounce",
  },
  automations: {
    create: "POST /v1/automations",
    list: "GET /v1/automations",
    get: "GET /v1/automations/{automationId}",
    update: "PATCH /v1/automations/{automationId}",
    delete: "DELETE /v1/automations/{automationId}",
    runs: "GET /v1/automations/{automationId}/runs",
    test: "QUERY /v1/automations/{automationId}/test",
    ofUser: "GET /v1/users/{userId}/automation-runs",
  },
  settings: {
    get: "GET /v1/settings",
    update: "PUT /v1/settings",
  },
  exports: {
    everything: "FILE /v1/export",
  },
  audit: {
    list: "GET /v1/audit-entries",
    verify: "GET /v1/audit-entries:verify",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, RouteText>>>>;

export type Routes = typeof routes;
