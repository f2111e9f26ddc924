export type { ApiTokens } from "./api-tokens.js";
export type {
  AppTokens,
  CodeExchange,
  GrantRefusal,
  IssuedTokens,
  Refreshing,
  RegisteredApp,
} from "./app-tokens.js";
export type { Apps } from "./apps.js";
export type { Clock } from "./clock.js";
export type { Contacts } from "./contacts.js";
export {
  type ErrorCode,
  type ErrorDetail,
  errorCodes,
  isLoyaltyError,
  LoyaltyError,
  type UserConflicts,
} from "./errors.js";
export type { EventPage, Events } from "./event-log.js";
export type {
  DeletedUser,
  ErrorListener,
  EventData,
  EventListener,
  EventType,
  LoyaltyEvent,
  RevokedPass,
  UserTagChange,
} from "./events.js";
export type { Grants, NewGrant } from "./grants.js";
export type { UuidSource } from "./ids.js";
export type { FailedRow } from "./import-row.js";
export { type LoyaltyOptions, LoyaltyService, type Organization } from "./loyalty-service.js";
export type { OutboxOptions } from "./outbox.js";
export type { Page, TagQueryPage } from "./page.js";
export type { Passes, PassPlace } from "./passes.js";
export type { ApiToken, CreateApiToken, CreatedApiToken } from "./schemas/api-token.js";
export type { App, AppWithSecret, CreateApp } from "./schemas/app.js";
export type { Contact, ContactListQuery } from "./schemas/contact.js";
export type { EventQuery } from "./schemas/event.js";
export type { Grant } from "./schemas/grant.js";
export type { PageQuery } from "./schemas/list-query.js";
export type { JsonValue, Metadata } from "./schemas/metadata.js";
export type { CreatePass, WalletPass, WalletPassDetail } from "./schemas/pass.js";
export type { ChangeStamps, SetStamps, StampCard, StampEntry, StampProgress } from "./schemas/stamps.js";
export type { CreateTag, UpdateTag, UserTag, UserTagAssignment } from "./schemas/tag.js";
export type { TaggingResult, UserSelection } from "./schemas/tagging.js";
export type { CreateTemplate, Template, UpdateTemplate } from "./schemas/template.js";
export type { CreateUser, UpdateUser, User } from "./schemas/user.js";
export type { ExportedUser, ImportUser } from "./schemas/user-import.js";
export type {
  DeliveryListQuery,
  Replay,
  ReplayResult,
  WebhookAttempt,
  WebhookDelivery,
  WebhookDeliveryPage,
} from "./schemas/webhook-delivery.js";
export type {
  CreateWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from "./schemas/webhook-endpoint.js";
export { type Scope, scopes } from "./scopes.js";
export { Bitmap } from "./segments/bitmap.js";
export type { TagCondition, TagFilter, TagQuery } from "./segments/filter.js";
export type { Stamps } from "./stamps.js";
export type * from "./storage/answers.js";
export type * from "./storage/api-tokens.js";
export type * from "./storage/apps.js";
export type * from "./storage/contacts.js";
export type * from "./storage/events.js";
export type * from "./storage/passes.js";
export type * from "./storage/segments.js";
export type * from "./storage/tags.js";
export type * from "./storage/templates.js";
export type * from "./storage/users.js";
export type * from "./storage/webhooks.js";
export type * from "./storage.js";
export { StorageConflict } from "./storage.js";
export type { Tags } from "./tags.js";
export type { Templates } from "./templates.js";
export type { Principal } from "./token-verifier.js";
export type { ImportOptions, ImportProgress, ImportResult, ImportRows } from "./user-import.js";
export type { Users } from "./users.js";
export type { DisabledListener, RandomSource, WebhookOptions } from "./webhooks/options.js";
export type { AttemptResult, DeliveryJob, SettledAttempt, WebhookQueue } from "./webhooks/queue.js";
export type { Webhooks } from "./webhooks/webhooks.js";
