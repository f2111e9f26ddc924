import type { ApiTokens } from "../access/api-tokens.js";
import type { Apps } from "../access/apps.js";
import type { AuditTrail } from "../access/audit-trail.js";
import type { Grants } from "../access/grants.js";
import type { Automations } from "../automations/automations.js";
import type { PassCalls } from "../cards/passes.js";
import type { StampCalls } from "../cards/stamps.js";
import type { Templates } from "../cards/templates.js";
import type { Contacts } from "../customers/contacts.js";
import type { UserCalls } from "../customers/users.js";
import type { Exports } from "../exports/exports.js";
import type { IdempotencyOptions } from "../idempotency/idempotent-call.js";
import type { MessageDeliveries } from "../messages/message-deliveries.js";
import type { OrganizationMessageSettings } from "../messages/message-settings.js";
import type { Messages } from "../messages/messages.js";
import type { Subscriptions } from "../messages/subscriptions.js";
import type { People } from "../people/people.js";
import type { WithLists } from "../resources/list-promise.js";
import type { CreatedPass, CreatePass } from "../resources/pass.js";
import type { Segments } from "../segments/segments.js";
import type { OrganizationSettings } from "../settings/settings.js";
import type { Statistics } from "../statistics/statistics.js";
import type { Tags } from "../tags/tags.js";
import type { Events } from "../webhooks/events.js";
import type { Webhooks } from "../webhooks/webhooks.js";
import type { Routes } from "./routes.js";

/** The operations of an organization, by the resource that they are about. */
export interface Groups {
  readonly users: UserOperations;
  readonly contacts: ContactOperations;
  readonly tags: TagOperations;
  readonly templates: TemplateOperations;
  readonly passes: PassOperations;
  readonly stamps: StampOperations;
  readonly events: EventOperations;
  readonly webhooks: WebhookOperations;
  readonly apiTokens: ApiTokenOperations;
  /** Staff accounts. */
  readonly people: PersonOperations;
  /** The audit trail. */
  readonly audit: AuditOperations;
  readonly statistics: StatisticsOperations;
  /** Users by tags and behavior. */
  readonly segments: SegmentOperations;
  /** The organization's settings for all that it does. */
  readonly settings: SettingsOperations;
  /** The OAuth 2.0 clients that the organization has registered. */
  readonly apps: AppOperations;
  /** Grants of users to apps. */
  readonly grants: GrantOperations;
  readonly subscriptions: SubscriptionOperations;
  /** The messages that the organization writes to its users. */
  readonly messages: MessageOperations;
  readonly messageSettings: MessageSettingsOperations;
  readonly messageDeliveries: MessageDeliveryOperations;
  /** Automations and their runs. */
  readonly automations: AutomationOperations;
  /** Everything that the organization has. */
  readonly exports: ExportOperations;
}

/** Calls about customers. */
export interface UserOperations extends WithLists<UserCalls> {}

/** Calls about lists and searches of customers with their cards. */
export interface ContactOperations extends WithLists<Contacts> {}

/** Calls about tags and who has them. */
export interface TagOperations extends WithLists<Tags> {}

/** Calls about templates of passes. */
export interface TemplateOperations extends WithLists<Templates> {}

/** Calls about passes and cards in wallets. */
export interface PassOperations extends WithLists<PassCalls> {}

/** Calls about stamps and rewards of a card. */
export interface StampOperations extends WithLists<StampCalls> {}

/** Calls about events of the outbox. */
export interface EventOperations extends WithLists<Events> {}

/** Calls about webhook endpoints and their deliveries. */
export interface WebhookOperations extends WithLists<Webhooks> {}

/** Calls about API tokens. */
export interface ApiTokenOperations extends WithLists<ApiTokens> {}

/** Calls about people who sign in. */
export interface PersonOperations extends WithLists<People> {}

/** Calls about the audit trail. */
export interface AuditOperations extends WithLists<AuditTrail> {}

/** Calls about the numbers of each day. */
export interface StatisticsOperations extends WithLists<Statistics> {}

/** Calls about segments: users by tags and behavior. */
export interface SegmentOperations extends WithLists<Segments> {}

/** Calls about the organization's settings. */
export interface SettingsOperations extends WithLists<OrganizationSettings> {}

/** Calls about registered OAuth 2.0 clients. */
export interface AppOperations extends WithLists<Apps> {}

/** Calls about what users allow apps to do. */
export interface GrantOperations extends WithLists<Grants> {}

/** Calls about who wants messages. */
export interface SubscriptionOperations extends WithLists<Subscriptions> {}

/** Calls about messages to users. */
export interface MessageOperations extends WithLists<Messages> {}

/** Calls about the settings of messages. */
export interface MessageSettingsOperations extends WithLists<OrganizationMessageSettings> {}

/** Calls about mails and wallet messages on their way. */
export interface MessageDeliveryOperations extends WithLists<MessageDeliveries> {}

/** Calls about automations and their runs. */
export interface AutomationOperations extends WithLists<Automations> {}

/** Calls about everything that an organization has, as one file. */
export interface ExportOperations extends WithLists<Exports> {}

type Regular = Exclude<keyof Groups, "passes">;

/**
 * The calls of one organization, both in the process of the service (`Organization`) and over HTTP (`createClient` of
 * `loyalty-kit/client`). HTTP has no import and export, no checks of stored segments, no preview passes, no calls of the consent
 * page, and can't join a host's transaction.
 */
export type OrganizationCalls = {
  readonly [Group in Regular]: Pick<Groups[Group], keyof Groups[Group] & keyof Routes[Group]>;
} & {
  readonly passes: Omit<PassCalls, "create" | "import"> & {
    /** Issues a pass to a user, as `create` of {@link PassCalls} does, but no preview of one. */
    create(templateId: string, input: CreatePass & IdempotencyOptions): Promise<CreatedPass>;
  };
};
