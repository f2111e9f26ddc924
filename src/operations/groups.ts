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
  readonly users: WithLists<UserCalls>;
  readonly contacts: WithLists<Contacts>;
  readonly tags: WithLists<Tags>;
  readonly templates: WithLists<Templates>;
  readonly passes: WithLists<PassCalls>;
  readonly stamps: WithLists<StampCalls>;
  readonly events: WithLists<Events>;
  readonly webhooks: WithLists<Webhooks>;
  readonly apiTokens: WithLists<ApiTokens>;
  /** Staff accounts. */
  readonly people: WithLists<People>;
  /** The audit trail. */
  readonly audit: WithLists<AuditTrail>;
  readonly statistics: WithLists<Statistics>;
  /** Users by tags and behavior. */
  readonly segments: WithLists<Segments>;
  /** The organization's settings for all that it does. */
  readonly settings: WithLists<OrganizationSettings>;
  /** The OAuth 2.0 clients that the organization has registered. */
  readonly apps: WithLists<Apps>;
  /** Grants of users to apps. */
  readonly grants: WithLists<Grants>;
  readonly subscriptions: WithLists<Subscriptions>;
  /** The messages that the organization writes to its users. */
  readonly messages: WithLists<Messages>;
  readonly messageSettings: WithLists<OrganizationMessageSettings>;
  readonly messageDeliveries: WithLists<MessageDeliveries>;
  /** Automations and their runs. */
  readonly automations: WithLists<Automations>;
  /** Everything that the organization has. */
  readonly exports: WithLists<Exports>;
}

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
