/** The loyalty engine: a service that runs on a storage adapter, and the types of its inputs and outputs. */

export { type Actor, type ActorInput, actorKinds } from "./access/actor-schema.js";
export type { ApiToken, CreateApiToken, CreatedApiToken, RotateApiToken } from "./access/api-token-schema.js";
export type { App, AppWithSecret, CreateApp, CreatedApp, Grant } from "./access/app-schema.js";
export type { AuditEntry, AuditPage, AuditVerification } from "./access/audit-schema.js";
export type { NewGrant } from "./access/grants.js";
export type { AutomationRun, AutomationTest } from "./automations/run-schema.js";
export type {
  Automation,
  AutomationAction,
  AutomationTrigger,
  CreateAutomation,
  UpdateAutomation,
} from "./automations/schema.js";
export { type ErrorCode, type ErrorDetail, errorCodes, isLoyaltyError, LoyaltyError } from "./base/errors.js";
export type { EventType } from "./base/event-types.js";
export type { Metadata } from "./base/fields/metadata.js";
export type { FirstPage, ListPromise } from "./base/list-promise.js";
export type { Page, PageQuery, TagQueryPage } from "./base/page.js";
export { type Scope, scopes } from "./base/scopes.js";
export { SecretKeyError } from "./base/secrets/secret-keys.js";
export type { Span, Tracer } from "./base/tracing.js";
export type { Clock } from "./base/values/clock.js";
export type { PictureDecoder } from "./base/values/picture.js";
export type { Design, NewDesign } from "./cards/design-schema.js";
export type {
  CreatedPass,
  CreatePass,
  EnsuredPass,
  RevokedPass,
  WalletPass,
  WalletPassDetail,
} from "./cards/pass-schema.js";
export type { ImportCustomer } from "./cards/passes.js";
export type { Earning } from "./cards/program-schema.js";
export type { CreateTemplate, Template, UpdateTemplate } from "./cards/schema.js";
export type { StampCard, StampEntry, StampReceipt } from "./cards/stamps-schema.js";
export type { Contact, ContactListQuery } from "./customers/contact-schema.js";
export type { Dossier } from "./customers/dossier.js";
export type { ImportOptions } from "./customers/import/import.js";
export type { ImportResult } from "./customers/import/import-total.js";
export type { FailedRow } from "./customers/import/row.js";
export type { ImportPass } from "./customers/import-schema.js";
export type {
  CreateUser,
  DeletedUser,
  ExportedUser,
  ImportUser,
  UpdateUser,
  User,
} from "./customers/schema.js";
export type { Principal } from "./kernel/caller-rights.js";
export type { EventListener, LoyaltyEvent, OutboxEvent } from "./kernel/events/event-emitter.js";
export type { IdempotencyOptions } from "./kernel/idempotency/idempotent-call.js";
export type { OrganizationLimits, RetentionOptions } from "./kernel/limits.js";
export type { CallerOptions, LoyaltyOptions } from "./loyalty-options.js";
export { LoyaltyService, type ServiceLoad } from "./loyalty-service.js";
export type { MessageDelivery, PassNotification } from "./messages/delivery-schema.js";
export type {
  CreateMessage,
  Message,
  MessageAudience,
  MessagePreview,
  MessageProgress,
  UpdateMessage,
} from "./messages/schema.js";
export type { MessageSettings, UpdateMessageSettings } from "./messages/settings-schema.js";
export type { PutSubscription, Subscription } from "./messages/subscription-schema.js";
export type {
  ApiTokenOperations as ApiTokens,
  AppOperations as Apps,
  AuditOperations as AuditTrail,
  AutomationOperations as Automations,
  ContactOperations as Contacts,
  EventOperations as Events,
  ExportOperations as Exports,
  GrantOperations as Grants,
  MessageDeliveryOperations as MessageDeliveries,
  MessageOperations as Messages,
  MessageSettingsOperations as MessageSettingsCalls,
  PassOperations as Passes,
  PersonOperations as People,
  PointOperations as Points,
  PurchaseOperations as Purchases,
  SegmentOperations as Segments,
  SettingsOperations as SettingsCalls,
  StampOperations as Stamps,
  StatisticsOperations as Statistics,
  SubscriptionOperations as Subscriptions,
  TagOperations as Tags,
  TemplateOperations as Templates,
  UserOperations as Users,
  WebhookOperations as Webhooks,
} from "./operation-groups.js";
export type { Organization, SyncOrganization } from "./organization.js";
export type {
  AddedPerson,
  InvitePerson,
  Person,
  PersonLink,
  UpdatePerson,
} from "./people/schema.js";
export type { PointCard, PointEntry, PointReceipt } from "./points/schema.js";
export type { Purchase, PurchaseResult, PutPurchase, ReturnPurchase } from "./purchases/schema.js";
export type { ResealResult, SealedSecrets } from "./sealed-secrets.js";
export type { SegmentExplanation } from "./segments/explanation-schema.js";
export {
  all,
  anniversary,
  any,
  type ConditionIn,
  completions,
  type FilterOf,
  field,
  joined,
  language,
  lastVisit,
  metadata,
  not,
  points,
  pointsExpire,
  purchases,
  rewards,
  segment,
  spent,
  stamps,
  subscription,
  tag,
  visits,
  wallet,
} from "./segments/filter-builders-schema.js";
export type {
  ConditionOf,
  SegmentCondition,
  SegmentFilter,
  SegmentQuery,
} from "./segments/filter-schema.js";
export type { RefreshResult } from "./segments/follower.js";
export type { Segment, SegmentStatistics } from "./segments/schema.js";
export type { Settings, UpdateSettings } from "./settings/schema.js";
export type { OutstandingPoints, StatisticsReport } from "./statistics/schema.js";
export type { StorageAdapter } from "./storage/storage-adapter.js";
export type {
  CreateTag,
  TaggingResult,
  UpdateTag,
  UserSelection,
  UserTag,
  UserTagAssignment,
} from "./tags/schema.js";
export type { TagFilter } from "./tags/tag-filter-schema.js";
export type { WalletCertificate } from "./wallets/schema.js";
export type { ReplayResult, WebhookDelivery, WebhookDeliveryPage } from "./webhooks/delivery-schema.js";
export type { EventData, EventQuery } from "./webhooks/event-schema.js";
export type { EventPage } from "./webhooks/events.js";
export type { WebhookOptions } from "./webhooks/options.js";
export type {
  CreateWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "./webhooks/schema.js";
