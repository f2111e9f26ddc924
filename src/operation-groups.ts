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
import type { PointCalls } from "./points/points.js";
import type { PurchaseCalls } from "./purchases/purchases.js";
import type { Segments } from "./segments/segments.js";
import type { OrganizationSettings } from "./settings/settings.js";
import type { Statistics } from "./statistics/statistics.js";
import type { Tags } from "./tags/tags.js";
import type { Events } from "./webhooks/events.js";
import type { Webhooks } from "./webhooks/webhooks.js";

/** The calls that can be made on one organization, grouped by resource. */
export interface Groups {
  /** Calls that create, find, change, import, and erase users. */
  readonly users: UserOperations;
  /** Calls that list and search users together with their cards. */
  readonly contacts: ContactOperations;
  /** Calls that manage tags and assign them to users. */
  readonly tags: TagOperations;
  /** Calls that manage templates, from which passes are issued. */
  readonly templates: TemplateOperations;
  /** Calls that issue, look up, and revoke passes, and that create links for adding them to wallets. */
  readonly passes: PassOperations;
  /** Calls that add stamps to cards, redeem rewards, and list a card's ledger. */
  readonly stamps: StampOperations;
  /** Calls that read, add, remove, and spend points, and list a card's ledger. */
  readonly points: PointOperations;
  /** Calls that record purchases and returns, from which stamps and points follow. */
  readonly purchases: PurchaseOperations;
  /** Calls that read events from the outbox. */
  readonly events: EventOperations;
  /** Calls that manage webhook endpoints and their deliveries. */
  readonly webhooks: WebhookOperations;
  /** Calls that create, list, rotate, and delete API tokens. */
  readonly apiTokens: ApiTokenOperations;
  /** Calls that manage the accounts of staff members, who sign in to the console by email. */
  readonly people: PersonOperations;
  /** Calls that read and verify the audit trail, which records administrative actions and their actors. */
  readonly audit: AuditOperations;
  /** Calls that read daily statistics, such as visit counts. */
  readonly statistics: StatisticsOperations;
  /** Calls that manage saved segments and find users by their tags and behavior. */
  readonly segments: SegmentOperations;
  /** Calls that read and change the organization's settings, such as its time zone. */
  readonly settings: SettingsOperations;
  /** Calls that manage the organization's registered OAuth 2.0 clients. */
  readonly apps: AppOperations;
  /** Calls that manage grants, which let apps access the organization on behalf of its users. */
  readonly grants: GrantOperations;
  /** Calls that manage customers' subscriptions, which record their consent to receive messages. */
  readonly subscriptions: SubscriptionOperations;
  /** Calls that draft, preview, send, and cancel messages to customers. */
  readonly messages: MessageOperations;
  /** Calls that read and change email and message settings, such as quiet hours. */
  readonly messageSettings: MessageSettingsOperations;
  /** Calls that read email and message deliveries, and record bounces. */
  readonly messageDeliveries: MessageDeliveryOperations;
  /** Calls that manage automations, test them, and list their runs. */
  readonly automations: AutomationOperations;
  /** Calls that export all of the organization's data. */
  readonly exports: ExportOperations;
}

/** Calls that create, find, change, import, and erase customers. */
export interface UserOperations extends WithLists<UserCalls> {}

/** Calls that list and search customers together with their cards. */
export interface ContactOperations extends WithLists<Contacts> {}

/** Calls that manage tags and assign them to customers. */
export interface TagOperations extends WithLists<Tags> {}

/** Calls that manage templates, from which passes are issued. */
export interface TemplateOperations extends WithLists<Templates> {}

/** Calls that issue, look up, and revoke passes, and that create links for adding them to wallets. */
export interface PassOperations extends WithLists<PassCalls> {}

/** Calls that add stamps to cards, redeem rewards, and list a card's ledger. */
export interface StampOperations extends WithLists<StampCalls> {}

/** Calls that read, add, remove, and spend points, and list a card's ledger. */
export interface PointOperations extends WithLists<PointCalls> {}

/** Calls that record purchases and returns, from which stamps and points follow. */
export interface PurchaseOperations extends WithLists<PurchaseCalls> {}

/** Calls that read events from the outbox. */
export interface EventOperations extends WithLists<Events> {}

/** Calls that manage webhook endpoints and their deliveries. */
export interface WebhookOperations extends WithLists<Webhooks> {}

/** Calls that create, list, rotate, and delete API tokens. */
export interface ApiTokenOperations extends WithLists<ApiTokens> {}

/** Calls that manage the accounts of staff members, who sign in to the console by email. */
export interface PersonOperations extends WithLists<People> {}

/** Calls that read and verify the audit trail. */
export interface AuditOperations extends WithLists<AuditTrail> {}

/** Calls that read daily statistics, such as visit counts. */
export interface StatisticsOperations extends WithLists<Statistics> {}

/** Calls that manage saved segments and find users by their tags and behavior. */
export interface SegmentOperations extends WithLists<Segments> {}

/** Calls that read and change the organization's settings, such as its time zone. */
export interface SettingsOperations extends WithLists<OrganizationSettings> {}

/** Calls that manage registered OAuth 2.0 clients. */
export interface AppOperations extends WithLists<Apps> {}

/** Calls that manage grants, which let apps access the organization on behalf of its users. */
export interface GrantOperations extends WithLists<Grants> {}

/** Calls that manage customers' subscriptions, which record their consent to receive messages. */
export interface SubscriptionOperations extends WithLists<Subscriptions> {}

/** Calls that draft, preview, send, and cancel messages to customers. */
export interface MessageOperations extends WithLists<Messages> {}

/** Calls that read and change email and message settings, such as quiet hours. */
export interface MessageSettingsOperations extends WithLists<OrganizationMessageSettings> {}

/** Calls that read email and message deliveries, and record bounces. */
export interface MessageDeliveryOperations extends WithLists<MessageDeliveries> {}

/** Calls that manage automations, test them, and list their runs. */
export interface AutomationOperations extends WithLists<Automations> {}

/** Calls that export all of an organization's data as one file. */
export interface ExportOperations extends WithLists<Exports> {}

/**
 * The calls on an organization that are available both in process (`Organization`) and over HTTP (`createClient` from
 * `loyalty-kit/client`). Imports, exports, checks of stored segments, preview passes, and the consent page's calls aren't available
 * over HTTP. HTTP calls also can't join host transactions.
 */
export type OrganizationCalls = {
  // Mapped from the keys of `Groups` themselves, so that editors show the comments of its members.
  readonly [Group in keyof Groups as Exclude<Group, "passes">]: Pick<
    Groups[Group],
    keyof Groups[Group] & (Group extends keyof Routes ? keyof Routes[Group] : never)
  >;
} & {
  /** Calls that manage passes. They can't import passes or create preview passes. */
  readonly passes: Omit<PassCalls, "create" | "import"> & {
    /** Issues a pass to a user. Unlike `create` in {@link PassCalls}, it can't create a preview pass. */
    create(templateId: string, input: CreatePass & IdempotencyOptions): Promise<CreatedPass>;
  };
};
