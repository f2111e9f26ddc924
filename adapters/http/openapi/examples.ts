import type { EventType } from "../../../src/event-types.js";
import { eventSchemaName } from "../../../src/resources/event.js";

const userId = "usr_0199a5d2-7c3e-7f10-9b1a-3d5c8e2f4a60";
const templateId = "tpl_0199a5d2-81b4-7a2c-8e4d-6f1b0c9d7e35";
const passId = "wp_0199a5d2-8f6a-7d48-a1c3-2b9e5f7d8c14";
const createdAt = "2025-10-02T09:30:00.000Z";
const times = { createdAt, updatedAt: createdAt };

const newUser = {
  email: "ada@example.com",
  name: "Ada Lovelace",
  phone: "+44 20 7946 0958",
  externalId: "customer-1042",
  metadata: { newsletter: true },
};

const user = { id: userId, object: "user", ...newUser, ...times };

const actor = {
  kind: "token",
  id: "akt_0199a5d2-9a40-7e19-9c5b-7d2f6a8e0b41",
  subject: "anna",
  location: "Harbour Street",
  receipt: "4711",
};

const userTag = {
  id: "utag_0199a5d2-7f00-7c55-b6d8-1e4a9c3b5d72",
  object: "UserTag",
  name: "Very Important",
  slug: "very-important",
  description: null,
  color: "#64748B",
  ...times,
};

const pictureHash = "0d51bb1e0ab6bb7d8da4c2f0d5a3c7e1b1cbb2e3d0a9c4f17f0a6b2c5d8e9f10";

const texts = {
  language: "en",
  title: "Coffee card",
  description: "Your tenth coffee is on us.",
  stampsLabel: "Stamps",
  rewardsLabel: "Free coffees",
  toGo: "{count} more to go",
  rewardReady: "Your next coffee is free",
  front: [{ label: "Shop", value: "High Street 1" }],
  back: [{ label: "Opening hours", value: "8 am to 6 pm" }],
  terms: "One stamp for each cup.",
};

const design = {
  backgroundColor: "#3B2417",
  foregroundColor: "#FFFFFF",
  labelColor: "#E7D3C3",
  logo: pictureHash,
  icon: pictureHash,
  strip: null,
  stamps: { shape: "CUP", filled: null, empty: null },
  texts: [texts],
  links: [{ label: "Our menu", url: "https://coffee.example/menu" }],
  locations: [{ latitude: 51.5072, longitude: -0.1276, text: "A coffee is around the corner" }],
  expiresAt: null,
};

const template = {
  id: templateId,
  object: "template",
  name: "Coffee card",
  type: "STAMP_CARD",
  maxStamps: 10,
  design,
  ...times,
};

const walletPass = {
  id: passId,
  object: "wallet_pass",
  userId,
  templateId,
  qrCodeValue: "https://pass.example.com/3kTMd8PqZx0B",
  isPreviewPass: false,
  installationStatus: "INSTALLED",
  ...times,
};

const stampProgress = { templateId, passId, currentStamps: 3, maxStamps: 10, timesCompleted: 1 };

const stampEntry = {
  id: "ste_0199a5d2-93d1-7b6e-8f27-4c0d1a5e9b83",
  object: "stamp_entry",
  type: "added",
  delta: 1,
  stampsBefore: 2,
  stampsAfter: 3,
  completions: 0,
  note: "receipt 991",
  reverses: null,
  actor,
  createdAt,
};

const stampCard = {
  object: "stamp_card",
  walletPassId: passId,
  templateId,
  currentStamps: 3,
  maxStamps: 10,
  totalStampsCollected: 13,
  timesCompleted: 1,
  rewardsAvailable: 1,
  lastStampAt: createdAt,
};

const app = {
  id: "app_0199a6e2-7d1c-7b7f-8c3e-5f2a9d1b4c60",
  object: "app",
  name: "Till of the bakery",
  isPublic: false,
  redirectUris: ["https://till.example/callback"],
  scopes: ["user:read", "pass:read"],
  madeBy: null,
  createdAt: "2025-10-01T08:00:00.000Z",
  updatedAt: "2025-10-01T08:00:00.000Z",
};

const grant = {
  id: "grt_0199a6e4-1f2a-7c3d-9e4b-6a5c8d7e9f01",
  object: "grant",
  appId: app.id,
  subject: "ada@acme.example",
  scopes: app.scopes,
  tokenId: null,
  createdAt: "2025-10-01T08:30:00.000Z",
  expiresAt: null,
};

const apiToken = {
  id: "akt_0199a5d2-9a40-7e19-9c5b-7d2f6a8e0b41",
  object: "api_token",
  name: "Point of sale",
  prefix: "lk_8sWq2Z",
  scopes: ["pass:read", "loyalty:manage"],
  createdAt,
  lastUsedAt: null,
  allowedAddresses: ["192.0.2.0/24"],
  madeBy: null,
  expiresAt: null,
};

const event = {
  id: "evt_0199a5d2-9c31-7e84-8d05-6a7f2c4b1e93",
  type: "user_tag.assigned",
  timestamp: createdAt,
  actor,
  data: { userId, userTag },
};

const auditEntry = {
  object: "audit_entry",
  sequence: 7,
  act: "api_token.revoked",
  target: "akt_0199a5d2-9b77-7b02-8a4e-1c6f3d9b5e20",
  details: { endedGrants: 1, endedGrantIds: ["grt_0199a6e4-1f2a-7c3d-9e4b-6a5c8d7e9f02"] },
  actor,
  hash: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
  createdAt,
};

const webhookEndpoint = {
  id: "whe_0199a5d2-9e52-7a18-b6f4-0c3d8e5a7b21",
  object: "webhook_endpoint",
  url: "https://example.com/webhooks/loyalty",
  description: "Newsletter",
  types: ["user.created", "stamp_card.completed"],
  isDisabled: false,
  disabledReason: null,
  disabledAt: null,
  ...times,
};

const webhookAttempt = {
  number: 1,
  startedAt: createdAt,
  duration: 128,
  status: 200,
  answer: "ok",
  error: null,
};

const webhookDelivery = {
  id: "whd_0199a5d2-a0b6-7c3f-9d28-5e4f1a6b8c07",
  object: "webhook_delivery",
  webhookEndpointId: webhookEndpoint.id,
  eventId: event.id,
  eventType: "user.created",
  status: "delivered",
  attempts: [webhookAttempt],
  nextAttemptAt: null,
  ...times,
};

const webhookEndpointWithSecret = {
  secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDLOALOFnYHIc=",
  webhookEndpoint,
};

const numbers = {
  members: 1042,
  activeCards: 991,
  stamps: 87,
  rewardsEarned: 6,
  rewardsRedeemed: 4,
  installs: { apple: 5, google: 3, other: 0 },
};

const onePage = { totalElements: 1, totalPages: 1, number: 0 };

const deletedUser = { id: userId, object: "user" };
const revokedPass = { id: passId, object: "wallet_pass", userId, templateId };
const passInstallation = { ...walletPass, platform: "apple" };
const stampReversal = { ...stampCard, reverses: stampEntry.id };
const importSummary = { object: "import", created: 19_874, updated: 96, unchanged: 28, failed: 2 };
const walletCertificate = {
  object: "wallet_certificate",
  platform: "apple",
  name: "pass.com.example.loyalty",
  expiresAt: createdAt,
};

/** What each kind of event tells. */
const dataOfEvents: Readonly<Record<EventType | "webhook.test", unknown>> = {
  "user.created": user,
  "user.updated": user,
  "user.deleted": deletedUser,
  "user_tag.created": userTag,
  "user_tag.updated": userTag,
  "user_tag.deleted": userTag,
  "user_tag.assigned": event.data,
  "user_tag.unassigned": event.data,
  "pass.created": walletPass,
  "pass.installed": passInstallation,
  "pass.uninstalled": passInstallation,
  "pass.revoked": revokedPass,
  "stamp.added": stampCard,
  "stamp.removed": stampCard,
  "stamp.set": stampCard,
  "stamp.reset": stampCard,
  "stamp.reversed": stampReversal,
  "stamp_card.completed": stampCard,
  "stamp_card.redeemed": stampCard,
  "template.created": template,
  "template.updated": template,
  "template.deleted": template,
  "import.completed": importSummary,
  "wallet_certificate.expiring": walletCertificate,
  "webhook.test": webhookEndpoint,
};

/** An example of each schema, by its name in the document. */
export const examples: Readonly<Record<string, unknown>> = {
  CreateUserTag: { name: "Very Important", color: "#64748B" },
  UpdateUserTag: { name: "VIP", description: null },
  UserTag: userTag,
  UserTagAssignment: {
    id: "uta_0199a5d2-85c9-7d03-a7e2-5b8c4f1d6e90",
    object: "UserTagAssignment",
    userTag,
    ...times,
  },
  TagCondition: { slug: "very-important" },
  TagFilter: {
    operator: "AND",
    conditions: [{ slug: "very-important" }],
    filters: [{ operator: "NOT", conditions: [{ slug: "unsubscribed" }] }],
  },
  UserTagQuery: { filter: { operator: "OR", conditions: [{ slug: "very-important" }] }, page: 0, size: 20 },
  UserPage: { content: [user], ...onePage, size: 20, first: true, last: true, empty: false },
  UserSelection: { userIds: [userId, "customer-1043"] },
  TaggingResult: { changed: 1, unchanged: 1 },
  CreateUser: newUser,
  UpdateUser: { name: "Ada King", phone: null },
  User: user,
  Contact: {
    id: userId,
    object: "contact",
    email: newUser.email,
    name: newUser.name,
    phone: newUser.phone,
    externalId: newUser.externalId,
    passInfos: [{ templateId, passId }],
    stampProgress: [stampProgress],
    ...times,
  },
  NewDesign: {
    backgroundColor: design.backgroundColor,
    logo: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    stamps: { shape: "CUP" },
    texts: [{ language: "en", title: "Coffee card" }],
  },
  Design: design,
  CreateTemplate: { name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 },
  UpdateTemplate: { name: "Espresso card" },
  Template: template,
  CreateWalletPass: { userId },
  WalletPass: walletPass,
  WalletPassDetail: { ...walletPass, template, stampProgress, rewardsAvailable: 1 },
  WalletLinks: {
    apple: `https://loyalty.example.com/wallets/apple/passes/${passId}/4sZk0bQn7YtR2mVx9LcPw3Ed8HfJu6Ga.pkpass`,
    google: `https://loyalty.example.com/wallets/google/passes/${passId}/4sZk0bQn7YtR2mVx9LcPw3Ed8HfJu6Ga`,
    page: "https://pass.example.com/3kTMd8PqZx0B",
  },
  SetInstallation: { status: "INSTALLED" },
  StampProgress: stampProgress,
  StampCard: stampCard,
  StampReceipt: { ...stampCard, entryId: stampEntry.id, completions: 0 },
  StampEntry: stampEntry,
  StampHistory: { content: [stampEntry], ...onePage, size: 50 },
  ChangeStamps: { count: 1, note: "receipt 991" },
  SetStamps: { stamps: 5 },
  RedeemReward: { note: "One espresso" },
  ReverseStampEntry: { entryId: stampEntry.id, note: "Wrong customer" },
  Dossier: {
    object: "dossier",
    user,
    tags: [userTag],
    passes: [
      {
        ...walletPass,
        template,
        stampProgress,
        rewardsAvailable: 1,
        stamps: stampCard,
        history: [stampEntry],
        devices: [{ platform: "apple", state: "registered", ...times }],
      },
    ],
    events: [event],
  },
  ImportSummary: importSummary,
  Statistics: {
    object: "statistics",
    from: "2025-10-02",
    to: "2025-10-02",
    ...numbers,
    days: [{ date: "2025-10-02", ...numbers }],
  },
  DeletedUser: deletedUser,
  RevokedWalletPass: revokedPass,
  WalletPassInstallation: passInstallation,
  StampReversal: stampReversal,
  UserTagChange: event.data,
  WalletCertificate: walletCertificate,
  ...Object.fromEntries(
    Object.entries(dataOfEvents).map(([type, data]) => [eventSchemaName(type), { ...event, type, data }]),
  ),
  Event: event,
  Actor: actor,
  AuditEntry: auditEntry,
  AuditPage: { content: [auditEntry], next: "7" },
  AuditVerification: {
    object: "audit_verification",
    entries: 7,
    head: { sequence: auditEntry.sequence, hash: auditEntry.hash },
    brokenAt: null,
  },
  EventPage: { content: [event], next: "1042" },
  CreateWebhookEndpoint: {
    url: webhookEndpoint.url,
    types: webhookEndpoint.types,
    description: webhookEndpoint.description,
  },
  UpdateWebhookEndpoint: { types: null, isDisabled: false },
  WebhookEndpoint: webhookEndpoint,
  WebhookEndpointWithSecret: webhookEndpointWithSecret,
  WebhookAttempt: webhookAttempt,
  WebhookDelivery: webhookDelivery,
  WebhookDeliveryPage: { content: [webhookDelivery], next: null },
  Replay: { since: "2025-10-02T00:00:00.000Z", until: "2025-10-03T00:00:00.000Z" },
  ReplayResult: { deliveries: 42 },
  CreateApiToken: { name: "Point of sale", scopes: ["pass:read", "loyalty:manage"] },
  RotateApiToken: { overlapSeconds: 3600, expiresAt: "2026-10-03T09:30:00.000Z" },
  ApiToken: apiToken,
  MadeByToken: {
    object: "made_by_token",
    tokenId: apiToken.id,
    apiTokens: [],
    apps: [app],
    grants: [],
    endedGrantIds: [grant.id],
    webhookEndpointIds: [webhookEndpoint.id],
  },
  CreateApp: { name: app.name, redirectUris: app.redirectUris, scopes: app.scopes },
  CreatedApp: { clientSecret: "lks_5rTq8WzV2nXc9Lk4Jh7Gf1Ds6Aq3PoIu0Yt5ReWb", app },
  App: app,
  AppWithSecret: { clientSecret: "lks_5rTq8WzV2nXc9Lk4Jh7Gf1Ds6Aq3PoIu0Yt5ReWb", app },
  RotateAppSecret: { atOnce: true },
  Grant: grant,
  CreatedApiToken: { token: "lk_8sWq2ZbV5nXc7Lk9Jh4Gf6Ds1Aq0PoIu3Yt2Re4W", apiToken },
};
