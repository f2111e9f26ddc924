import type { ApiTokens } from "./access/api-tokens.js";
import type { Apps } from "./access/apps.js";
import type { AuditTrail } from "./access/audit-trail.js";
import type { Grants } from "./access/grants.js";
import type { Automations } from "./automations/automations.js";
import type { WithLists } from "./base/list-promise.js";
import type { CreatedPass, CreatePass } from "./cards/pass-schema.js";
import type { PassCalls } from "./cards/passes.js";
import type { StampCalls } from "./cards/stamps.js";
import type { Templates } from "./cards/templates.js";
import type { Contacts } from "./customers/contacts.js";
import type { UserCalls } from "./customers/users.js";
import type { Exports } from "./exports/exports.js";
import type { IdempotencyOptions } from "./kernel/idempotency/idempotent-call.js";
import type { Routes } from "./kernel/routes.js";
import type { MessageDeliveries } from "./messages/message-deliveries.js";
import type { OrganizationMessageSettings } from "./messages/message-settings.js";
import type { Messages } from "./messages/messages.js";
import type { Subscriptions } from "./messages/subscriptions.js";
import type { People } from "./people/people.js";
import type { Segments } from "./segments/segments.js";
import type { OrganizationSettings } from "./settings/settings.js";
import type { Statistics } from "./statistics/statistics.js";
import type { Tags } from "./tags/tags.js";
import type { Events } from "./webhooks/events.js";
import type { Webhooks } from "./webhooks/webhooks.js";

/** The calls that can be made on one organization, grouped by resource. */
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
  /** The audit trail, which can be read and verified. */
  readonly audit: AuditOperations;
  readonly statistics: StatisticsOperations;
  /** Segments, which select customers by their tags and behavior. */
  readonly segments: SegmentOperations;
  /** Organization-wide settings. */
  readonly settings: SettingsOperations;
  /** OAuth 2.0 clients registered by the organization. */
  readonly apps: AppOperations;
  /** Access that users have granted to apps. */
  readonly grants: GrantOperations;
  readonly subscriptions: SubscriptionOperations;
  /** Messages that the organization sends to its customers. */
  readonly messages: MessageOperations;
  readonly messageSettings: MessageSettingsOperations;
  readonly messageDeliveries: MessageDeliveryOperations;
  /** Automations and their runs. */
  readonly automations: AutomationOperations;
  /** Exports of all the organization's data. */
  readonly exports: ExportOperations;
}

/** Calls that manage customers. */
export interface UserOperations extends WithLists<UserCalls> {}

/** Calls that list and search customers together with their cards. */
export interface ContactOperations extends WithLists<Contacts> {}

/** Calls that manage tags and tag assignments. */
export interface TagOperations extends WithLists<Tags> {}

/** Calls that manage pass templates. */
export interface TemplateOperations extends WithLists<Templates> {}

/** Calls that manage passes and wallet cards. */
export interface PassOperations extends WithLists<PassCalls> {}

/** Calls that manage a card's stamps and rewards. */
export interface StampOperations extends WithLists<StampCalls> {}

/** Calls that read events from the outbox. */
export interface EventOperations extends WithLists<Events> {}

/** Calls that manage webhook endpoints and their deliveries. */
export interface WebhookOperations extends WithLists<Webhooks> {}

/** Calls that manage API tokens. */
export interface ApiTokenOperations extends WithLists<ApiTokens> {}

/** Calls that manage staff accounts. */
export interface PersonOperations extends WithLists<People> {}

/** Calls that read and verify the audit trail. */
export interface AuditOperations extends WithLists<AuditTrail> {}

/** Calls that read daily statistics. */
export interface StatisticsOperations extends WithLists<Statistics> {}

/** Calls that manage segments, which select customers by their tags and behavior. */
export interface SegmentOperations extends WithLists<Segments> {}

/** Calls that read and change the organization's settings. */
export interface SettingsOperations extends WithLists<OrganizationSettings> {}

/** Calls that manage registered OAuth 2.0 clients. */
export interface AppOperations extends WithLists<Apps> {}

/** Calls that manage the access that users have granted to apps. */
export interface GrantOperations extends WithLists<Grants> {}

/** Calls that manage customers' message subscriptions. */
export interface SubscriptionOperations extends WithLists<Subscriptions> {}

/** Calls that manage messages to customers. */
export interface MessageOperations extends WithLists<Messages> {}

/** Calls that read and change message settings. */
export interface MessageSettingsOperations extends WithLists<OrganizationMessageSettings> {}

/** Calls that track the delivery of emails and card messages. */
export interface MessageDeliveryOperations extends WithLists<MessageDeliveries> {}

/** Calls that manage automations and their runs. */
export interface AutomationOperations extends WithLists<Automations> {}

/** Calls that export all of an organization's data as one file. */
export interface ExportOperations extends WithLists<Exports> {}

type Regular = Exclude<keyof Groups, "passes">;

/**
 * The calls for one organization that work both in process (`Organization`) and over HTTP (`createClient` from
 * `loyalty-kit/client`). Imports, exports, checks of stored segments, preview passes, and the consent page's calls aren't available
 * over HTTP. HTTP calls can't join host transactions, either.
 */
export type OrganizationCalls = {
  readonly [Group in Regular]: Pick<Groups[Group], keyof Groups[Group] & keyof Routes[Group]>;
} & {
  /** The passes of users. */
  readonly passes: Omit<PassCalls, "create" | "import"> & {
    /** Issues a pass to a user. Unlike `create` in {@link PassCalls}, it can't create a preview pass. */
    create(templateId: string, input: CreatePass & IdempotencyOptions): Promise<CreatedPass>;
  };
};
