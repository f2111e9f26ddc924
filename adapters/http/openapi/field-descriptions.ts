type Sentences = Readonly<Record<string, string>>;

/** The sentences about fields that mean the same wherever they are, by the field's name. */
const everywhere: Sentences = {
  allowedAddresses: "The IP addresses and networks that may use the token; `null` allows any address.",
  answer: "The beginning of the server's response; `null` if there was none.",
  app: "The app.",
  appId: "The app's ID, which is also its `client_id`.",
  apple: "The count for Apple Wallet.",
  apiToken: "The API token, without its secret.",
  attempts: "The attempts so far, oldest first.",
  audience: "The customers who should receive the message.",
  automationId: "The ID of the automation.",
  beforeDays: "Matches if it was at least this many days ago.",
  channel: "The channel: `email`, or `wallet` for messages on the card.",
  channels: "The channels that the message is sent on.",
  changed: "The number of users whose tag was assigned or removed.",
  changesAt: "When the result will change if no data changes; `null` if it won't.",
  clientSecret: "The app's secret, which is shown only once; `null` for public apps.",
  color: "The color in which it is displayed, such as `#6F4E37`.",
  completedAt: "When the last delivery finished; `null` until then.",
  conditions: "The conditions directly in this group, not including conditions in nested groups.",
  consentAt: "When the customer agreed to receive messages by email.",
  consentText: "The text that the customer agreed to.",
  content: "The items on this page.",
  count: "The number of stamps.",
  createdAt: "When it was created.",
  createdBy: "The ID of the API token, person or grant that created it; `null` if your own code did.",
  currentStamps: "The current number of stamps on the card.",
  customers: "The number of customers.",
  date: "The day, such as `2026-01-31`.",
  description: "A description of what it is for; `null` if there is none.",
  design: "The design of the template's cards; `null` for the built-in design.",
  email: "The email address; `null` if it isn't known.",
  emailConsent: "Whether the customer agreed to receive messages by email.",
  emitsEvents: "Whether an event is emitted when a customer enters or leaves the segment.",
  entered: "The number of customers who entered the segment.",
  entryId: "The ID of the entry in the pass's stamp history.",
  exists: "Whether the field must have a value (`true`) or be empty (`false`).",
  externalId: "Your own ID for the user; `null` if there is none.",
  filter: "The filter that customers must match.",
  filters: "The nested groups. Each group counts as one operand.",
  from: "The first day, such as `2026-01-31`.",
  google: "The count for Google Wallet.",
  hash: "The SHA-256 hash of this entry and the previous entry's hash, in hexadecimal.",
  id: "The ID, which never changes.",
  installationStatus:
    "Whether the pass is in a wallet (`INSTALLED`) or was removed from it (`UNINSTALLED`); `null` if it was never in one.",
  isDisabled: "Whether the endpoint is disabled and receives nothing.",
  isEnabled: "Whether the automation is on.",
  isPreviewPass: "Whether the pass is a preview, which isn't included in statistics or segments.",
  isPublic:
    "Whether this is a public app, which can't keep a secret (for example, because it runs in a browser or on a phone).",
  isRecounting:
    "Whether the members are being recounted from scratch. No events are emitted in the meantime.",
  key: "Your own key for the template, which can't change once it is set; `null` if there is none.",
  label: "The label that people see.",
  language: "The language as a BCP 47 tag, such as `de`; `null` if it isn't known.",
  lastStampAt: "When the last stamp was added; `null` if there has never been one.",
  left: "The number of customers who left the segment.",
  limit: "The maximum number of items on a page.",
  link: "The URL that the message links to; `null` for no link.",
  location: "Where the change was made, such as a branch; `null` if it isn't known.",
  matched: "Whether the customer matches.",
  max: "The highest number that matches.",
  maxStamps: "The number of stamps that fill the card; `null` if the template isn't for stamp cards.",
  members: "The number of customers in the segment; `null` if it isn't available.",
  messageId: "The ID of the message; `null` if there is none.",
  metadata: "Your own data about the user, as a JSON object.",
  min: "The lowest number that matches.",
  name: "The name that people see.",
  nextAttemptAt: "When the next attempt is due; `null` if none is planned.",
  note: "A note on the entry in the stamp history; `null` for none.",
  object: "The type of resource. It always has this value.",
  operator:
    "Whether customers must match all (`AND`), at least one (`OR`), or none (`NOT`) of the conditions and nested groups.",
  order:
    "Whether each channel is used (`each`), or only the first one that reaches the customer (`first_reachable`).",
  passId: "The ID of the pass; `null` if there is none.",
  path: "The keys that lead to the value in the metadata, outermost first.",
  phone: "The phone number, as it was given; `null` if it isn't known.",
  platform: "The wallet, `apple` or `google`; `null` if it isn't known.",
  qrCodeValue: "The text of the QR code on the card.",
  receipt: "The receipt number of the purchase; `null` if there is none.",
  redirectUris: "The URIs to which the app can send users back.",
  respectsCap: "Whether to skip customers who have reached the limit on messages.",
  reward: "The reward for a full card, such as `A free coffee`; `null` if there is none.",
  rewardsAvailable: "The number of rewards that the customer can redeem.",
  role: "The role, which determines what the person can do.",
  scopes: "The scopes, which determine what it can do.",
  secret: "The signing secret, which is shown only once.",
  segment: "The slug of a saved segment.",
  slug: "The slug that identifies it in URLs, which never changes.",
  source:
    "How the status was set, such as `customer` for a page or `api` for an API call; `null` if it was never set.",
  stampProgress: "The progress of the stamp card; `null` if the pass isn't a stamp card.",
  stamps: "The number of stamps.",
  startedAt: "When it started; `null` until then.",
  subject: "Your own ID for the person who made the change; `null` if it isn't known.",
  tags: "The slugs of the customer's tags, oldest assignment first.",
  templateId: "The ID of the template.",
  text: "The text that the customer agreed to; `null` if there is none.",
  timesCompleted: "How many times the card has been filled.",
  to: "The last day, such as `2026-01-31`.",
  toGo: "Starts a run only if exactly this many stamps are left until the card is full.",
  token: "The token itself, which is shown only once.",
  tokenId: "The ID of the API token; `null` if there is none.",
  totalStampsCollected: "The total number of stamps collected on the card so far.",
  types: "The event types to send; `null` for all types.",
  unchanged: "The number of users who didn't need a change.",
  updatedAt: "When it was last changed.",
  url: "The URL that events are sent to.",
  userId: "The ID of the user.",
  userIds: "The IDs or external IDs of the users.",
  userTag: "The tag.",
  version: "The version, which increases whenever anything but the name changes.",
  walletPassId: "The ID of the pass.",
  withinDays: "Matches if it was at most this many days ago.",
};

const automation: Sentences = {
  on: "What starts a run: an event, an anniversary, or a customer who enters a segment.",
  if: "The filter that customers must match; `null` for all customers.",
  after: "The number of days between the trigger and the actions; 0 for no delay.",
  do: "The actions, in order. If one fails, none of them take effect.",
  per: "How often it can run for the same customer.",
};

const condition: Sentences = {
  slug: "Matches customers who have the tag with this slug.",
  segment: "Matches the members of the saved segment with this slug.",
  stamps: "Matches customers by the stamps on their card.",
  rewards: "Matches customers by the rewards that they can redeem.",
  completions: "Matches customers by how many times they have filled a card.",
  lastVisit: "Matches customers by when they last visited.",
  visits: "Matches customers by how many times they visited.",
  joined: "Matches customers by when they signed up.",
  metadata: "Matches customers by a value in their metadata.",
  anniversary: "Matches customers by the anniversary of a date in their metadata.",
  field: "Matches customers by whether they have a name, a phone number or an external ID.",
  wallet: "Matches customers by whether they have a card in a wallet.",
  subscription: "Matches customers by their consent to receive messages.",
  language: "Matches customers by their language, given as a BCP 47 tag such as `de`.",
};

const date: Sentences = {
  metadata: "The keys that lead to the date in the customer's metadata, outermost first.",
  daysBefore: "The number of days before the anniversary on which to start.",
  at: "The time of day in the organization's time zone, such as `09:00`.",
};

const attempt: Sentences = {
  at: "When the attempt started.",
  code: "The SMTP reply code of the mail server; `null` if there was no reply.",
  durationMs: "How long the attempt took, in milliseconds.",
};

const trigger: Sentences = {
  event: "The type of event that starts a run.",
  templateId: "Matches only events about cards from this template. Default: any template.",
  segmentEntered: "The slug of the segment. A run starts when a customer enters it.",
  date: "The anniversary that starts a run.",
};

const action: Sentences = {
  message: "Sends this message to the customer.",
  assignTag: "Assigns the tag with this slug.",
  unassignTag: "Removes the tag with this slug.",
  addStamps: "Adds stamps to the customer's card.",
  giveReward: "Adds a reward to the customer's card.",
};

const message: Sentences = {
  status: "Whether the message is a draft, scheduled, being sent, sent, canceled or expired.",
  templateId: "The ID of the template whose cards show the message; `null` if the message isn't for wallets.",
  texts: "The texts, with one entry per language. The first one is also used for all other languages.",
  sendAt: "When sending starts; `null` to start as soon as the message is sent.",
  expiresAt:
    "When sending stops. Default: 24 hours after the scheduled start. `null` for a draft that doesn't set a time.",
  showUntil:
    "When cards stop showing the message. Default: after 7 days. `null` until sending starts, unless a time was set.",
  sums: "The number of deliveries by status; `null` until sending starts.",
  startedAt: "When sending started; `null` until then.",
};

const page: Sentences = {
  totalElements: "The total number of items on all pages.",
  totalPages: "The number of pages.",
  number: "The page number, starting at 0.",
  size: "The maximum number of items on a page.",
  next: "The value to pass as `after` for the next page.",
  first: "Whether this is the first page.",
  last: "Whether this is the last page.",
  empty: "Whether the page has no items.",
};

const notification = "The result of emailing the user; omitted if no email was requested.";

const detail: Sentences = {
  template: "The pass's template.",
  rewardsAvailable: "The number of rewards that can be redeemed; `null` if the pass isn't a stamp card.",
};

/** The numbers of a day, or of several. */
const counts: Sentences = {
  stamps: "The number of stamps that were added.",
  rewardsEarned: "The number of rewards that customers earned.",
  rewardsRedeemed: "The number of rewards that customers redeemed.",
  installs: "The number of times a pass was added to a wallet.",
  emailsAccepted: "The number of emails of any kind accepted by a mail server.",
  emailsFailed: "The number of emails that permanently failed or bounced.",
  walletMessages: "The number of messages that reached a wallet.",
  unsubscribed: "The number of times a customer unsubscribed from a channel.",
};

/**
 * The sentences about the fields of one owner: of a type as OpenAPI names it, of all types whose names end with a word, such as
 * `Page`, or of a field that contains others.
 */
const byOwner: Readonly<Record<string, Sentences>> = {
  Actor: {
    kind: "What kind of actor made the change, such as `library` for your own code.",
    id: "The ID of the token, app or automation; `null` if it has none.",
  },
  ActorInput: {
    kind: "The kind of actor making the change; by default `library`, which is your own code.",
    id: "The ID of the actor; `null` if it has none.",
  },
  addStamps: { templateId: "The ID of the template whose card gets the stamps." },
  AddressBounce: {
    email: "The email address that bounced.",
    kind: "Whether the address is permanently undeliverable (`hard`), temporarily undeliverable (`soft`), or its owner marked an email as spam (`complaint`).",
  },
  AddPerson: { email: "The email address with which the person signs in." },
  anniversary: {
    month: "The month of the anniversary, from 1 to 12, or `this` for the current month.",
    withinDays: "Matches if the next anniversary is at most this many days away.",
  },
  ApiToken: {
    prefix: "The beginning of the token, which helps people recognize it.",
    lastUsedAt: "When the token was last used; `null` if it has never been used.",
    expiresAt: "When the token expires; `null` if it never expires.",
  },
  AuditEntry: {
    sequence: "The entry's sequence number, starting at 1.",
    action: "What was done, such as `api_token.created`.",
    target: "The ID of the affected resource; `null` if there is none.",
    details: "Details of the change. The fields depend on the action.",
    actor: "Who made the change.",
  },
  AuditVerification: {
    entries: "The number of entries that were verified.",
    head: "The newest entry; `null` if the trail is empty.",
    brokenAt: "The sequence number of the first missing or altered entry; `null` if there is none.",
  },
  Automation: automation,
  AutomationAction: action,
  AutomationPer: { everyDays: "The minimum number of days between two runs for the same customer." },
  AutomationRun: {
    version: "The version of the automation that the run uses.",
    occasion: "The ID of the event that started the run, or the date for which it started.",
    status:
      "Whether the run is waiting (`WAITING`), was completed (`DONE`), was skipped (`SKIPPED`) or failed (`FAILED`).",
    reason: "Why the run was skipped or failed; `null` otherwise.",
    actionIndex: "The index of the action that failed, starting at 0; `null` if no action failed.",
    dueAt: "When the run performs or performed its actions.",
  },
  AutomationState: automation,
  AutomationTest: {
    wouldRun: "Whether the automation would run.",
    reason: "Why it wouldn't run; `null` if it would.",
    if: "The automation's filter, with its result for the user; `null` if there is no filter.",
    actions: "What each action would do, in order.",
  },
  Trigger: trigger,
  actions: {
    action: "The action to perform.",
    reason: "Why the action would fail; `null` if it wouldn't.",
    channels: "For a message, what would happen on each channel; `null` for other actions.",
  },
  Audience: {
    all: "Selects all customers; always `true`.",
    filter: "Selects the customers who match this filter.",
    segment: "Selects the members of the saved segment with this slug.",
    userIds: "Selects the users with these IDs.",
  },
  Bounce: {
    kind: "Whether the address is permanently undeliverable (`hard`), temporarily undeliverable (`soft`), or its owner marked an email as spam (`complaint`).",
  },
  byChannel: {
    email: "The number of customers who would get an email.",
    wallet: "The number of customers who would get a message on their card.",
  },
  cap: {
    perDays: "The length of the period, in days of 24 hours.",
    messages: "The maximum number of messages per customer in that period.",
  },
  cards: {
    lastVisitAt:
      "When the customer last visited, not counting reversed visits; `null` if they have never visited.",
    isInWallet: "Whether at least one of the cards is in a wallet.",
    rewardsAvailable: "The number of rewards that the customer can redeem, across all cards.",
  },
  channels: { reason: "Why the channel wouldn't reach the customer; `null` if it would." },
  ChangeStamps: { count: "The number of stamps, from 1 to 100." },
  completions: {
    templateId: "Considers only cards from this template. Default: any template.",
    min: "The minimum number of times the card has been filled.",
    max: "The maximum number of times the card has been filled.",
  },
  Contact: {
    passInfos: "The passes of the user.",
    stampProgress: "The progress of the user's stamp cards; only included if requested.",
    summary: "A summary of the user's cards and tags; only included if requested.",
  },
  ContactSummary: {
    cards: "Totals across all of the user's cards; `null` if the caller isn't allowed to read passes.",
    tags: "The slugs of the user's tags, oldest assignment first; `null` if the caller isn't allowed to read tags.",
  },
  CreateApiToken: { expiresAt: "When the token expires; `null` if it never expires." },
  CreatedByToken: {
    apiTokens: "The API tokens that the token created.",
    apps: "The apps that the token registered.",
    grants: "The grants that depend on the token.",
    endedGrantIds: "The IDs of the grants that ended with the token.",
    webhookEndpointIds: "The IDs of the webhook endpoints that the token created.",
  },
  CreateUser: {
    email: "The email address; required unless the `requiresEmail` setting is off.",
  },
  CreateWalletPass: {
    userId: "The ID or external ID of the user who gets the pass.",
    user: "A new user to create along with the pass.",
    notify: "Whether to email the user a link to the card.",
  },
  CreateWebhookEndpoint: { types: "The event types to send. Default: all types." },
  CreatedWalletPass: { notification },
  date,
  DateTrigger: date,
  days: {
    ...counts,
    customers: "The number of users at the end of the day.",
    activeCards: "The number of passes at the end of the day, excluding previews and revoked passes.",
    members: "The number of customers in the segment at the end of the day; `null` if it isn't known.",
    entered: "The number of customers who entered the segment on the day; `null` if it isn't known.",
    left: "The number of customers who left the segment on the day; `null` if it isn't known.",
  },
  Design: {
    backgroundColor: "The background color of the card, such as `#FFFFFF`.",
    foregroundColor: "The color of the text and stamps on the card, such as `#111827`.",
    labelColor: "The color of the labels on the card, such as `#4B5563`.",
    logo: "The logo, as the hash of a picture; `null` for none.",
    icon: "The icon for notifications, as the hash of a picture; `null` for none.",
    strip: "The wide picture behind the stamps, as the hash of a picture; `null` for none.",
    stamps: "How the stamps are drawn.",
    texts:
      "The texts on the card, with one entry per language. The first one is also used for all other languages.",
    links: "The links on the back of the card.",
    locations: "The locations where phones show the card on the lock screen.",
    expiresAt: "When wallets start showing the card as expired; `null` for never.",
  },
  devices: {
    platform: "The wallet on the device.",
    state:
      "Whether the device still has the pass (`registered`), no longer has it (`gone`), or can't be reached (`token_dead`).",
  },
  do: action,
  Dossier: {
    user: "The customer's own record, including metadata.",
    tags: "The user's tags, oldest assignment first.",
    passes: "The user's passes, oldest first.",
    subscription: "The user's consent to receive messages on each channel.",
    messageDeliveries: "The emails sent to the user, newest first, each with its last ten attempts.",
    automationRuns: "The user's stored automation runs, newest first.",
    events: "The retained events about the user and their passes, oldest first.",
  },
  email: {
    status:
      "Whether the customer agreed to emails (`SUBSCRIBED`), hasn't confirmed yet (`PENDING`), unsubscribed (`UNSUBSCRIBED`) or was never asked (`NONE`).",
    at: "When the status was set; `null` if it was never set.",
  },
  EnsureUserTag: {
    slug: "The slug that identifies the tag.",
    name: "The name that people see; defaults to the slug.",
  },
  EnsureTemplate: { key: "Your own key, which identifies the template." },
  EnsuredWalletPass: { ...detail, notification },
  Entry: { actor: "Who made the change." },
  Event: {
    type: "The type of the event.",
    timestamp: "When the change was made.",
    actor: "Who made the change.",
    data: "The resource as it was after the change.",
  },
  EventPage: {
    next: "The value to pass as `after` to get the next page. Keep it even if this page is empty, and use it to check for new events later.",
  },
  ExplainedCondition: {
    currentValue: "The customer's current value, whose type depends on the kind of condition.",
    since: "When the result last changed; `null` if it isn't known.",
  },
  field: { name: "The field of the user.", exists: "Whether the field must have a value." },
  FindUser: { email: "The email address, which isn't case-sensitive." },
  front: { label: "The label above the value.", value: "The value." },
  back: { label: "The label above the value.", value: "The value." },
  giveReward: { templateId: "The ID of the template whose card gets the reward." },
  Grant: {
    subject: "Your own ID for the user who granted access.",
    tokenId:
      "The ID of the API token that the grant depends on, so it ends when the token does; `null` if there is none.",
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
    history: "The card's history, oldest entry first, as an alternative to a balance.",
  },
  ImportSummary: {
    created: "The number of rows that created a user.",
    updated: "The number of rows that changed a user.",
    unchanged: "The number of rows that changed nothing.",
    failed: "The number of rows that were rejected.",
  },
  ImportUser: { tags: "The user's tags, each given as a slug or a name." },
  installs: { other: "The count for other wallets." },
  InvitePerson: {
    email: "The email address with which the person signs in.",
    language: "The language of the email, as a BCP 47 tag. Default: the organization's language.",
  },
  InvitePersonAgain: {
    language: "The language of the email, as a BCP 47 tag. Default: the organization's language.",
  },
  joined: {
    from: "Matches customers who signed up at this time or later.",
    to: "Matches customers who signed up before this time.",
  },
  lastVisit: {
    templateId: "Counts only visits with cards from this template. Default: any template.",
    never: "Matches customers who have never visited; always `true`.",
  },
  Leaves: condition,
  links: {
    label: "The link's text.",
    url: "The URL, which must start with `https:`, `mailto:` or `tel:`.",
  },
  locations: {
    latitude: "The latitude in degrees, from -90 to 90.",
    longitude: "The longitude in degrees, from -180 to 180.",
    text: "The text on the lock screen; `null` for none.",
  },
  MergeUserTag: { into: "The slug of the tag to merge into." },
  Message: message,
  MessageAttempt: attempt,
  attempts: attempt,
  MessageDelivery: {
    kind: "What the delivery is about, such as `pass` for a link to a card or `message` for a message.",
    messageId: "The ID of the message that is delivered; `null` if there is none.",
    automationRunId: "The ID of the automation run that sent it; `null` if there is none.",
    passId: "The ID of the pass that it is about; `null` if there is none.",
    platform: "The wallet that shows it, `apple` or `google`; `null` if there is none.",
    status:
      "Whether the delivery is waiting (`PENDING`), is being sent (`SENDING`), was accepted by the recipient's server (`ACCEPTED`), was skipped (`SKIPPED`) or failed (`FAILED`).",
    reason: "Why it was skipped or failed; `null` otherwise.",
    isSilent: "Whether the wallet shows the message without notifying the customer.",
    isUncertain: "Whether the server's reply may have been lost, in which case the email may arrive twice.",
    attempts: "The last ten attempts, oldest first.",
    nextAttemptAt: "When the next attempt is due; `null` unless the status is `PENDING`.",
  },
  MessagePreview: {
    recipients: "The total number of deliveries, one per customer and channel.",
    customers: "The number of customers in the audience.",
    byChannel: "The number of deliveries that would be sent, by channel.",
    skipped: "The number of deliveries that wouldn't be sent, by the first reason that applies.",
    languages: "The number of customers who would get the text in each language.",
    seconds: "The estimated sending time, in seconds.",
  },
  MessageProgress: message,
  MessageSums: {
    recipients: "The total number of deliveries, one per customer and channel.",
    customers: "The number of customers in the audience.",
    pending: "The number of deliveries that are waiting.",
    sending: "The number of deliveries that are being sent.",
    accepted: "The number of deliveries accepted by the recipient's server.",
    failed: "The number of deliveries that failed.",
    skipped: "The number of deliveries that were skipped, by reason.",
    uncertain: "The number of deliveries that may have arrived even though the server's reply was lost.",
  },
  metadata: {
    equals: "Matches if the value equals this one.",
    min: "Matches if the value is a number that is at least this high.",
    max: "Matches if the value is a number that is at most this high.",
    withinDays: "Matches if the value is a date at most this many days ago.",
    beforeDays: "Matches if the value is a date at least this many days ago.",
  },
  NotifyWalletPass: {
    language: "The language of the email, as a BCP 47 tag. Default: the customer's language.",
  },
  on: trigger,
  Page: page,
  passes: {
    ...detail,
    stamps: "The pass's stamp state, or `null` if the pass isn't a stamp card.",
    history: "The pass's complete ledger, newest entry first.",
    devices: "The devices that have or had the pass.",
  },
  PassNotification: {
    delivery: "The email to the user about the pass.",
    refused: "The error code that explains why no email is sent.",
  },
  Person: {
    email: "The email address with which the person signs in.",
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
  PutSubscription: {
    email: "The customer's consent to receive messages by email.",
    wallet: "The customer's consent to receive messages on their card.",
    language: "The customer's language as a BCP 47 tag; `null` clears it.",
  },
  Query: {
    actorId: "Returns only entries by the actor with this ID, such as a token or an app.",
    actorKind: "Returns only entries by this kind of actor.",
    after: "The `next` value of the previous page. Leave it out for the first page.",
    newest: "`true` returns the newest `limit` events instead of the oldest. Can't be combined with `after`.",
    days: "The number of days, including today. Default: 30, unless you give `from` and `to`.",
    email: "The user's email address. It isn't case-sensitive.",
    from: "The first day, such as `2026-01-31`. Requires `to`.",
    hash: "The hash of an entry that you stored earlier. Requires `sequence`.",
    ids: "Returns only the users with these comma-separated IDs, oldest first. At most 100. Can't be combined with a search or a stamp filter.",
    includeStamps: "Whether to include `stampProgress`, which is always included if you use a stamp filter.",
    includeSummary:
      "Whether to include `summary`: available rewards, the last visit, whether a card is in a wallet, and tags.",
    limit: "The maximum number of items per page.",
    location: "Returns only entries with this location.",
    maxStamps: "Stamp filter: the maximum number of current stamps. Requires `templateId`.",
    minStamps: "Stamp filter: the minimum number of current stamps. Requires `templateId`.",
    page: "The page number, starting at 0.",
    qrCodeValue: "The scanned value, or just its code.",
    receipt: "Returns only entries with this receipt.",
    search:
      "The text to search for in email, name, phone and external ID. It isn't case-sensitive and can't contain wildcards.",
    sequence: "The sequence number of an entry that you stored earlier. Requires `hash`.",
    size: "The number of items per page, at most 200 (messages: 50). Higher values are reduced to the maximum.",
    sort: "The field to sort by and the direction. `null` values come last in both directions.",
    subject: "Returns only entries by the person with this ID of your own.",
    templateId: "Stamp filter: returns only contacts who have a pass from this stamp card template.",
    to: "The last day. Requires `from`.",
    types: "Returns only events of these comma-separated types. Default: all types.",
    status: "Returns only items with this status.",
    userId: "Returns only events about the user with this ID or external ID.",
  },
  quietHours: {
    from: "The time of day when the quiet hours start, such as `21:00`.",
    to: "The time of day when the quiet hours end, such as `08:00`.",
  },
  Replay: {
    deliveryId: "The ID of a delivery whose event should be sent again.",
    eventId: "The ID of an event that should be sent again.",
    since: "The start of the time range, such as `2026-01-31T12:00:00Z`. Requires `until`.",
    until: "The end of the time range (exclusive), such as `2026-01-31T13:00:00Z`. Requires `since`.",
  },
  ReplayResult: { deliveries: "The number of new deliveries." },
  ReverseStampEntry: { entryId: "The ID of the entry to reverse." },
  rewards: {
    templateId: "Considers only cards from this template. Default: any template.",
    min: "The minimum number of rewards that the customer can redeem.",
    max: "The maximum number of rewards that the customer can redeem.",
  },
  RotateApiToken: {
    overlapSeconds: "How long the previous token keeps working, in seconds.",
    expiresAt: "When the new token expires; `null` if it never expires. Default: unchanged.",
  },
  RotateAppSecret: { immediately: "Whether the previous secret stops working immediately." },
  seconds: {
    email: "The estimated time for emails, in seconds.",
    apple: "The estimated time for Apple Wallet, in seconds.",
    google: "The estimated time for Google Wallet, in seconds.",
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
    at: "When the customer entered or left it.",
    because:
      "Whether the customer entered or left because data changed (`change`) or because a new day started (`time`).",
  },
  SegmentQuery: { size: "The maximum number of items on a page, from 0 to 100." },
  SegmentStatistics: {
    members: "The number of customers in the segment at the end of the last day; `null` if it isn't known.",
    entered: "The number of customers who entered the segment; `null` if it isn't known.",
    left: "The number of customers who left the segment; `null` if it isn't known.",
    days: "The values for each day.",
  },
  SetInstallation: { status: "Whether the pass is in a wallet (`INSTALLED`) or not (`UNINSTALLED`)." },
  SetStamps: { stamps: "The new number of stamps on the card." },
  Settings: {
    senderName: "The sender name of emails; `null` for the server's default.",
    replyTo: "The email address for replies; `null` for the server's default.",
    footer: "The text at the end of each email; `null` for none.",
    quietHours: "The hours during which no messages start, in the organization's time zone; `null` for none.",
    cap: "The limit on messages per customer; `null` for no limit.",
    walletByDefault: "Whether cards also show messages to customers who haven't agreed or unsubscribed.",
    name: "The name that customers see; `null` if it isn't set.",
    logo: "The logo that customers see, as the hash of a picture; `null` for none.",
    language:
      "The language for customers whose language isn't known, as a BCP 47 tag; `null` if it isn't set.",
    currency: "The currency of amounts, as an ISO 4217 code such as `EUR`; `null` if it isn't set.",
    timeZone: "The time zone in which days begin, such as `Europe/Vienna`.",
    requiresEmail: "Whether a new user must have an email address.",
    updatedAt: "When a setting was last changed; `null` if no setting has been changed.",
  },
  stamps: {
    shape: "The shape of stamps without a picture.",
    filled: "The picture of a collected stamp, as the picture's hash; `null` to use the shape.",
    empty: "The picture of an empty stamp, as the picture's hash; `null` to use the shape.",
    min: "The minimum number of stamps on the card.",
    max: "The maximum number of stamps on the card.",
  },
  StampEntry: {
    type: "What the entry did, such as `added` for stamps or `redeemed` for a reward.",
    delta: "The number of stamps that the entry added; negative if it removed stamps.",
    stampsBefore: "The number of stamps before the entry.",
    stampsAfter: "The number of stamps after the entry.",
    completions: "The number of times the entry filled the card; negative if it reversed completions.",
    reverses: "The ID of the entry that this one reverses; `null` if it isn't a reversal.",
  },
  StampHistory: page,
  StampReceipt: {
    entryId: "The ID of the new entry, which you can use to reverse it.",
    completions: "The number of times the call filled the card; negative if it undid completions.",
  },
  StampReversal: { reverses: "The ID of the reversed entry." },
  Statistics: {
    ...counts,
    customers: "The number of users at the end of the last day.",
    activeCards: "The number of passes at the end of the last day that are neither revoked nor previews.",
    visitsByHour: "The number of visits by weekday, starting with Monday, and by hour from 0 to 23.",
    days: "The values for each day.",
  },
  Subscription: {
    email: "The customer's consent to receive messages by email.",
    wallet: "The customer's consent to receive messages on their card.",
    suppressed:
      "Why the email address is suppressed, so that nothing is sent to it until it changes; `null` if it isn't suppressed.",
    emailConfirmedAt: "When the customer confirmed the email address; `null` if they haven't.",
    channel: "The channel that the consent is about.",
    status: "The status that the consent must have.",
  },
  SubscriptionChange: {
    channel: "The channel that the consent is about.",
    status:
      "Whether the customer agreed (`SUBSCRIBED`), hasn't confirmed yet (`PENDING`), unsubscribed (`UNSUBSCRIBED`) or was never asked (`NONE`).",
    at: "When the status was set; `null` if it was never set.",
  },
  suppressed: {
    reason:
      "Whether an email bounced, the recipient marked one as spam, or the mail server rejected the address.",
    at: "When it happened.",
  },
  Template: {
    type: "Whether cards collect stamps (`STAMP_CARD`) or only identify the customer (`LOYALTY_CARD`).",
  },
  TestAutomation: { userId: "The ID or external ID of the user." },
  TestMessage: { userId: "The ID or external ID of the user who gets the test message." },
  texts: {
    language: "The language of the texts, as a BCP 47 tag such as `de`.",
    wallet: "The text on cards; `null` if the message isn't for wallets.",
    subject: "The subject of the email; `null` if the message isn't sent by email.",
    text: "The text of the email; `null` if the message isn't sent by email.",
    title: "The title of the card; `null` for the template's name.",
    description: "The description of the card for screen readers; `null` for the built-in text.",
    stampsLabel: "The label above the stamps; `null` for the built-in text.",
    rewardsLabel: "The label above the rewards; `null` for the built-in text.",
    toGo: "The text for the remaining stamps, with `{count}` as a placeholder for their number; `null` for the built-in text.",
    rewardReady: "The text for a card with a reward waiting; `null` for the built-in text.",
    front: "The fields on the front of the card.",
    back: "The fields on the back of the card.",
    terms: "The terms on the back of the card; `null` for none.",
  },
  UserSelection: {
    userIds: "Selects the users with these IDs or external IDs.",
    filter: "Selects the users who match this filter.",
    segment: "Selects the members of the saved segment with this slug.",
  },
  UserTagMerge: { userTag: "The tag that was merged.", into: "The tag that it was merged into." },
  UserTagAssignment: { id: "The ID of the assignment, which never changes." },
  visits: {
    templateId: "Counts only visits with cards from this template. Default: any template.",
    days: "The number of days before today in which visits count.",
    min: "The minimum number of visits.",
    max: "The maximum number of visits.",
  },
  wallet: {
    status:
      "Whether the customer agreed to messages on their card (`SUBSCRIBED`), unsubscribed (`UNSUBSCRIBED`) or was never asked (`NONE`).",
    at: "When the status was set; `null` if it was never set.",
    installed: "Whether the card must be in a wallet (`true`) or not (`false`).",
    platform: "Considers only this wallet. Default: any wallet.",
    templateId: "Considers only cards from this template. Default: any template.",
  },
  WalletCertificate: {
    platform: "The wallet that needs the certificate.",
    name: "The certificate's subject, such as `pass.com.example.loyalty`.",
    expiresAt: "When the certificate expires.",
  },
  WalletLinks: {
    apple: "The link that adds the pass to Apple Wallet; `null` if that wallet isn't set up.",
    google: "The link that adds the pass to Google Wallet; `null` if that wallet isn't set up.",
    page: "The card's page, which its QR code opens.",
  },
  WalletPassDetail: detail,
  WalletPassInstallation: {
    platform: "The wallet that reported the change; `null` if your own code did.",
  },
  WebhookAttempt: {
    number: "The number of the attempt, starting at 1.",
    startedAt: "When the attempt started.",
    duration: "How long the attempt took, in milliseconds.",
    status: "The HTTP status of the response; `null` if there was none.",
    error: "Why there was no response; `null` if there was one.",
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
      "Why the endpoint was disabled: by an API call (`requested`), because it responded with 410 Gone (`gone`), or because it kept failing (`failing`). `null` if it is enabled.",
    disabledAt: "When the endpoint was disabled; `null` if it is enabled.",
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
  return owners.map((each) => byOwner[each]?.[name]).find((text) => text !== undefined) ?? everywhere[name];
}
