import { INTERNALS } from "./copies.js";
import type { LoyaltyService } from "./loyalty-service.js";
import type { Organization, OrganizationInternals } from "./organization.js";
import type { ServiceInternals } from "./service-internals.js";

/*
 * What adapters of this package need of a service and of its organizations, and hosts don't. It loads neither, so the bundle
 * of an adapter stays without the core.
 */

/**
 * Returns what the adapters of this package need of a service besides what hosts call.
 * @throws {TypeError} for an object that is no service.
 */
export function serviceInternals(loyalty: LoyaltyService): ServiceInternals {
  const kept: unknown = Reflect.get(loyalty, INTERNALS);
  if (isOfService(kept)) return kept;
  throw new TypeError("loyalty must be a LoyaltyService");
}

/**
 * Returns what the adapters of this package need of an organization besides what hosts call.
 * @throws {TypeError} for an object that is no organization.
 */
export function organizationInternals(organization: Organization): OrganizationInternals {
  const kept: unknown = Reflect.get(organization, INTERNALS);
  if (isOfOrganization(kept)) return kept;
  throw new TypeError("organization must be an Organization");
}

function isOfService(kept: unknown): kept is ServiceInternals {
  return typeof kept === "object" && kept !== null && "signIns" in kept;
}

function isOfOrganization(kept: unknown): kept is OrganizationInternals {
  return typeof kept === "object" && kept !== null && "holds" in kept;
}
