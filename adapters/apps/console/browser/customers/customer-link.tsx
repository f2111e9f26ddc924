import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import { CallError } from "../api/call-error.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { customerSearch as words } from "../words/en/customer-search.js";
import { formatCustomerName } from "./customer-name.js";

/**
 * Loads the customer names that are missing from `names` and adds them to the map. A deleted customer's name is `null`. Does
 * nothing if the user isn't allowed to read customers.
 */
export async function loadCustomerNames(
  calls: OrganizationCalls,
  userIds: readonly string[],
  names: Map<string, string | null>,
): Promise<void> {
  if (!hasScopes("user:read")) return;
  const missingIds = new Set(userIds.filter((userId) => !names.has(userId)));
  await Promise.all(
    [...missingIds].map(async (userId) => {
      try {
        names.set(userId, formatCustomerName(await calls.users.get(userId)));
      } catch (error) {
        if (!(error instanceof CallError) || error.status !== 404) throw error;
        names.set(userId, null);
      }
    }),
  );
}

interface CustomerLinkProps {
  readonly id: string;
  /** The customer's name, or `null` if the customer was deleted or the user may not read customers. */
  readonly name: string | null;
}

/**
 * A link to a customer's screen, labeled with the customer's name, or with their ID if the user isn't allowed to read customers.
 * Shows a placeholder in place of the link if the customer has been deleted.
 */
export function CustomerLink({ id, name }: CustomerLinkProps) {
  if (name === null && hasScopes("user:read")) return <span class="quiet">{words.gone}</span>;
  return (
    <Link class="sample-name" to={`/customers/${encodeURIComponent(id)}`}>
      <bdi>{name ?? id}</bdi>
    </Link>
  );
}
