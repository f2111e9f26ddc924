import type { ApiTokens } from "./access/api-tokens.js";
import type { Apps } from "./access/apps.js";
import type { AuditTrail } from "./access/audit-trail.js";
import type { Grants } from "./access/grants.js";
import type { Passes } from "./cards/passes.js";
import type { Stamps } from "./cards/stamps.js";
import type { Templates } from "./cards/templates.js";
import type { Contacts } from "./customers/contacts.js";
import type { Users } from "./customers/users.js";
import type { Once } from "./idempotency/idempotent-call.js";
import type { CreatePass, WalletPass } from "./resources/pass.js";
import type { Statistics } from "./statistics/statistics.js";
import type { Tags } from "./tags/tags.js";
import type { Events } from "./webhooks/events.js";
import type { Webhooks } from "./webhooks/webhooks.js";

/** What can be called of a class. */
type CallsOf<T> = { readonly [Name in keyof T]: T[Name] };

/**
 * What one organization can do, wherever it is called from: in the process of the service (`Organization`), or over HTTP
 * (`createClient` of `loyalty-kit/client`). Not among it is what HTTP does not have: import and export, looking after the
 * stored segments, preview passes, what the consent page does, and joining a transaction of the host.
 */
export interface OrganizationCalls {
  readonly users: CallsOf<Omit<Users, "import" | "export">>;
  readonly contacts: CallsOf<Contacts>;
  readonly tags: CallsOf<Omit<Tags, "verifySegments" | "rebuildSegments">>;
  readonly templates: CallsOf<Templates>;
  readonly passes: CallsOf<Omit<Passes, "create" | "import">> & {
    /** Issues a pass to a user, as `create` of {@link Passes} does, but no preview of one. */
    create(templateId: string, input: CreatePass & Once): Promise<WalletPass>;
  };
  readonly stamps: CallsOf<Stamps>;
  readonly events: CallsOf<Events>;
  readonly webhooks: CallsOf<Webhooks>;
  readonly apiTokens: CallsOf<ApiTokens>;
  readonly apps: CallsOf<Apps>;
  readonly grants: CallsOf<Omit<Grants, "allow">>;
  readonly audit: CallsOf<AuditTrail>;
  readonly statistics: CallsOf<Statistics>;
}
