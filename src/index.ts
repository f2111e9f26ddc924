/** The loyalty engine: a service that runs on a storage adapter, and the types of its inputs and outputs. */
export type { NewGrant } from "./access/grants.js";
export type { Principal } from "./access/token-verifier.js";
export type { ImportCustomer } from "./cards/passes.js";
export type { Dossier } from "./customers/dossier.js";
export type { ImportOptions } from "./customers/import/import.js";
export type { ImportResult } from "./customers/import/import-total.js";
export type { FailedRow } from "./customers/import/row.js";
export { type ErrorCode, type ErrorDetail, errorCodes, isLoyaltyError, LoyaltyError } from "./errors.js";
export type { EventType } from "./event-types.js";
export type { EventListener, LoyaltyEvent, OutboxEvent } from "./events/event.js";
export type { IdempotencyOptions } from "./idempotency/idempotent-call.js";
export type { CallerOptions, LoyaltyOptions } from "./loyalty-options.js";
export { LoyaltyService, type ServiceLoad } from "./loyalty-service.js";
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
  SegmentOperations as Segments,
  SettingsOperations as SettingsCalls,
  StampOperations as Stamps,
  StatisticsOperations as Statistics,
  SubscriptionOperations as Subscriptions,
  TagOperations as Tags,
  TemplateOperations as Templates,
  UserOperations as Users,
  WebhookOperations as Webhooks,
} from "./operations/groups.js";
export type { Organization, SyncOrganization } from "./organization.js";
export type { PictureDecoder } from "./picture-decoder.js";
export { type Actor, type ActorInput, actorKinds } from "./resources/actor.js";
export type { ApiToken, CreateApiToken, CreatedApiToken, RotateApiToken } from "./resources/api-token.js";
export type { App, AppWithSecret, CreateApp, CreatedApp } from "./resources/app.js";
export type { AuditEntry, AuditPage, AuditVerification } from "./resources/audit.js";
export type {
  Automation,
  AutomationAction,
  AutomationTrigger,
  CreateAutomation,
  UpdateAutomation,
} from "./resources/automation.js";
export type { AutomationRun } from "./resources/automation-run.js";
export type { AutomationTest } from "./resources/automation-test.js";
export type { Contact, ContactListQuery } from "./resources/contact.js";
export type { Design, NewDesign } from "./resources/design.js";
export type { EventQuery } from "./resources/event.js";
export type { EventData } from "./resources/event-data.js";
export type { Metadata } from "./resources/fields/metadata.js";
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
  rewards,
  segment,
  stamps,
  subscription,
  tag,
  visits,
  wallet,
} from "./resources/filter-builders.js";
export type { Grant } from "./resources/grant.js";
export type { ImportPass } from "./resources/import.js";
export type { FirstPage, ListPromise } from "./resources/list-promise.js";
export type {
  CreateMessage,
  Message,
  MessageAudience,
  MessagePreview,
  MessageProgress,
  UpdateMessage,
} from "./resources/message.js";
export type { MessageDelivery, PassNotification } from "./resources/message-delivery.js";
export type { MessageSettings, UpdateMessageSettings } from "./resources/message-settings.js";
export type { Page, PageQuery, TagQueryPage } from "./resources/page.js";
export type {
  CreatedPass,
  CreatePass,
  EnsuredPass,
  RevokedPass,
  WalletPass,
  WalletPassDetail,
} from "./resources/pass.js";
export type { AddedPerson, InvitePerson, Person, PersonLink, UpdatePerson } from "./resources/person.js";
export type { SegmentExplanation } from "./resources/segment-explanation.js";
export type {
  ConditionOf,
  SegmentCondition,
  SegmentFilter,
  SegmentQuery,
} from "./resources/segment-filter.js";
export type { SegmentStatistics } from "./resources/segment-statistics.js";
export type { Settings, UpdateSettings } from "./resources/settings.js";
export type { StampCard, StampEntry, StampReceipt } from "./resources/stamps.js";
export type { StatisticsReport } from "./resources/statistics.js";
export type { PutSubscription, Subscription } from "./resources/subscription.js";
export type { CreateTag, UpdateTag, UserTag, UserTagAssignment } from "./resources/tag.js";
export type { TagFilter } from "./resources/tag-filter.js";
export type { TaggingResult, UserSelection } from "./resources/tagging.js";
export type { CreateTemplate, Template, UpdateTemplate } from "./resources/template.js";
export type {
  CreateUser,
  DeletedUser,
  ExportedUser,
  ImportUser,
  UpdateUser,
  User,
} from "./resources/user.js";
export type { WalletCertificate } from "./resources/wallet-certificate.js";
export type { ReplayResult, WebhookDelivery, WebhookDeliveryPage } from "./resources/webhook-delivery.js";
export type {
  CreateWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "./resources/webhook-endpoint.js";
export { type Scope, scopes } from "./scopes.js";
export type { ResealResult, SealedSecrets } from "./sealing/secret-rotation.js";
export { SecretKeyError } from "./secrets/secret-keys.js";
export type { RefreshResult } from "./segments/follower.js";
export type { StorageAdapter } from "./storage/storage-adapter.js";
export type { OrganizationLimits, RetentionOptions } from "./tenant/limits.js";
export type { Span, Tracer } from "./tracing.js";
export type { Clock } from "./values/clock.js";
export type { EventPage } from "./webhooks/events.js";
export type { WebhookOptions } from "./webhooks/options.js";
