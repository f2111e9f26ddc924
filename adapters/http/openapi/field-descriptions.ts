type FieldDescriptions = Readonly<Record<string, string>>;

/** The sentences about fields that mean the same wherever they are, by the field's name. */
const sharedDescriptions: FieldDescriptions = {
  allowedAddresses:
    "The IP addresses and networks that are allowed to use the token; `null` allows any address.",
  answer: "The beginning of the server's response; `null` if there was no response.",
  app: "The app.",
  appId: "The app's ID, which is also its `client_id`.",
  apple: "The number of times a pass was added to Apple Wallet.",
  apiToken: "The API token, without its secret.",
  attempts: "The attempts so far, oldest first.",
  audience: "The customers to send the message to.",
  automationId: "The ID of the automation.",
  channel: "The channel: `email`, or `wallet` for messages shown on the card.",
  channels: "The channels used to send the message.",
  changed: "The number of users that the tag was assigned to or removed from.",
  changesAt: "When the result will change even if no data changes; `null` if it won't.",
  clientSecret: "The app's secret, which is shown only once; `null` for public apps.",
  color: "The display color, such as `#6F4E37`.",
  completedAt: "When the last delivery finished; `null` until all deliveries have finished.",
  conditions: "The conditions directly in this group, excluding those in nested groups.",
  consentAt: "When the customer agreed to receive messages by email.",
  consentText: "The text that the customer agreed to.",
  content: "The items on this page.",
  count: "The number of stamps.",
  createdAt: "When the resource was created.",
  createdBy:
    "The ID of the API token, staff member or grant that created the resource; `null` if your own code created it.",
  currentStamps: "The current number of stamps on the card.",
  customers: "The number of customers.",
  date: "The day, such as `2026-01-31`.",
  description: "A description for your own reference; `null` if none is set.",
  design: "The design of the template's cards; `null` to use the built-in design.",
  email: "The user's email address; `null` if it isn't known.",
  emailConsent: "Whether the customer agreed to receive messages by email.",
  emitsEvents: "Whether an event is emitted when a customer enters or leaves the segment.",
  entered: "The number of customers who entered the segment.",
  entryId: "The ID of the entry in the pass's stamp history.",
  exists: "Whether the field must have a value (`true`) or be empty (`false`).",
  externalId: "Your own ID for the user; `null` if none is set.",
  filter: "The filter that customers must match.",
  filters: "The nested groups. Each group counts as one operand.",
  from: "The first day, such as `2026-01-31`.",
  google: "The number of times a pass was added to Google Wallet.",
  hash: "The SHA-256 hash of this entry combined with the previous entry's hash, in hexadecimal.",
  id: "A unique ID that never changes.",
  installationStatus:
    "Whether the pass is in a wallet (`INSTALLED`) or was removed from one (`UNINSTALLED`); `null` if it was never in a wallet.",
  isDisabled: "Whether the endpoint is disabled. Disabled endpoints don't receive events.",
  isEnabled: "Whether the automation is enabled.",
  isPreviewPass: "Whether the pass is a preview. Previews aren't included in statistics or segments.",
  isPublic:
    "Whether the app is public, meaning that it can't keep a secret (for example, because it runs in a browser or on a phone).",
  isRecounting:
    "Whether the segment's members are being recounted. No events are emitted until the recount is complete.",
  key: "Your own key for the template; `null` if none is set. Once set, it can't be changed.",
  label: "The label that people see.",
  language: "The language as a BCP 47 tag, such as `de`; `null` if it isn't known.",
  lastStampAt: "When the last stamp was added; `null` if no stamp has ever been added.",
  left: "The number of customers who left the segment.",
  limit: "The maximum number of items on a page.",
  link: "The URL that the message links to; `null` for no link.",
  location: "Where the change was made, such as a branch; `null` if it isn't known.",
  matched: "Whether the customer matches.",
  max: "The highest number that matches.",
  maxStamps: "The number of stamps that fill the card; `null` if the template isn't for stamp cards.",
  members: "The number of customers in the segment; `null` if the number isn't available.",
  messageId: "The ID of the message; `null` if there's no message.",
  metadata: "Your own data about the user, as a JSON object.",
  min: "The lowest number that matches.",
  name: "The display name.",
  nextAttemptAt: "When the next attempt is due; `null` if none is planned.",
  note: "A note about the entry in the stamp history; `null` for no note.",
  object: "The type of the resource. Resources of the same type always have the same value.",
  operator:
    "Whether customers must match all (`AND`), at least one (`OR`), or none (`NOT`) of the conditions and nested groups.",
  order:
    "Whether to use every channel (`each`) or only the first one that reaches the customer (`first_reachable`).",
  passId: "The ID of the pass.",
  path: "The path to the value in the metadata, as a list of keys starting with the outermost one.",
  phone: "The user's phone number, exactly as provided; `null` if it isn't known.",
  platform: "The wallet, `apple` or `google`; `null` if it isn't known.",
  previousUserId: "The customer from whom the change took the purchase. Present only if it did.",
  qrCodeValue: "The text encoded in the card's QR code.",
  receipt: "The receipt number of the purchase; `null` if there is no receipt.",
  redirectUris: "The URIs that the app can redirect users to after authorization.",
  respectsCap: "Whether to skip customers who have reached the frequency cap.",
  reward: "The reward for a full card, such as `A free coffee`; `null` for no reward.",
  rewardsAvailable: "The number of rewards that the customer can redeem.",
  role: "The person's role, which determines what they can do.",
  scopes: "The scopes that determine which operations are allowed.",
  secret: "The signing secret, which is shown only once.",
  segment: "The slug of a saved segment.",
  slug: "The slug that identifies the resource in URLs. It never changes.",
  source:
    "How the status was set, such as `customer` if the customer set it on a page, or `api` if an API call did; `null` if it was never set.",
  stampProgress: "The progress of the stamp card; `null` if the pass isn't a stamp card.",
  stamps: "The number of stamps.",
  startedAt: "The start time; `null` if it hasn't started yet.",
  subject: "Your own ID for the person who made the change; `null` if it isn't known.",
  tags: "The slugs of the customer's tags, in the order they were assigned.",
  templateId: "The ID of the template.",
  text: "The consent text that the customer agreed to; `null` if no text was recorded.",
  timesCompleted: "How many times the card has been filled.",
  to: "The last day, such as `2026-01-31`.",
  toGo: "Starts a run only if exactly this many more stamps are needed to fill the card.",
  token: "The token itself, which is shown only once.",
  tokenId: "The ID of the API token.",
  totalStampsCollected: "The total number of stamps collected on the card so far.",
  types: "The types of events sent to the endpoint; `null` for all types.",
  unchanged: "The number of users for whom nothing changed.",
  updatedAt: "When the resource was last changed.",
  url: "The URL that events are sent to.",
  userId: "The ID of the user.",
  userIds: "The IDs or external IDs of the users.",
  userTag: "The tag.",
  version: "The automation's version number, which increases whenever anything other than its name changes.",
  walletPassId: "The ID of the pass.",
};

const automation: FieldDescriptions = {
  on: "What starts a run: an event, an anniversary, or a customer entering a segment.",
  if: "The filter that customers must match; `null` to include all customers.",
  after: "The number of days between the trigger and the actions; 0 for no delay.",
  do: "The actions, in order. If one fails, none of them take effect.",
  per: "How often the automation can run for the same customer.",
};

const condition: FieldDescriptions = {
  slug: "Matches customers who have the tag with this slug.",
  segment: "Matches the members of the saved segment with this slug.",
  stamps: "Matches customers by the number of stamps on their card.",
  rewards: "Matches customers by the number of rewards they can redeem.",
  completions: "Matches customers by how many times they have filled a card.",
  lastVisit: "Matches customers by when they last visited.",
  visits: "Matches customers by how many times they have visited.",
  points: "Matches customers by the number of usable points on their card.",
  pointsExpire: "Matches customers with usable points that expire soon.",
  spent: "Matches customers by how much they bought, less what they returned.",
  purchases:
    "Matches customers by how many purchases they made. Purchases that were returned completely don't count.",
  joined: "Matches customers by when they signed up.",
  metadata: "Matches customers by a value in their metadata.",
  anniversary: "Matches customers by the anniversary of a date in their metadata.",
  field: "Matches customers by whether they have a name, a phone number or an external ID.",
  wallet: "Matches customers by whether they have a card in a wallet.",
  subscription: "Matches customers by their consent to receive messages.",
  language: "Matches customers by their language, given as a BCP 47 tag such as `de`.",
};

const date: FieldDescriptions = {
  metadata:
    "The path to the date in the customer's metadata, as a list of keys starting with the outermost one.",
  pointsExpiry:
    "The ID of the template whose points expire. A run starts for the last day on which they can be used.",
  daysBefore: "How many days before the date to start the run.",
  at: "The time of day at which to start the run, in the organization's time zone, such as `09:00`.",
};

const attempt: FieldDescriptions = {
  at: "When the attempt started.",
  code: "The mail server's SMTP reply code; `null` if there was no reply.",
  answer: "The beginning of the mail server's reply; `null` if there was no reply.",
  durationMs: "How long the attempt took, in milliseconds.",
};

const trigger: FieldDescriptions = {
  event: "The type of event that starts a run.",
  templateId: "Matches only events about cards from this template. Default: any template.",
  segmentEntered: "The slug of the segment. A run starts when a customer enters it.",
  date: "The date that starts a run.",
};

const action: FieldDescriptions = {
  message: "Sends this message to the customer.",
  assignTag: "Assigns the tag with this slug.",
  unassignTag: "Removes the tag with this slug.",
  addStamps: "Adds stamps to the customer's card.",
  giveReward: "Adds a reward to the customer's card.",
  givePoints: "Adds points to the customer's card.",
};

const message: FieldDescriptions = {
  status: "Whether the message is a draft, scheduled, being sent, sent, canceled or expired.",
  templateId: "The ID of the template whose cards show the message; `null` if the message isn't for wallets.",
  texts: "The texts, with one entry per language. The first entry is also used for all other languages.",
  sendAt: "When sending starts; `null` to start as soon as you send the message.",
  expiresAt:
    "When sending stops. Default: 24 hours after the scheduled start. In a draft, `null` unless you set a time.",
  showUntil:
    "When cards stop showing the message. Default: 7 days after sending starts, or `expiresAt` if that's later. `null` until sending starts, unless you set a time.",
  sums: "The number of deliveries with each status; `null` until sending starts.",
  startedAt: "When sending started; `null` if it hasn't started yet.",
};

const page: FieldDescriptions = {
  totalElements: "The total number of items across all pages.",
  totalPages: "The total number of pages.",
  number: "The page number, starting at 0.",
  size: "The maximum number of items on a page.",
  next: "The value to pass as `after` for the next page.",
  first: "Whether this is the first page.",
  last: "Whether this is the last page.",
  empty: "Whether the page has no items.",
};

const earning: FieldDescriptions = {
  currency: "The currency of purchases that earn, as an ISO 4217 code such as `EUR`.",
  rules: "The rules by which a purchase earns.",
  combine: "Whether all rules add up (`sum`) or only the rule that gives most counts (`best`).",
  bonuses: "The bonuses. A line gets the largest bonus that matches it.",
  counts: "What counts of a purchase.",
  limits: "The most that purchases give.",
  onReturn:
    "What happens if points come back that were already spent: they become debt (`debt`) or are forgiven (`forgive`). Stamps are always forgiven.",
};

const earningRule: FieldDescriptions = {
  give: "The number of stamps or points that the rule gives.",
  per: "What the rule gives them for: an amount, each `item`, or the whole `purchase`.",
  only: "The lines that the rule is for. Default: all lines.",
  minAmount: "The counted amount, in minor units, from which the rule applies.",
  inSteps:
    "With an amount, whether only whole steps count. Otherwise, each part of a step counts, and the total is rounded down.",
};

const bonus: FieldDescriptions = {
  percent: "The bonus in percent: with 200, a line counts twice.",
  only: "The lines that the bonus is for. Default: all lines.",
  from: "The first day of the bonus, in the organization's time zone.",
  to: "The last day of the bonus, in the organization's time zone.",
  weekdays: "The days of the week on which the bonus applies, from 1 (Monday) to 7 (Sunday).",
  between: "The time of day at which the bonus applies, in the organization's time zone.",
};

const lineFilter: FieldDescriptions = {
  skus: "Matches lines with one of these SKUs.",
  categories: "Matches lines with one of these categories.",
  notSkus: "Excludes lines with one of these SKUs.",
  notCategories: "Excludes lines with one of these categories.",
};

const expiry: FieldDescriptions = {
  days: "The number of days after which points expire, at the end of the day.",
  months: "The number of months after which points expire.",
  to: "Whether points expire at the end of that `day`, `month` or `year`.",
};

const pointTerms: FieldDescriptions = {
  unit: "The word for points on the card, such as `beans`; `null` to use the language's word.",
  pendingDays: "The number of days until points from a purchase can be used.",
  expiry: "When points expire, counted from the day of the purchase; `null` if they never expire.",
  graceDays:
    "The number of days for which points can be used that come back from a reversed spend after they expired.",
};

const pointCard: FieldDescriptions = {
  available: "The number of points that can be spent now.",
  held: "The number of points that are reserved and can't be spent; always 0 for now.",
  pending: "The number of points that can be used later.",
  debt: "The number of points that the customer owes. New points pay it first.",
  expiring: "The available points that expire, soonest first, for at most 24 times.",
  earned: "The total number of points earned with purchases so far, less those that were returned.",
  spent: "The total number of points spent so far, less those that were given back.",
  expired: "The total number of points that have expired so far.",
  lastEarnedAt: "When points were last earned with a purchase; `null` if none were ever earned.",
};

const purchase: FieldDescriptions = {
  source: "The till or shop that recorded the purchase.",
  receipt: "The receipt number, which identifies the purchase at its source.",
  revision:
    "Your own number for this state of the purchase. A state with a lower number than the stored one is ignored. `null` if none is set.",
  userId: "The ID of the user who made the purchase; `null` if it isn't known.",
  at: "When the purchase happened.",
  currency: "The currency of the amounts, as an ISO 4217 code such as `EUR`.",
  lines: "The lines of the purchase.",
  total: "The total that was paid, in minor units.",
  returnedTotal: "The part of the total that was returned, in minor units.",
  paidWithPoints: "The part of the total that was paid with points, in minor units.",
  note: "A note about the purchase; `null` for no note.",
  effects: "The purchase's current effect on each card.",
  changes: "What changed on each card.",
  isApplied: "Whether the call changed the purchase.",
};

const unit = "What the card collects, `points` or `stamps`.";

const purchaseChange: FieldDescriptions = {
  unit,
  units: "The number of points or stamps that were given; negative if they were taken back.",
  entryId: "The ID of the entry in the pass's point or stamp history.",
};

const purchaseEffect: FieldDescriptions = {
  unit,
  units: "The number of points or stamps that the purchase gives now.",
  notTaken:
    "The number of points or stamps that should have come back but weren't on the card. They are used up before the purchase gives more.",
  cut: "The number of points or stamps that weren't given because of a limit.",
  because: "Why the purchase gives nothing, such as `currency_mismatch`; `null` if the rules decide.",
};

const purchaseLine: FieldDescriptions = {
  id: "The line's ID, which is unique in the purchase.",
  sku: "The SKU of the product; `null` if none is set.",
  category: "The category of the product; `null` if none is set.",
  name: "The name of the product; `null` if none is set.",
  kind: "The kind of line. By default, only `goods` earn.",
  quantity: "The number of pieces.",
  amount: "The amount paid for the whole line after discounts, in minor units.",
  tax: "The tax contained in the amount, in minor units.",
  returned: "How much of the line came back.",
};

const newPurchaseLine: FieldDescriptions = {
  ...purchaseLine,
  id: "The line's ID, which is unique in the purchase. Default: the line's position, starting at 0.",
  quantity: "The number of pieces. Default: 1.",
  kind: "The kind of line. Default: `goods`. By default, only goods earn.",
  tax: "The tax contained in the amount, in minor units. Default: 0.",
};

const returnedLine: FieldDescriptions = {
  id: "The ID of the line.",
  quantity: "The number of pieces that came back.",
  amount:
    "The amount that came back, in minor units. Default: the pieces' share of the line's amount. Without `quantity` and `amount`, all of the rest comes back.",
};

const purchaseQuery: FieldDescriptions = {
  userId: "Returns only purchases of the user with this ID or external ID.",
  walletPassId: "Returns only purchases that earned on the pass with this ID, or could have.",
  source: "Returns only purchases recorded by this till or shop.",
  from: "Returns only purchases that happened at this time or later.",
  to: "Returns only purchases that happened before this time.",
};

const notification = "The result of emailing the user. Included only if an email was requested.";

const detail: FieldDescriptions = {
  template: "The pass's template.",
  rewardsAvailable: "The number of rewards that can be redeemed; `null` if the pass isn't a stamp card.",
  pointCard: "The pass's points; `null` if the pass has no points.",
};

/** The points on several passes. */
const outstanding: FieldDescriptions = {
  available: "The number of points that can be spent now.",
  pending: "The number of points that can be used later.",
  held: "The number of points that are reserved and can't be spent; always 0 for now.",
  debt: "The number of points that customers owe.",
  months: "The points by the month in which they are last usable.",
};

/** The numbers of a day, or of several. */
const counts: FieldDescriptions = {
  stamps: "The number of stamps that were added.",
  rewardsEarned: "The number of rewards that customers earned.",
  rewardsRedeemed: "The number of rewards that customers redeemed.",
  pointsGiven:
    "The number of points that were earned or added, less points that were returned or removed. Imported points don't count.",
  pointsSpent: "The number of points that were spent, less reversals.",
  pointsExpired: "The number of points that expired at the end of the day.",
  installs: "The number of times a pass was added to a wallet.",
  emailsAccepted: "The number of emails, of any kind, accepted by a mail server.",
  emailsFailed: "The number of emails that failed permanently or bounced.",
  walletMessages: "The number of messages that reached a wallet.",
  unsubscribed: "The number of times a customer unsubscribed from a channel.",
};

/**
 * The sentences about the fields of one owner: of a type as OpenAPI names it, of all types whose names end with a word, such as
 * `Page`, or of a field that contains others.
 */
const descriptionsByOwner: Readonly<Record<string, FieldDescriptions>> = {
  Actor: {
    kind: "The kind of actor that made the change, such as `library` for your own code.",
    id: "The ID of the actor, such as a token, an app or an automation; `null` if the actor has no ID.",
  },
  ActorInput: {
    kind: "The kind of actor making the change; by default `library`, which is your own code.",
    id: "The ID of the actor; `null` if the actor has no ID.",
  },
  addStamps: {
    count: "The number of stamps to add.",
    templateId: "The ID of the template whose card receives the stamps.",
  },
  AddressBounce: {
    email: "The email address that bounced.",
    kind: "Whether the address is permanently undeliverable (`hard`) or temporarily undeliverable (`soft`), or the recipient marked an email as spam (`complaint`).",
  },
  AddPoints: {
    points: "The number of points, from 1 to 1,000,000,000.",
    note: "A note about the entry in the point history; `null` for no note.",
    expiresAt:
      "When the points expire; `null` if they never expire. By default, they expire like points that are earned now.",
  },
  AddPerson: { email: "The email address that the person uses to sign in." },
  anniversary: {
    month: "The month of the anniversary, from 1 to 12, or `this` for the current month.",
    withinDays: "Matches if the next anniversary is at most this many days away.",
  },
  ApiToken: {
    prefix: "The first few characters of the token, which help you recognize it.",
    lastUsedAt: "When the token was last used; `null` if it has never been used.",
    expiresAt: "When the token expires; `null` if it never expires.",
  },
  AuditEntry: {
    sequence: "The entry's sequence number, starting at 1.",
    action: "The action that was performed, such as `api_token.created`.",
    target: "The ID of the affected resource; `null` if no resource was affected.",
    details: "Details of the change. The fields depend on the action.",
    actor: "Who made the change.",
  },
  AuditVerification: {
    entries: "The number of verified entries.",
    head: "The newest entry; `null` if the audit trail is empty.",
    brokenAt:
      "The sequence number of the first missing or altered entry; `null` if the audit trail is intact.",
  },
  Automation: automation,
  AutomationAction: action,
  AutomationPer: { everyDays: "The minimum number of days between two runs for the same customer." },
  AutomationRun: {
    version: "The version of the automation that the run uses.",
    occasion:
      "The ID of the event that started the run, or the date of the anniversary if an anniversary started it.",
    status:
      "Whether the run is waiting (`WAITING`), was completed (`DONE`), was skipped (`SKIPPED`) or failed (`FAILED`).",
    reason: "Why the run was skipped or failed; `null` otherwise.",
    actionIndex: "The index of the action that failed, starting at 0; `null` if no action failed.",
    dueAt: "When the run is due to perform its actions.",
  },
  AutomationState: automation,
  AutomationTest: {
    wouldRun: "Whether the automation would run.",
    reason: "Why the automation wouldn't run; `null` if it would.",
    if: "The automation's filter, with its result for the user; `null` if the automation has no filter.",
    actions: "What each action would do, in order.",
  },
  Trigger: trigger,
  actions: {
    action: "The action to perform.",
    reason: "Why the action would fail; `null` if it would succeed.",
    channels: "For a message, what would happen on each channel; `null` for other actions.",
  },
  Audience: {
    all: "Selects all customers; always `true`.",
    filter: "Selects the customers who match this filter.",
    segment: "Selects the members of the saved segment with this slug.",
    userIds: "Selects the users with these IDs.",
  },
  between: {
    from: "The time of day when it starts, such as `14:00`.",
    to: "The time of day when it ends (exclusive), such as `17:00`. It can be earlier than `from`, for times past midnight.",
  },
  Bonus: bonus,
  bonuses: bonus,
  Bounce: {
    kind: "Whether the address is permanently undeliverable (`hard`) or temporarily undeliverable (`soft`), or the recipient marked an email as spam (`complaint`).",
  },
  byChannel: {
    email: "The number of customers who would receive an email.",
    wallet: "The number of customers who would receive a message on their card.",
  },
  cap: {
    perDays: "The length of the period, in 24-hour days.",
    messages: "The maximum number of messages per customer in that period.",
  },
  cards: {
    lastVisitAt:
      "When the customer last visited, excluding reversed visits; `null` if they have never visited.",
    isInWallet: "Whether at least one of the cards is in a wallet.",
    rewardsAvailable: "The number of rewards that the customer can redeem, across all cards.",
  },
  changes: purchaseChange,
  channels: { reason: "Why the channel wouldn't reach the customer; `null` if it would." },
  ChangeStamps: { count: "The number of stamps, from 1 to 100." },
  completions: {
    templateId: "Considers only cards from this template. Default: any template.",
    min: "The minimum number of times the card must have been filled.",
    max: "The maximum number of times the card may have been filled.",
  },
  Contact: {
    name: "The user's name; `null` if it isn't known.",
    passInfos: "The user's passes.",
    stampProgress: "The progress of the user's stamp cards. Included only if requested.",
    summary: "A summary of the user's cards and tags. Included only if requested.",
  },
  ContactSummary: {
    cards: "Totals across all of the user's cards; `null` if the caller isn't allowed to read passes.",
    tags: "The slugs of the user's tags, in the order they were assigned; `null` if the caller isn't allowed to read tags.",
  },
  counts: {
    kinds: "The kinds of lines that count.",
    tax: "Whether tax counts.",
    paidWithPoints: "Whether the part of the total that was paid with points counts.",
  },
  CreateApiToken: { expiresAt: "When the token expires; `null` if it never expires." },
  CreatedByToken: {
    apiTokens: "The API tokens created with the token.",
    apps: "The apps registered with the token.",
    grants: "The grants that depend on the token.",
    endedGrantIds: "The IDs of the grants that depended on the token and have ended.",
    webhookEndpointIds: "The IDs of the webhook endpoints created with the token.",
  },
  CreateUser: {
    email: "The user's email address. Required unless the `requiresEmail` setting is off.",
  },
  CreateWalletPass: {
    userId: "The ID or external ID of the user to issue the pass to.",
    user: "A new user to create along with the pass.",
    notify: "Whether to email the user a link to the card.",
  },
  CreateWebhookEndpoint: { types: "The types of events to send to the endpoint. Default: all types." },
  CreatedWalletPass: { notification },
  date,
  DateTrigger: date,
  days: {
    ...counts,
    customers: "The number of users at the end of the day.",
    activeCards: "The number of passes at the end of the day, excluding revoked passes and previews.",
    members:
      "The number of customers in the segment at the end of the day; `null` if the number isn't known.",
    entered:
      "The number of customers who entered the segment during the day; `null` if the number isn't known.",
    left: "The number of customers who left the segment during the day; `null` if the number isn't known.",
  },
  Design: {
    backgroundColor: "The background color of the card, such as `#FFFFFF`.",
    foregroundColor: "The color of the text and stamps on the card, such as `#111827`.",
    labelColor: "The color of the labels on the card, such as `#4B5563`.",
    logo: "The hash of the logo image; `null` for no logo.",
    icon: "The hash of the icon image shown in notifications; `null` for no icon.",
    strip: "The hash of the banner image shown behind the stamps; `null` for no banner.",
    stamps: "How the stamps are drawn.",
    texts:
      "The texts on the card, with one entry per language. The first entry is also used for all other languages.",
    links: "The links on the back of the card.",
    locations: "The locations near which phones show the card on the lock screen.",
    expiresAt: "When wallets start showing the card as expired; `null` if the card never expires.",
  },
  devices: {
    platform: "The wallet on the device.",
    state:
      "Whether the device still has the pass (`registered`), no longer has the pass (`gone`) or can't be reached (`token_dead`).",
  },
  do: action,
  Dossier: {
    user: "The user's own record, including metadata.",
    tags: "The user's tags, in the order they were assigned.",
    passes: "The user's passes, oldest first.",
    purchases: "The user's purchases, newest first.",
    subscription: "The user's consent to receive messages on each channel.",
    messageDeliveries: "The emails sent to the user, newest first, each with its last ten attempts.",
    automationRuns: "The user's stored automation runs, newest first.",
    events: "The stored events about the user and their passes, oldest first.",
  },
  Earning: earning,
  EarningBonus: bonus,
  EarningRule: earningRule,
  effects: purchaseEffect,
  email: {
    status:
      "Whether the customer agreed to receive emails (`SUBSCRIBED`), hasn't confirmed their subscription yet (`PENDING`), unsubscribed (`UNSUBSCRIBED`) or was never asked (`NONE`).",
    at: "When the status was set; `null` if it was never set.",
  },
  EnsureUserTag: {
    slug: "The slug that identifies the tag.",
    name: "The tag's display name. Defaults to the slug.",
  },
  EnsureTemplate: { key: "Your own key for the template." },
  EnsuredWalletPass: { ...detail, notification },
  Entry: { actor: "Who made the change.", createdAt: "When the entry was created." },
  Event: {
    type: "The type of the event.",
    timestamp: "When the event occurred.",
    actor: "Who made the change.",
    data: "The resource as it was after the change.",
  },
  EventPage: {
    next: "The value to pass as `after` to get the next page. Keep it even if this page is empty, and use it to check for new events later.",
  },
  expiring: { points: "The number of points that expire.", at: "When they expire." },
  expiry,
  ExplainedCondition: {
    currentValue:
      "The customer's current value. Its type depends on the condition. For a `segment` condition, it contains the segment's filter as a `tree`.",
    since: "When the result last changed; `null` if the time isn't known.",
  },
  field: {
    name: "The name of the user field.",
    exists: "Whether the field must have a value (`true`) or be empty (`false`).",
  },
  FindUser: { email: "The email address (case-insensitive)." },
  front: { label: "The label above the value.", value: "The value of the field." },
  back: { label: "The label above the value.", value: "The value of the field." },
  givePoints: {
    templateId: "The ID of the template whose card receives the points.",
    points: "The number of points, from 1 to 1,000,000,000.",
  },
  giveReward: { templateId: "The ID of the template whose card receives the reward." },
  Grant: {
    subject: "Your own ID for the user who granted access.",
    tokenId:
      "The ID of the API token that the grant depends on; `null` if it doesn't depend on one. The grant ends when the token does.",
    expiresAt: "When the grant expires; `null` if it doesn't expire on its own.",
  },
  head: { sequence: "The entry's sequence number.", hash: "The entry's hash." },
  history: {
    type: "What happened to the card.",
    count: "The number of stamps, from 1 to 100.",
    at: "When it happened.",
  },
  ImportPass: {
    code: "The code in the pass's QR code. Default: a new code.",
    createdAt: "When the card was created. Default: now.",
    stamps: "The current number of stamps on the card.",
    completions: "How many times the card has been filled.",
    rewards: "The number of rewards that haven't been redeemed.",
    lastStampAt: "When the last stamp was added.",
    points: "The number of points on the card, from 0 to 1,000,000,000.",
    pointsExpireAt:
      "When the points expire. A date means the end of this day; `null` means never. Default: when points that are earned now expire.",
    history: "The card's history, oldest entry first, as an alternative to a balance.",
  },
  ImportSummary: {
    created: "The number of rows that created a user.",
    updated: "The number of rows that updated a user.",
    unchanged: "The number of rows that didn't change anything.",
    failed: "The number of rows that were rejected.",
  },
  ImportUser: { tags: "The user's tags, each given as a slug or a name." },
  installs: { other: "The number of times a pass was added to another wallet." },
  InvitePerson: {
    email: "The email address that the person uses to sign in.",
    language: "The language of the email, as a BCP 47 tag. Default: the organization's language.",
  },
  InvitePersonAgain: {
    language: "The language of the email, as a BCP 47 tag. Default: the organization's language.",
  },
  joined: {
    from: "Matches customers who signed up at this time or later.",
    to: "Matches customers who signed up before this time.",
    withinDays: "Matches customers who signed up at most this many days ago.",
    beforeDays: "Matches customers who signed up more than this many days ago.",
  },
  lastVisit: {
    templateId: "Counts only visits with cards from this template. Default: any template.",
    withinDays: "Matches if the last visit was at most this many days ago.",
    beforeDays: "Matches if the last visit was more than this many days ago.",
    never: "Matches customers who have never visited; always `true`.",
  },
  Leaves: condition,
  ListPurchasesQuery: purchaseQuery,
  limits: {
    perPurchase: "The most that a purchase gives to a card.",
    perDay: "The most that a card gets from the purchases of a day, in the organization's time zone.",
  },
  LineFilter: lineFilter,
  lines: newPurchaseLine,
  links: {
    label: "The link's text.",
    url: "The URL, which must start with `https:`, `mailto:` or `tel:`.",
  },
  locations: {
    latitude: "The latitude in degrees, from -90 to 90.",
    longitude: "The longitude in degrees, from -180 to 180.",
    text: "The text shown on the lock screen; `null` for no text.",
  },
  lots: {
    lotId: "The ID of the entry that gave the points.",
    points: "The number of points that went there; negative if they were taken from there.",
  },
  MergeUserTag: { into: "The slug of the tag to merge into." },
  Message: message,
  MessageAttempt: attempt,
  attempts: attempt,
  MessageDelivery: {
    kind: "The kind of delivery, such as `pass` for a link to a card or `message` for a message.",
    messageId: "The ID of the message being delivered; `null` if the delivery isn't for a message.",
    automationRunId:
      "The ID of the automation run that created the delivery; `null` if it wasn't created by one.",
    passId: "The ID of the pass that the delivery is about; `null` if it isn't about a pass.",
    platform: "The wallet that shows the message, `apple` or `google`; `null` if no wallet shows it.",
    status:
      "Whether the delivery is waiting (`PENDING`), is being sent (`SENDING`), was accepted by the recipient's server (`ACCEPTED`), was skipped (`SKIPPED`) or failed (`FAILED`).",
    reason: "Why the delivery was skipped or failed; `null` otherwise.",
    isSilent: "Whether the wallet shows the message without notifying the customer.",
    isUncertain: "Whether the mail server's reply may have been lost. If so, the email may arrive twice.",
    attempts: "The last ten attempts, oldest first.",
    nextAttemptAt: "When the next attempt is due; `null` unless the status is `PENDING`.",
  },
  MessagePreview: {
    recipients: "The total number of deliveries, one per customer and channel.",
    customers: "The number of customers in the audience.",
    byChannel: "The number of deliveries that would be sent on each channel.",
    skipped: "The number of deliveries that would be skipped, grouped by the first reason that applies.",
    languages: "The number of customers who would receive the text in each language.",
    seconds: "The estimated time to send the message, in seconds.",
  },
  MessageProgress: message,
  MessageSums: {
    recipients: "The total number of deliveries, one per customer and channel.",
    customers: "The number of customers in the audience.",
    pending: "The number of deliveries that are waiting.",
    sending: "The number of deliveries that are being sent.",
    accepted: "The number of deliveries accepted by the recipient's server.",
    failed: "The number of deliveries that failed.",
    skipped: "The number of deliveries that were skipped, grouped by reason.",
    uncertain: "The number of deliveries that may have arrived even though the server's reply was lost.",
  },
  metadata: {
    equals: "Matches if the metadata value equals this value.",
    min: "Matches if the metadata value is a number greater than or equal to this one.",
    max: "Matches if the metadata value is a number less than or equal to this one.",
    withinDays: "Matches if the metadata value is a date at most this many days ago.",
    beforeDays: "Matches if the metadata value is a date more than this many days ago.",
  },
  NotifyWalletPass: {
    language: "The language of the email, as a BCP 47 tag. Default: the customer's language.",
  },
  on: trigger,
  only: lineFilter,
  Page: page,
  passes: {
    ...detail,
    stamps: "The pass's stamp state; `null` if the pass isn't a stamp card.",
    history: "The pass's complete ledger, newest entry first.",
    pointHistory: "The pass's complete point ledger, newest entry first.",
    devices: "The devices that currently have, or previously had, the pass.",
  },
  PassNotification: {
    delivery: "The email that sends the user a link to the card.",
    refused: "The error code that explains why no email was sent.",
  },
  Person: {
    email: "The email address that the person uses to sign in.",
    name: "The person's name; `null` if it isn't known.",
    status: "Whether the person has signed in at least once (`ACTIVE`) or not yet (`INVITED`).",
    invitedAt: "When the person was last invited.",
    lastSignedInAt: "When the person last signed in; `null` if they haven't signed in yet.",
  },
  PersonSession: {
    device: "The browser and operating system of the person's device.",
    lastSeenAt: "When the session was last used, rounded to the hour.",
    expiresAt: "When the session ends.",
  },
  per: { amount: "The amount, in minor units, for which the rule gives its number of points or stamps." },
  PointCard: pointCard,
  PointChange: {
    pointCard: "The pass's points after the change.",
    entry: "The entry that changed them.",
  },
  PointEntry: {
    type: "The type of entry, such as `earned` for points from a purchase or `spent` for spent points.",
    points: "The number of points that the entry added; negative if it took points.",
    debt: "The number of points by which the debt grew; negative if debt was paid.",
    lots: "The points by where they went or came from.",
    usableFrom: "From when the points can be used; `null` if the entry gave none.",
    expiresAt: "When the points expire; `null` if they never expire or the entry gave none.",
    purchase: "The purchase that the entry is about; `null` if it isn't about one.",
    reverses: "The ID of the entry that this one reverses; `null` if it isn't a reversal.",
    note: "A note about the entry; `null` for no note.",
    at: "When the points changed. For a purchase, when it happened.",
  },
  PointHistory: page,
  PointReceipt: {
    ...pointCard,
    entryId: "The ID of the new entry. Use it if you want to reverse the entry.",
  },
  PointTerms: pointTerms,
  points: {
    ...pointTerms,
    min: "The minimum number of usable points on the card.",
    max: "The maximum number of usable points on the card.",
  },
  Purchase: purchase,
  PurchaseChange: purchaseChange,
  PurchaseEffect: purchaseEffect,
  PurchaseLine: purchaseLine,
  NewPurchaseLine: newPurchaseLine,
  PurchaseListQuery: purchaseQuery,
  PurchaseResult: purchase,
  PurchaseReference: {
    source: "The till or shop that recorded the purchase.",
    receipt: "The receipt number of the purchase at its source.",
  },
  PutPurchase: {
    ...purchase,
    revision:
      "Your own number for this state of the purchase. A state with a lower number than the stored one is ignored.",
    userId:
      "The ID or external ID of the user who made the purchase. Give at most one of `userId`, `walletPassId` and `qrCodeValue`.",
    walletPassId: "The ID of a pass of the user who made the purchase.",
    qrCodeValue: "The scanned value of a pass of the user, or just the code it contains.",
    at: "When the purchase happened, at most 5 minutes ahead. Default: now.",
  },
  PutSubscription: {
    email: "The customer's consent to receive messages by email.",
    wallet: "The customer's consent to receive messages on their card.",
    language: "The customer's language as a BCP 47 tag; `null` clears it.",
  },
  Query: {
    actorId: "Returns only entries made by the actor (such as a token or an app) with this ID.",
    actorKind: "Returns only entries made by this kind of actor.",
    after: "The `next` value from the previous page. Omit it to get the first page.",
    newest: "Whether to return the newest events instead of the oldest. Can't be combined with `after`.",
    days: "The number of days up to and including today. Default: 30, unless you provide `from` and `to`.",
    email: "The user's email address (case-insensitive).",
    from: "The first day, such as `2026-01-31`. Requires `to`.",
    hash: "The hash of an audit entry that you saved earlier. Requires `sequence`.",
    ids: "A comma-separated list of up to 100 user IDs. Returns only these users, oldest first. Can't be combined with a search or a stamp filter.",
    includeStamps: "Whether to include `stampProgress`. It's always included if you use a stamp filter.",
    includeSummary:
      "Whether to include `summary`, which contains each contact's available rewards, last visit and tags, and whether they have a card in a wallet.",
    limit: "The maximum number of items per page.",
    location: "Returns only entries recorded at this location.",
    maxStamps: "Stamp filter: the maximum number of stamps currently on the pass. Requires `templateId`.",
    minPoints: "The minimum number of usable points on the pass. Requires `templateId`.",
    maxPoints: "The maximum number of usable points on the pass. Requires `templateId`.",
    minStamps: "Stamp filter: the minimum number of stamps currently on the pass. Requires `templateId`.",
    page: "The page number, starting at 0.",
    qrCodeValue: "The scanned value, or just the code it contains.",
    receipt: "Returns only entries with this receipt number.",
    search:
      "The text to search for in the email address, name, phone number and external ID. Searches are case-insensitive and don't support wildcards.",
    sequence: "The sequence number of an audit entry that you saved earlier. Requires `hash`.",
    size: "The maximum number of items per page, up to 200 (50 for messages). Higher values are reduced to that limit.",
    sort: "The field to sort by and the sort direction. `null` values come last in both directions.",
    subject: "Returns only entries made by the person with this ID, which is your own ID for them.",
    templateId:
      "Stamp filter: the ID of a stamp card template. Returns only contacts who have a pass from this template.",
    to: "The last day, such as `2026-01-31`. Requires `from`.",
    types: "A comma-separated list of event types to return. Default: all types.",
    status: "Returns only items with this status.",
    userId: "Returns only events about the user with this ID or external ID.",
  },
  quietHours: {
    from: "The time of day when quiet hours start, such as `21:00`.",
    to: "The time of day when quiet hours end, such as `08:00`.",
  },
  Replay: {
    deliveryId: "The ID of the delivery whose event you want to resend.",
    eventId: "The ID of the event you want to resend.",
    since: "The start of the time range, such as `2026-01-31T12:00:00Z`. Requires `until`.",
    until: "The end of the time range (exclusive), such as `2026-01-31T13:00:00Z`. Requires `since`.",
  },
  ReplayResult: { deliveries: "The number of new deliveries." },
  RemovePoints: {
    points: "The number of points, from 1 to 1,000,000,000.",
    note: "A note about the entry in the point history; `null` for no note.",
    allowsDebt: "Whether points that the customer doesn't have become debt.",
  },
  returned: {
    quantity: "The number of pieces that came back.",
    amount: "The amount that came back, in minor units.",
  },
  ReturnedLine: returnedLine,
  ReturnPurchase: {
    returnId: "Your own ID for the return, which is unique for the purchase.",
    lines: "The lines that came back. Either this or `all` is required.",
    all: "Returns everything that is left; always `true`.",
    at: "When the goods came back, at most 5 minutes ahead. The correction is made now.",
    note: "A note about the return; `null` for no note.",
  },
  ReversePointEntry: {
    entryId: "The ID of the entry to reverse.",
    note: "A note about the entry in the point history; `null` for no note.",
  },
  ReverseStampEntry: { entryId: "The ID of the entry to reverse." },
  rules: earningRule,
  rewards: {
    templateId: "Considers only cards from this template. Default: any template.",
    min: "The minimum number of rewards that the customer can redeem.",
    max: "The maximum number of rewards that the customer can redeem.",
  },
  RotateApiToken: {
    overlapSeconds: "How long the previous token keeps working, in seconds.",
    expiresAt:
      "When the new token expires; `null` if it never expires. By default, the expiration time doesn't change.",
  },
  RotateAppSecret: {
    immediately: "Whether the previous secret stops working immediately instead of after 24 hours.",
  },
  seconds: {
    email: "The estimated time to send all emails, in seconds.",
    apple: "The estimated time to send all messages to Apple Wallet, in seconds.",
    google: "The estimated time to send all messages to Google Wallet, in seconds.",
  },
  Segment: { filter: "The filter that determines who is in the segment." },
  Condition: condition,
  SegmentExplanation: {
    segment: "The segment.",
    matched: "Whether the customer is in the segment.",
    tree: "The segment's filter, with the result of each part.",
  },
  SegmentMembershipChange: {
    segment: "The segment that the customer entered or left.",
    at: "When the customer entered or left the segment.",
    because:
      "Whether the customer entered or left because data changed (`change`) or because a new day started (`time`).",
  },
  SegmentQuery: {
    size: "The maximum number of items on a page, from 0 to 100.",
    sort: "The field to sort by and the sort direction. `null` values come last in both directions.",
  },
  SegmentStatistics: {
    members:
      "The number of customers in the segment at the end of the last day; `null` if the number isn't known.",
    entered: "The number of customers who entered the segment; `null` if the number isn't known.",
    left: "The number of customers who left the segment; `null` if the number isn't known.",
    days: "The values for each day.",
  },
  SetInstallation: { status: "Whether the pass is in a wallet (`INSTALLED`) or not (`UNINSTALLED`)." },
  SetStamps: { stamps: "The new number of stamps on the card." },
  Settings: {
    senderName: "The sender name shown in emails; `null` to use the server's default.",
    replyTo: "The email address that replies are sent to; `null` to use the server's default.",
    footer: "The text at the end of each email; `null` for no footer.",
    quietHours:
      "The hours, in the organization's time zone, during which no messages start sending; `null` for no quiet hours.",
    cap: "The frequency cap, which limits how many messages each customer receives; `null` for no limit.",
    walletByDefault:
      "Whether cards also show messages to customers who have neither agreed to receive messages nor unsubscribed.",
    name: "The organization's name as shown to customers; `null` if it isn't set.",
    logo: "The hash of the logo image shown to customers; `null` for no logo.",
    language:
      "The language used if a customer's language isn't known, as a BCP 47 tag; `null` if it isn't set.",
    currency: "The currency used for amounts, as an ISO 4217 code such as `EUR`; `null` if it isn't set.",
    timeZone: "The time zone that determines when each day begins, such as `Europe/Vienna`.",
    requiresEmail: "Whether a new user must have an email address.",
    updatedAt: "When a setting was last changed; `null` if no setting has been changed.",
  },
  SpendPoints: {
    points: "The number of points, from 1 to 1,000,000,000.",
    note: "A note about the entry in the point history; `null` for no note.",
    purchase: "The purchase that the points pay for; `null` if it isn't known.",
  },
  stamps: {
    shape: "The shape used for stamps that have no image.",
    filled: "The hash of the image shown for a collected stamp; `null` to use the shape.",
    empty: "The hash of the image shown for an empty stamp; `null` to use the shape.",
    min: "The minimum number of stamps on the card.",
    max: "The maximum number of stamps on the card.",
  },
  StampEntry: {
    type: "The type of entry, such as `added` for added stamps or `redeemed` for a redeemed reward.",
    delta: "The number of stamps that the entry added; negative if it removed stamps.",
    stampsBefore: "The number of stamps before the entry.",
    stampsAfter: "The number of stamps after the entry.",
    completions: "The number of times the entry filled the card; negative if it reversed completions.",
    reverses: "The ID of the entry that this one reverses; `null` if it isn't a reversal.",
    purchase: "The purchase that the entry is about; `null` if it isn't about one.",
  },
  StampHistory: page,
  StampReceipt: {
    entryId: "The ID of the new entry. Use it if you want to reverse the entry.",
    completions: "The number of times the call filled the card; negative if it reversed completions.",
  },
  StampReversal: { reverses: "The ID of the reversed entry." },
  months: {
    month: "The month, in the organization's time zone; `null` for points that never expire.",
    points: "The number of points that are last usable in the month, including pending ones.",
  },
  OutstandingPoints: {
    ...outstanding,
    at: "When the points were added up.",
    templates: "The points by template, for each template whose passes ever had points.",
  },
  Statistics: {
    ...counts,
    customers: "The number of users at the end of the last day.",
    activeCards: "The number of passes at the end of the last day, excluding revoked passes and previews.",
    visitsByHour: "The number of visits for each weekday (starting with Monday) and hour (from 0 to 23).",
    days: "The values for each day.",
  },
  Subscription: {
    email: "The customer's consent to receive messages by email.",
    wallet: "The customer's consent to receive messages on their card.",
    suppressed:
      "Why and when the email address was suppressed; `null` if it isn't suppressed. Nothing is sent to a suppressed address.",
    emailConfirmedAt: "When the customer confirmed their email address; `null` if they haven't confirmed it.",
    channel: "The channel that the consent applies to.",
    status: "The required consent status.",
  },
  SubscriptionChange: {
    channel: "The channel that the consent applies to.",
    status:
      "Whether the customer agreed to receive messages (`SUBSCRIBED`), hasn't confirmed their subscription yet (`PENDING`), unsubscribed (`UNSUBSCRIBED`) or was never asked (`NONE`).",
    at: "When the status was set; `null` if it was never set.",
  },
  suppressed: {
    reason:
      "Whether an email bounced, the recipient marked an email as spam, or the mail server rejected the address.",
    at: "When the address was suppressed.",
  },
  Template: {
    earning: "How purchases earn stamps or points; `null` if they earn nothing.",
    points: "How the points on cards work; `null` if cards have no points.",
    type: "Whether cards collect stamps (`STAMP_CARD`) or only identify the customer (`LOYALTY_CARD`).",
  },
  templates: outstanding,
  TestAutomation: { userId: "The ID or external ID of the user." },
  TestMessage: { userId: "The ID or external ID of the user to send the test message to." },
  texts: {
    language: "The language of the texts, as a BCP 47 tag such as `de`.",
    wallet: "The text shown on cards; `null` if the message isn't for wallets.",
    subject: "The subject of the email; `null` if the message isn't sent by email.",
    text: "The text of the email; `null` if the message isn't sent by email.",
    title: "The title of the card; `null` to use the template's name.",
    description: "The description of the card for screen readers; `null` to use the built-in text.",
    stampsLabel: "The label above the stamps; `null` to use the built-in text.",
    rewardsLabel: "The label above the rewards; `null` to use the built-in text.",
    toGo: "The text that says how many stamps are left, with `{count}` as a placeholder for the number; `null` to use the built-in text.",
    rewardReady: "The text shown when a reward is available; `null` to use the built-in text.",
    front: "The fields on the front of the card.",
    back: "The fields on the back of the card.",
    terms: "The terms on the back of the card; `null` for no terms.",
  },
  UserSelection: {
    userIds: "Selects the users with these IDs or external IDs.",
    filter: "Selects the users who match this filter.",
    segment: "Selects the members of the saved segment with this slug.",
  },
  User: { name: "The user's name; `null` if it isn't known." },
  UserTagMerge: { userTag: "The tag that was merged.", into: "The tag that the other tag was merged into." },
  UserTagAssignment: { id: "The unique ID of the assignment. It never changes." },
  pointsExpire: {
    withinDays: "The number of days after today by whose end the points expire; 0 for today.",
  },
  spent: {
    days: "The number of days before today from which purchases count. Today's purchases also count.",
    currency: "The currency of the purchases that count, such as `EUR`.",
    min: "The minimum amount, in minor units.",
    max: "The maximum amount, in minor units.",
  },
  purchases: {
    days: "The number of days before today from which purchases count. Today's purchases also count.",
    min: "The minimum number of purchases.",
    max: "The maximum number of purchases.",
  },
  visits: {
    templateId: "Counts only visits with cards from this template. Default: any template.",
    days: "The number of days before today from which to count visits. Today's visits are also counted.",
    min: "The minimum number of visits.",
    max: "The maximum number of visits.",
  },
  wallet: {
    status:
      "Whether the customer agreed to receive messages on their card (`SUBSCRIBED`), unsubscribed (`UNSUBSCRIBED`) or was never asked (`NONE`).",
    at: "When the status was set; `null` if it was never set.",
    installed: "Whether the card must be in a wallet (`true`) or not (`false`).",
    platform: "Considers only this wallet. Default: any wallet.",
    templateId: "Considers only cards from this template. Default: any template.",
  },
  WalletCertificate: {
    platform: "The wallet that needs the certificate.",
    name: "The subject of the certificate, such as `pass.com.example.loyalty`.",
    expiresAt: "When the certificate expires.",
  },
  WalletLinks: {
    apple: "The link for adding the pass to Apple Wallet; `null` if Apple Wallet isn't configured.",
    google: "The link for adding the pass to Google Wallet; `null` if Google Wallet isn't configured.",
    page: "The link to the card's page, which the card's QR code also opens.",
  },
  WalletPassDetail: detail,
  WalletPassInstallation: {
    platform: "The wallet that reported the change; `null` if your own code reported it.",
  },
  WebhookAttempt: {
    number: "The attempt number, starting at 1.",
    startedAt: "When the attempt started.",
    duration: "How long the attempt took, in milliseconds.",
    status: "The HTTP status code of the response; `null` if there was no response.",
    error: "Why there was no response; `null` if there was a response.",
  },
  WebhookDelivery: {
    eventId: "The ID of the event.",
    eventType: "The type of the event.",
    status:
      "Whether the event is waiting for an attempt (`pending`), was delivered (`delivered`), or failed after the last attempt (`failed`).",
    nextAttemptAt: "When the next attempt is due; `null` unless the status is `pending`.",
    webhookEndpointId: "The ID of the webhook endpoint.",
  },
  WebhookDeliveryPage: { next: "The value to pass as `after` for the next page; `null` on the last page." },
  WebhookEndpoint: {
    disabledReason:
      "Why the endpoint was disabled: an API call disabled it (`requested`), it responded with 410 Gone (`gone`), or it kept failing (`failing`). `null` if the endpoint is enabled.",
    disabledAt: "When the endpoint was disabled; `null` if the endpoint is enabled.",
  },
  WebhookEndpointWithSecret: { webhookEndpoint: "The webhook endpoint." },
};

/**
 * Returns a field's description for the OpenAPI document and for the package's type declarations, or `undefined` if there is
 * none.
 * @param owner the name of the type that declares the field, as in the OpenAPI document, or the name of the enclosing field.
 */
export function describeField(name: string, owner: string): string | undefined {
  const [, initial = "", rest = ""] = /([A-Z]|^[a-z])([a-z]*)$/.exec(owner) ?? [];
  const owners = [owner, initial.toUpperCase() + rest, initial.toLowerCase() + rest];
  return (
    owners.map((each) => descriptionsByOwner[each]?.[name]).find((text) => text !== undefined) ??
    sharedDescriptions[name]
  );
}
