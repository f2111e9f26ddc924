/** The loyalty engine: a service over a storage, and the types of all that goes in and comes out. */
export type { ApiTokens } from "./access/api-tokens.js";
export type {
  AppTokens,
  CodeExchange,
  GrantRefusal,
  IssuedTokens,
  RegisteredApp,
  TokenRefresh,
} from "./access/app-tokens.js";
export type { Apps } from "./access/apps.js";
export type { AuditTrail } from "./access/audit-trail.js";
export type { EndedSessions } from "./access/ended-sessions.js";
export type { Grants, NewGrant } from "./access/grants.js";
export type { Principal } from "./access/token-verifier.js";
export type { Automations } from "./automations/automations.js";
export type { PassLookup } from "./cards/find-pass.js";
export type {
  ImportCustomer,
  ImportCustomers,
  ImportPassesOptions,
  PassCalls as Passes,
  SyncPasses,
} from "./cards/passes.js";
export type { IssueOptions } from "./cards/sign-up.js";
export type { StampCalls as Stamps, SyncStamps } from "./cards/stamps.js";
export type { Templates } from "./cards/templates.js";
export type { Contacts } from "./customers/contacts.js";
export type { Dossier, DossierDevice, DossierPass } from "./customers/dossier.js";
export type { ImportOptions, ImportRows } from "./customers/import/import.js";
export type { ImportProgress, ImportResult } from "./customers/import/import-total.js";
export type { FailedRow } from "./customers/import/row.js";
export type { SyncUsers, UserCalls as Users } from "./customers/users.js";
export type { MissingResource } from "./error-messages.js";
export {
  type ErrorCode,
  type ErrorDetail,
  errorCodes,
  isLoyaltyError,
  LoyaltyError,
  type UserConflicts,
} from "./errors.js";
export type { EventType } from "./event-types.js";
export type { AnyEventListener, EventListener, LoyaltyEvent, OutboxEvent } from "./events/event.js";
export type { ErrorListener } from "./events/event-emitter.js";
export type { Exports } from "./exports/exports.js";
export type { IdempotencyOptions } from "./idempotency/idempotent-call.js";
export type { RandomSource } from "./jobs/retries.js";
export type { CallerOptions, LoyaltyOptions, ManagedTransactionOptions } from "./loyalty-options.js";
export { LoyaltyService, type OpenJoinedOrganization, type ServiceLoad } from "./loyalty-service.js";
export type { MailBackend, SignedMailLink } from "./messages/mail-backend.js";
export type { MailJob } from "./messages/mail-claim.js";
export type { MailOutcome, MailResult } from "./messages/mail-outcome.js";
export type { MessageDeliveries } from "./messages/message-deliveries.js";
export type { OrganizationMessageSettings as MessageSettingsCalls } from "./messages/message-settings.js";
export type { Messages } from "./messages/messages.js";
export type { Subscriptions } from "./messages/subscriptions.js";
export type { OrganizationCalls } from "./operations/groups.js";
export type { Organization, SyncOrganization } from "./organization.js";
export type { NewPasskey, PasskeyAnswer, PasskeyOwner, Passkeys, VerifyPasskey } from "./people/passkeys.js";
export type { People } from "./people/people.js";
export type { SessionStart, SignInBrowser } from "./people/person-sessions.js";
export type { SignedInPerson, SignInLinkHolder, SignIns, StaffAccount } from "./people/sign-ins.js";
export type { PictureDecoder } from "./picture-decoder.js";
export { type Actor, type ActorDetails, type ActorInput, actorKinds } from "./resources/actor.js";
export type { ApiToken, CreateApiToken, CreatedApiToken, RotateApiToken } from "./resources/api-token.js";
export type { App, AppWithSecret, CreateApp, CreatedApp } from "./resources/app.js";
export type {
  AuditAction,
  AuditEntry,
  AuditHeadQuery,
  AuditPage,
  AuditQuery,
  AuditVerification,
} from "./resources/audit.js";
export type {
  Automation,
  AutomationAction,
  AutomationState,
  AutomationTrigger,
  CreateAutomation,
  TestAutomation,
  UpdateAutomation,
} from "./resources/automation.js";
export type { AutomationRun, AutomationRunListQuery } from "./resources/automation-run.js";
export type { AutomationTest } from "./resources/automation-test.js";
export type { Contact, ContactListQuery } from "./resources/contact.js";
export type { CreatedByToken } from "./resources/created-by-token.js";
export type { Design, DesignTexts, NewDesign, StampShape } from "./resources/design.js";
export type { EventQuery } from "./resources/event.js";
export type { EventData, UserTagChange } from "./resources/event-data.js";
export type { JsonValue, Metadata } from "./resources/fields/metadata.js";
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
  type Operand,
  type Operands,
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
export type { ListPromise } from "./resources/list-promise.js";
export type {
  CreateMessage,
  Message,
  MessageAudience,
  MessageListQuery,
  MessagePreview,
  MessageProgress,
  MessageSums,
  TestMessage,
  UpdateMessage,
} from "./resources/message.js";
export type {
  AddressBounce,
  Bounce,
  MessageDelivery,
  MessageDeliveryListQuery,
  NotifyPass,
  PassNotification,
} from "./resources/message-delivery.js";
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
export type {
  AddedPerson,
  AddPerson,
  InvitePerson,
  InvitePersonAgain,
  Passkey,
  Person,
  PersonLink,
  PersonSession,
  UpdatePerson,
} from "./resources/person.js";
export type { ExplainedFilter, ExplainedLeaf, SegmentExplanation } from "./resources/segment-explanation.js";
export type {
  ConditionOf,
  SegmentCondition,
  SegmentFilter,
  SegmentQuery,
} from "./resources/segment-filter.js";
export type { LeafValues } from "./resources/segment-leaves.js";
export type { SegmentMembershipChange } from "./resources/segment-move.js";
export type { SegmentStatistics } from "./resources/segment-statistics.js";
export type { Settings, UpdateSettings } from "./resources/settings.js";
export type {
  ChangeStamps,
  RedeemReward,
  ReverseStampEntry,
  SetStamps,
  StampCard,
  StampEntry,
  StampHistoryQuery,
  StampProgress,
  StampReceipt,
  StampReversal,
} from "./resources/stamps.js";
export type { StatisticsQuery, StatisticsReport } from "./resources/statistics.js";
export type {
  MessageChannel,
  PutSubscription,
  Subscription,
  SubscriptionChange,
} from "./resources/subscription.js";
export type { CreateTag, UpdateTag, UserTag, UserTagAssignment } from "./resources/tag.js";
export type { TagCondition, TagFilter, TagQuery } from "./resources/tag-filter.js";
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
export type { WalletCertificate, WalletSetup } from "./resources/wallet-certificate.js";
export type {
  DeliveryListQuery,
  Replay,
  ReplayResult,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryPage,
} from "./resources/webhook-delivery.js";
export type {
  CreateWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "./resources/webhook-endpoint.js";
export { type Scope, scopes } from "./scopes.js";
export type { ResealResult, SealedSecrets } from "./sealing/secret-rotation.js";
export { SecretKeyError } from "./secrets/secret-keys.js";
export type { RefreshOptions, RefreshResult } from "./segments/follower.js";
export type { Segments } from "./segments/segments.js";
export type { OrganizationSettings as SettingsCalls } from "./settings/settings.js";
export type { Statistics } from "./statistics/statistics.js";
export type { StorageAdapter } from "./storage/storage-adapter.js";
export type { Tags } from "./tags/tags.js";
export type { OrganizationLimits, RetentionOptions } from "./tenant/limits.js";
export type { RunInContext, Span, SpanAttributes, SpanFailure, SpanStart, Tracer } from "./tracing.js";
export type { Clock } from "./values/clock.js";
export type { UuidSource } from "./values/ids.js";
export type { PlainPicture } from "./values/picture.js";
export type { EventPage, Events } from "./webhooks/events.js";
export type { DisabledListener, WebhookOptions } from "./webhooks/options.js";
export type {
  AttemptResult,
  ClaimedDeliveries,
  DeliveryJob,
  FinishedAttempt,
  WebhookQueue,
} from "./webhooks/queue.js";
export type { Webhooks } from "./webhooks/webhooks.js";
