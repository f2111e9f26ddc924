import { accessDenied } from "../errors.js";
import { isScope } from "../scopes.js";
import type { Tenant } from "../tenant/tenant.js";

/** @throws {LoyaltyError} `access_denied` for what has a scope that the caller lacks, which it can't end or take over. */
export function refuseWider(tenant: Tenant, { scopes }: { readonly scopes: readonly string[] }): void {
  for (const scope of scopes) if (isScope(scope) && !tenant.holds(scope)) throw accessDenied(scope);
}
