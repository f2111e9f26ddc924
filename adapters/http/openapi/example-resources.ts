/* One shop's resources for the document's examples. They refer to each other: the user has the pass, and the pass has the card. */
export const userId = "usr_0199a5d2-7c3e-7f10-9b1a-3d5c8e2f4a60";
export const templateId = "tpl_0199a5d2-81b4-7a2c-8e4d-6f1b0c9d7e35";
export const passId = "wp_0199a5d2-8f6a-7d48-a1c3-2b9e5f7d8c14";
const pointTemplateId = "tpl_0199a5d2-81b5-7c91-9d02-4e7a3b6f1c58";
const pointPassUuid = "0199a5d2-8f6b-7e10-b7d5-1c8f4a2e9b63";
const pointPassId = `wp_${pointPassUuid}`;
const createdAt = "2025-10-02T09:30:00.000Z";
export const times = { createdAt, updatedAt: createdAt };

export const newUser = {
  email: "ada@example.com",
  name: "Ada Lovelace",
  phone: "+44 20 7946 0958",
  externalId: "customer-1042",
  metadata: { newsletter: true },
};

export const user = { id: userId, object: "user", ...newUser, ...times };

export const actor = {
  kind: "token",
  id: "akt_0199a5d2-9a40-7e19-9c5b-7d2f6a8e0b41",
  subject: "anna",
  location: "Harbour Street",
  receipt: "4711",
};

export const userTag = {
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

export const design = {
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

export const earning = {
  currency: "EUR",
  rules: [{ give: 1, per: "item", only: { categories: ["coffee"] }, minAmount: 0 }],
  combine: "sum",
  bonuses: [{ percent: 200, weekdays: [2], between: { from: "14:00", to: "17:00" } }],
  counts: { kinds: ["goods"], tax: true, paidWithPoints: false },
  limits: { perDay: 6 },
  onReturn: "debt",
};

export const pointTerms = {
  unit: "beans",
  pendingDays: 0,
  expiry: { months: 12, to: "month" },
  graceDays: 14,
};

export const template = {
  id: templateId,
  object: "template",
  key: "coffee",
  name: "Coffee card",
  type: "STAMP_CARD",
  maxStamps: 10,
  reward: "A coffee of your choice",
  design,
  earning,
  points: null,
  ...times,
};

export const walletPass = {
  id: passId,
  object: "wallet_pass",
  userId,
  templateId,
  qrCodeValue: "https://pass.example.com/3kTMd8PqZx0B",
  isPreviewPass: false,
  installationStatus: "INSTALLED",
  ...times,
};

export const stampProgress = { templateId, passId, currentStamps: 3, maxStamps: 10, timesCompleted: 1 };

export const stampEntry = {
  id: "ste_0199a5d2-93d1-7b6e-8f27-4c0d1a5e9b83",
  object: "stamp_entry",
  type: "added",
  delta: 1,
  stampsBefore: 2,
  stampsAfter: 3,
  completions: 0,
  note: "receipt 991",
  reverses: null,
  purchase: null,
  actor,
  createdAt,
};

export const stampCard = {
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

const purchaseKey = { source: "till-7", receipt: "991" };

export const pointEntry = {
  id: `pte_${pointPassUuid}_4`,
  object: "point_entry",
  type: "earned",
  points: 12,
  debt: 0,
  lots: [{ lotId: `pte_${pointPassUuid}_4`, points: 12 }],
  usableFrom: createdAt,
  expiresAt: "2026-10-31T23:00:00.000Z",
  purchase: purchaseKey,
  reverses: null,
  note: null,
  actor,
  at: createdAt,
  createdAt,
};

export const pointCard = {
  object: "point_card",
  walletPassId: pointPassId,
  templateId: pointTemplateId,
  available: 62,
  held: 0,
  pending: 0,
  debt: 0,
  expiring: [
    { points: 50, at: "2026-08-31T22:00:00.000Z" },
    { points: 12, at: "2026-10-31T23:00:00.000Z" },
  ],
  earned: 112,
  spent: 50,
  expired: 0,
  lastEarnedAt: createdAt,
};

export const addPoints = { points: 25, note: "Sorry for the wait" };
export const spendPoints = { points: 50, purchase: purchaseKey };

const coffees = {
  id: "0",
  sku: "cappuccino",
  category: "coffee",
  name: "Cappuccino",
  kind: "goods",
  quantity: 2,
  amount: 760,
  tax: 127,
};
const cake = {
  id: "1",
  sku: "apple-cake",
  category: "cake",
  name: "Apple cake",
  kind: "goods",
  quantity: 1,
  amount: 490,
  tax: 45,
};
const nothingReturned = { quantity: 0, amount: 0 };

export const newPurchase = { userId, at: createdAt, currency: "EUR", lines: [coffees, cake] };

export const purchaseLine = { ...coffees, returned: nothingReturned };

const stampCardUnits = { walletPassId: passId, templateId, unit: "stamps", units: 2 };
const pointCardUnits = {
  walletPassId: pointPassId,
  templateId: pointTemplateId,
  unit: "points",
  units: 12,
};
const noReductions = { notTaken: 0, cut: 0, because: null };

export const purchase = {
  id: "pur_0199a5d2-9a7d-7f26-8b41-5d3c9e0a7f12",
  object: "purchase",
  ...purchaseKey,
  revision: null,
  userId,
  at: createdAt,
  currency: "EUR",
  lines: [purchaseLine, { ...cake, returned: nothingReturned }],
  total: 1_250,
  returnedTotal: 0,
  paidWithPoints: 0,
  note: null,
  effects: [
    { ...stampCardUnits, ...noReductions },
    { ...pointCardUnits, ...noReductions },
  ],
  ...times,
};

export const purchaseChanges = [
  { ...stampCardUnits, entryId: "ste_0199a5d2-9a7d-7f26-8b41-6c0e8d2b4a95" },
  { ...pointCardUnits, entryId: pointEntry.id },
];

export const returnPurchase = { returnId: "991-1", lines: [{ id: coffees.id, quantity: 1 }] };

export const person = {
  id: "per_0199a6e1-2b5c-7d10-9f3e-8c4a6b7d5e21",
  object: "person",
  email: "ada@acme.example",
  name: "Ada",
  role: "manager",
  status: "ACTIVE",
  invitedAt: createdAt,
  lastSignedInAt: createdAt,
};

export const personSession = {
  id: "pse_0199a6e1-3c6d-7e21-8a4f-9d5b7c8e6f32",
  object: "person_session",
  device: "Chrome on Windows",
  createdAt,
  lastSeenAt: createdAt,
  expiresAt: "2025-10-31T09:30:00.000Z",
};

export const app = {
  id: "app_0199a6e2-7d1c-7b7f-8c3e-5f2a9d1b4c60",
  object: "app",
  name: "Till of the bakery",
  isPublic: false,
  redirectUris: ["https://till.example/callback"],
  scopes: ["user:read", "pass:read"],
  createdBy: null,
  createdAt: "2025-10-01T08:00:00.000Z",
  updatedAt: "2025-10-01T08:00:00.000Z",
};

export const grant = {
  id: "grt_0199a6e4-1f2a-7c3d-9e4b-6a5c8d7e9f01",
  object: "grant",
  appId: app.id,
  subject: "ada@acme.example",
  scopes: app.scopes,
  tokenId: null,
  createdAt: "2025-10-01T08:30:00.000Z",
  expiresAt: null,
};

export const apiToken = {
  id: "akt_0199a5d2-9a40-7e19-9c5b-7d2f6a8e0b41",
  object: "api_token",
  name: "Point of sale",
  prefix: "lk_8sWq2Z",
  scopes: ["pass:read", "loyalty:manage"],
  createdAt,
  lastUsedAt: null,
  allowedAddresses: ["192.0.2.0/24"],
  createdBy: null,
  expiresAt: null,
};

export const event = {
  id: "evt_0199a5d2-9c31-7e84-8d05-6a7f2c4b1e93",
  type: "user_tag.assigned",
  timestamp: createdAt,
  actor,
  data: { userId, userTag },
};

export const auditEntry = {
  object: "audit_entry",
  sequence: 7,
  action: "api_token.revoked",
  target: "akt_0199a5d2-9b77-7b02-8a4e-1c6f3d9b5e20",
  details: { endedGrants: 1, endedGrantIds: ["grt_0199a6e4-1f2a-7c3d-9e4b-6a5c8d7e9f02"] },
  actor,
  hash: "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef",
  createdAt,
};

export const webhookEndpoint = {
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

export const webhookAttempt = {
  number: 1,
  startedAt: createdAt,
  duration: 128,
  status: 200,
  answer: "ok",
  error: null,
};

export const webhookDelivery = {
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

export const subscriptionChange = {
  userId,
  channel: "email",
  status: "SUBSCRIBED",
  source: "api",
  at: createdAt,
};

export const subscription = {
  object: "subscription",
  userId,
  email: { status: "SUBSCRIBED", at: createdAt, source: "api", text: "Yes, send me news by mail." },
  wallet: { status: "NONE", at: null, source: null, text: null },
  suppressed: null,
  emailConfirmedAt: null,
  language: "en",
};

export const settings = {
  object: "settings",
  name: "Harbour Coffee",
  logo: null,
  language: "de",
  currency: "EUR",
  timeZone: "Europe/Vienna",
  requiresEmail: true,
  updatedAt: createdAt,
};

export const messageSettings = {
  object: "message_settings",
  senderName: "Harbour Coffee",
  replyTo: "hello@coffee.example",
  footer: null,
  quietHours: { from: "21:00", to: "08:00" },
  cap: { perDays: 7, messages: 2 },
  walletByDefault: false,
};

export const messageAttempt = {
  at: createdAt,
  durationMs: 212,
  code: 250,
  answer: "2.0.0 Ok: queued as 4Fz9Kq2bXw",
};

export const messageDelivery = {
  id: "mdl_0199a5d2-a3f4-7b15-8c62-9d0e7f1a2b34",
  object: "message_delivery",
  kind: "pass",
  userId,
  passId,
  messageId: null,
  automationRunId: null,
  channel: "email",
  platform: null,
  status: "ACCEPTED",
  reason: null,
  isSilent: false,
  isUncertain: false,
  attempts: [messageAttempt],
  nextAttemptAt: null,
  ...times,
};

const messageText = {
  language: "en",
  wallet: "Only {toGo} more stamps to your free coffee",
  subject: "{name}, your next coffee is near",
  text: "Only {toGo} more stamps, and the next coffee is on us. See you soon!",
};

export const messageSums = {
  recipients: 870,
  customers: 870,
  pending: 0,
  sending: 12,
  accepted: 841,
  failed: 2,
  skipped: { no_wallet: 11, no_consent: 4 },
  uncertain: 0,
};

export const createMessage = {
  name: "We miss you",
  audience: { filter: { operator: "AND", conditions: [{ slug: "regular" }] } },
  templateId: template.id,
  channels: ["wallet", "email"],
  order: "first_reachable",
  texts: [messageText],
  sendAt: "2026-03-02T09:00:00.000Z",
};

export const messageProgress = {
  id: "msg_0199a5d4-c5b6-7d37-8e84-bf2091a3b4c5",
  object: "message",
  name: createMessage.name,
  status: "SENDING",
  audience: createMessage.audience,
  templateId: createMessage.templateId,
  channels: createMessage.channels,
  order: createMessage.order,
  link: null,
  sendAt: createMessage.sendAt,
  expiresAt: null,
  showUntil: null,
  respectsCap: true,
  sums: messageSums,
  startedAt: "2026-03-02T09:00:00.214Z",
  completedAt: null,
  ...times,
};

export const message = { ...messageProgress, texts: createMessage.texts };

export const createAutomation = {
  name: "Nearly full",
  on: { event: "stamp.added", templateId: template.id, toGo: 1 },
  if: { operator: "AND", conditions: [{ subscription: { channel: "wallet", status: "SUBSCRIBED" } }] },
  do: [
    { message: { templateId: template.id, channels: ["wallet"], texts: [messageText] } },
    { assignTag: "regular" },
  ],
  per: { everyDays: 30 },
};

export const automationState = {
  id: "aut_0199a5d5-d6c7-7e48-9f95-c031a2b4d5e6",
  object: "automation",
  name: createAutomation.name,
  isEnabled: true,
  version: 1,
  on: createAutomation.on,
  after: 0,
  per: createAutomation.per,
  ...times,
};

export const automation = {
  ...automationState,
  if: createAutomation.if,
  do: [
    {
      message: {
        templateId: template.id,
        channels: ["wallet"],
        order: "each",
        texts: [messageText],
        link: null,
        respectsCap: true,
      },
    },
    { assignTag: "regular" },
  ],
};

export const automationRun = {
  id: "atr_0199a5d6-e7d8-7f59-8aa6-d142b3c5e6f7",
  object: "automation_run",
  automationId: automation.id,
  version: 1,
  userId,
  occasion: "evt_0199a5d6-e1d2-7f50-8aa0-d142b3c5e600",
  status: "SKIPPED",
  reason: "condition",
  actionIndex: null,
  dueAt: createdAt,
  ...times,
};

export const webhookEndpointWithSecret = {
  secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDLOALOFnYHIc=",
  webhookEndpoint,
};

export const statisticsCounts = {
  customers: 1042,
  activeCards: 991,
  stamps: 87,
  rewardsEarned: 6,
  rewardsRedeemed: 4,
  pointsGiven: 310,
  pointsSpent: 120,
  pointsExpired: 15,
  installs: { apple: 5, google: 3, other: 0 },
  emailsAccepted: 214,
  emailsFailed: 2,
  walletMessages: 187,
  unsubscribed: 1,
};

export const outstandingPoints = {
  ...{ available: 5310, pending: 240, held: 0, debt: 30 },
  months: [
    { month: "2026-10", points: 4950 },
    { month: null, points: 600 },
  ],
};

/** Example visit counts by weekday and hour. All visits fall on a Thursday. */
export const thursdayVisits = Array.from({ length: 7 }, (_, weekday) =>
  Array.from({ length: 24 }, (_each, hour) => (weekday === 3 && hour > 7 && hour < 18 ? 9 : 0)),
);

export const singlePageTotals = { totalElements: 1, totalPages: 1, number: 0 };

export const deletedUser = { id: userId, object: "user" };
export const revokedPass = { id: passId, object: "wallet_pass", userId, templateId };
export const passInstallation = { ...walletPass, platform: "apple" };
export const completedCard = { ...stampCard, userId };
export const stampReversal = { ...stampCard, reverses: stampEntry.id };
export const importSummary = { object: "import", created: 19_874, updated: 96, unchanged: 28, failed: 2 };
export const walletCertificate = {
  object: "wallet_certificate",
  platform: "apple",
  name: "pass.com.example.loyalty",
  expiresAt: createdAt,
};

export const segment = {
  id: "seg_0199a5d2-85c9-7d03-a7e2-5b8c4f1d6e91",
  object: "segment",
  slug: "reward-waiting",
  name: "Reward waiting",
  description: null,
  color: null,
  filter: { operator: "AND", conditions: [{ rewards: { min: 1 } }, { lastVisit: { beforeDays: 30 } }] },
  emitsEvents: true,
  isRecounting: false,
  ...times,
};

export const explainedCondition = {
  lastVisit: { beforeDays: 30 },
  matched: false,
  currentValue: "2026-01-31T09:15:00.000Z",
  since: "2026-01-31T09:15:00.000Z",
  changesAt: "2026-03-03T00:00:00.000Z",
};

export const explainedFilter = {
  operator: "AND",
  matched: false,
  changesAt: "2026-03-03T00:00:00.000Z",
  conditions: [
    { rewards: { min: 1 }, matched: true, currentValue: [1], since: null, changesAt: null },
    explainedCondition,
  ],
  filters: [],
};
