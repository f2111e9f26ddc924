import assert from "node:assert/strict";

/* Every object of the API: its fields, and the format of ids and timestamps. */

const times = ["createdAt", "updatedAt"];
const user = ["id", "object", "email", "name", "phone", "externalId", ...times];
const page = ["content", "totalElements", "totalPages", "number", "size"];
const pass = [
  ...["id", "object", "userId", "templateId", "qrCodeValue", "isPreviewPass", "installationStatus"],
  ...times,
];
const passDetail = [...pass, "template", "stampProgress", "rewardsAvailable", "pointCard"];

const stampCard = [
  ...["object", "walletPassId", "templateId", "currentStamps", "maxStamps", "totalStampsCollected"],
  ...["timesCompleted", "rewardsAvailable", "lastStampAt"],
];

const pointCard = [
  ...["object", "walletPassId", "templateId", "available", "held", "pending", "debt", "expiring"],
  ...["earned", "spent", "expired", "lastEarnedAt"],
];

const purchase = [
  ...["id", "object", "source", "receipt", "revision", "userId", "at", "currency", "lines", "total"],
  ...["returnedTotal", "paidWithPoints", "note", "effects"],
  ...times,
];

const automation = [
  "id",
  "object",
  "name",
  "isEnabled",
  "version",
  "on",
  "after",
  "per",
  "createdAt",
  "updatedAt",
];
const message = [
  ...["id", "object", "name", "status", "audience", "templateId", "channels", "order", "link"],
  ...["sendAt", "expiresAt", "showUntil", "respectsCap", "sums", "startedAt", "completedAt"],
  ...times,
];

const segment = [
  ...["id", "object", "slug", "name", "description", "color", "filter", "emitsEvents", "isRecounting"],
  ...times,
];

const outstanding = ["available", "pending", "held", "debt", "months"];
const counts = [
  ...["customers", "activeCards", "stamps", "rewardsEarned", "rewardsRedeemed", "installs"],
  ...["pointsGiven", "pointsSpent", "pointsExpired"],
  ...["emailsAccepted", "emailsFailed", "walletMessages", "unsubscribed"],
];

/** Objects with a kind, and their possible sets of fields. */
const shapesByKind: Readonly<Record<string, readonly (readonly string[])[]>> = {
  UserTag: [["id", "object", "name", "slug", "description", "color", ...times]],
  UserTagAssignment: [["id", "object", "userTag", ...times]],
  user: [[...user, "metadata"]],
  contact: [
    [...user, "passInfos"],
    [...user, "passInfos", "stampProgress"],
    [...user, "passInfos", "summary"],
    [...user, "passInfos", "stampProgress", "summary"],
  ],
  segment_explanation: [["object", "segment", "userId", "matched", "tree"]],
  segment: [[...segment, "members"], [...segment, "members", "entered", "left"], segment],
  template: [
    [
      ...["id", "object", "key", "name", "type", "maxStamps", "reward", "design", "earning", "points"],
      ...times,
    ],
  ],
  wallet_pass: [
    pass,
    [...pass, "notification"],
    passDetail,
    [...passDetail, "notification"],
    [...pass, "platform"],
    [...passDetail, "stamps", "history", "pointHistory", "devices"],
  ],
  stamp_card: [
    stampCard,
    [...stampCard, "entryId", "completions"],
    [...stampCard, "reverses"],
    [...stampCard, "userId"],
  ],
  stamp_entry: [
    [
      ...["id", "object", "type", "delta", "stampsBefore", "stampsAfter", "completions", "note", "reverses"],
      "purchase",
      "actor",
      "createdAt",
    ],
  ],
  point_card: [pointCard, [...pointCard, "entryId"]],
  point_entry: [
    [
      ...["id", "object", "type", "points", "debt", "lots", "usableFrom", "expiresAt", "purchase"],
      ...["reverses", "note", "actor", "at", "createdAt"],
    ],
  ],
  purchase: [purchase, [...purchase, "changes"], [...purchase, "changes", "isApplied"]],
  audit_entry: [["object", "sequence", "action", "target", "details", "actor", "hash", "createdAt"]],
  audit_verification: [["object", "entries", "head", "brokenAt"]],
  webhook_endpoint: [
    [
      ...["id", "object", "url", "description", "types", "isDisabled", "disabledReason", "disabledAt"],
      ...times,
    ],
  ],
  webhook_delivery: [
    [
      ...["id", "object", "webhookEndpointId", "eventId", "eventType", "status", "attempts", "nextAttemptAt"],
      ...times,
    ],
  ],
  subscription: [["object", "userId", "email", "wallet", "suppressed", "emailConfirmedAt", "language"]],
  message_settings: [["object", "senderName", "replyTo", "footer", "quietHours", "cap", "walletByDefault"]],
  message: [message, [...message, "texts"]],
  message_delivery: [
    [
      ...["id", "object", "kind", "userId", "passId", "messageId", "automationRunId"],
      ...["channel", "platform", "status", "reason", "isSilent", "isUncertain", "attempts", "nextAttemptAt"],
      ...times,
    ],
  ],
  automation: [automation, [...automation, "if", "do"]],
  automation_test: [["object", "automationId", "userId", "wouldRun", "reason", "if", "actions"]],
  automation_run: [
    [
      ...["id", "object", "automationId", "version", "userId", "occasion", "status", "reason", "actionIndex"],
      ...["dueAt", ...times],
    ],
  ],
  settings: [["object", "name", "logo", "language", "currency", "timeZone", "requiresEmail", "updatedAt"]],
  dossier: [
    [
      ...["object", "user", "tags", "passes", "purchases", "subscription", "messageDeliveries"],
      ...["automationRuns", "events"],
    ],
  ],
  statistics: [["object", "from", "to", ...counts, "visitsByHour", "days"]],
  outstanding_points: [["object", "at", ...outstanding, "templates"]],
  segment_statistics: [["object", "from", "to", "members", "entered", "left", "days"]],
  api_token: [
    [
      "id",
      "object",
      "name",
      "prefix",
      "scopes",
      "createdAt",
      "lastUsedAt",
      "expiresAt",
      "allowedAddresses",
      "createdBy",
    ],
  ],
  created_by_token: [
    ["object", "tokenId", "apiTokens", "apps", "grants", "endedGrantIds", "webhookEndpointIds"],
  ],
  person: [["id", "object", "email", "name", "role", "status", "invitedAt", "lastSignedInAt"]],
  person_session: [["id", "object", "device", "createdAt", "lastSeenAt", "expiresAt"]],
  app: [["id", "object", "name", "isPublic", "redirectUris", "scopes", "createdBy", ...times]],
  grant: [["id", "object", "appId", "subject", "scopes", "tokenId", "createdAt", "expiresAt"]],
};

/** Objects without a kind. */
const shapesWithoutKind: readonly (readonly string[])[] = [
  page,
  [...page, "first", "last", "empty"],
  ["templateId", "passId"],
  ["cards", "tags"],
  ["rewardsAvailable", "lastVisitAt", "isInWallet"],
  ["templateId", "passId", "currentStamps", "maxStamps", "timesCompleted"],
  ["language", "wallet", "subject", "text"],
  ["recipients", "customers", "pending", "sending", "accepted", "failed", "skipped", "uncertain"],
  ["recipients", "customers", "byChannel", "skipped", "languages", "seconds"],
  ["apple", "google", "page"],
  ["platform", "state", ...times],
  ["apple", "google", "other"],
  ["date", ...counts],
  ["templateId", ...outstanding],
  ["month", "points"],
  ["token", "apiToken"],
  ["clientSecret", "app"],
  ["secret", "webhookEndpoint"],
  ["number", "startedAt", "duration", "status", "answer", "error"],
  ["deliveries"],
  ["event"],
  ["event", "templateId"],
  ["event", "toGo"],
  ["event", "templateId", "toGo"],
  ["segmentEntered"],
  ["date"],
  ["metadata", "daysBefore", "at"],
  ["pointsExpiry", "daysBefore", "at"],
  ["everyDays"],
  ["message"],
  ["channels", "order", "texts", "templateId", "link", "respectsCap"],
  ["assignTag"],
  ["unassignTag"],
  ["addStamps"],
  ["templateId", "count"],
  ["giveReward"],
  ["givePoints"],
  ["templateId", "points"],
  ["templateId"],
  ["channel", "reason"],
  ["action", "reason", "channels"],
  ["delivery"],
  ["refused"],
  ["status", "at", "source", "text"],
  ["reason", "at"],
  ["userId", "channel", "status", "source", "at"],
  ["from", "to"],
  ["perDays", "messages"],
  ["at", "durationMs", "code", "answer"],
  ["changed", "unchanged"],
  ["content", "next"],
  ["id", "type", "timestamp", "actor", "data"],
  ["kind", "id", "subject", "location", "receipt"],
  ["sequence", "hash"],
  ["id", "slug", "name"],
  ["date", "members", "entered", "left"],
  ["userId", "userTag"],
  ["pointCard", "entry"],
  ["unit", "pendingDays", "expiry", "graceDays"],
  ["days"],
  ["months", "to"],
  ["points", "at"],
  ["lotId", "points"],
  ["source", "receipt"],
  ["id", "sku", "category", "name", "kind", "quantity", "amount", "tax", "returned"],
  ["quantity", "amount"],
  ["walletPassId", "templateId", "unit", "units", "notTaken", "cut", "because"],
  ["walletPassId", "templateId", "unit", "units", "entryId"],
  ["userTag", "into", "changed", "unchanged"],
  ["code", "params"],
  ["code", "message"],
  ["STANDARD_VALIDATION"],
  ["CUSTOM_VALIDATION"],
];

/** The fields that an object has in the event of its deletion. */
const deletedShapes: readonly (readonly string[])[] = [
  ["id", "object"],
  ["id", "object", "userId", "templateId"],
];

const toFieldsKey = (fields: readonly string[]) => fields.toSorted().join();
const unnamedShapes = new Set(shapesWithoutKind.map(toFieldsKey));
const deletedShapeKeys = new Set(deletedShapes.map(toFieldsKey));
const namedShapes = new Map(
  Object.entries(shapesByKind).map(([kind, shapes]) => [kind, new Set(shapes.map(toFieldsKey))]),
);

const idPrefix: Readonly<Record<string, string>> = {
  UserTag: "utag",
  UserTagAssignment: "uta",
  user: "usr",
  contact: "usr",
  template: "tpl",
  wallet_pass: "wp",
  stamp_entry: "ste",
  point_entry: "pte",
  purchase: "pur",
  webhook_endpoint: "whe",
  webhook_delivery: "whd",
  api_token: "akt",
  app: "app",
  person: "per",
  person_session: "pse",
  grant: "grt",
  message_delivery: "mdl",
  message: "msg",
  segment: "seg",
  automation: "aut",
  automation_run: "atr",
};

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const timeFields = new Set([
  ...[...times, "timestamp", "lastStampAt", "lastUsedAt", "expiresAt", "disabledAt", "startedAt", "dueAt"],
  "nextAttemptAt",
  "invitedAt",
  "lastSignedInAt",
  "lastSeenAt",
  "emailConfirmedAt",
  ...["sendAt", "showUntil", "completedAt", "lastVisitAt"],
  ...["usableFrom", "lastEarnedAt"],
]);
/** Fields whose content belongs to the caller, or whose keys depend on the request. */
const open = new Set([
  "metadata",
  "design",
  "earning",
  "details",
  "audience",
  "filter",
  "if",
  "tree",
  "skipped",
  "byChannel",
  "languages",
  "seconds",
  "STANDARD_VALIDATION",
  "CUSTOM_VALIDATION",
]);

/** Fails if a response contains an object that the API doesn't have. @param isTold whether it is an event's data. */
export function assertShapes(value: unknown, isTold = false): void {
  if (Array.isArray(value)) {
    for (const item of value) assertShapes(item);
  } else if (typeof value === "object" && value !== null) {
    assertShape(value, isTold);
  }
}

function assertShape(value: object, isTold: boolean): void {
  const fields = new Map<string, unknown>(Object.entries(value));
  const kind = fields.get("object");
  const allowedShapes = typeof kind === "string" ? namedShapes.get(kind) : unnamedShapes;
  const shape = toFieldsKey([...fields.keys()]);
  if (!allowedShapes?.has(shape) && !(isTold && deletedShapeKeys.has(shape))) {
    assert.fail(`no object of the interface: ${JSON.stringify(value)}`);
  }
  const id = fields.get("id");
  if (typeof kind === "string" && id !== undefined) assertId(kind, id);
  for (const [key, child] of fields) {
    if (timeFields.has(key)) assert.ok(child === null || timestamp.test(String(child)), `${key}: ${child}`);
    if (!open.has(key)) assertShapes(child, key === "data");
  }
}

function assertId(kind: string, id: unknown): void {
  const [prefix, uuid] = String(id).split("_");
  assert.equal(prefix, idPrefix[kind], `the id of a ${kind}`);
  assert.match(uuid ?? "", uuidV7);
}
