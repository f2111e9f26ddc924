import { INTERNALS } from "./base/copies.js";
import type { LoyaltyService } from "./loyalty-service.js";
import type { Organization, OrganizationInternals } from "./organization.js";
import type { ServiceInternals } from "./service-internals.js";

/*
 * The internals of a service and its organizations that this package's adapters need and hosts don't. This module loads neither
 * class, so adapter bundles stay free of the core.
 */

/**
 * Returns a service's internals, for this package's own adapters.
 * @throws {TypeError} if the object is not a service.
 */
export function serviceInternals(loyalty: LoyaltyService): ServiceInternals {
  const kept: unknown = Reflect.get(loyalty, INTERNALS);
  if (isOfService(kept)) return kept;
  throw new TypeError("loyalty must be a LoyaltyService");
}

/**
 * Returns an organization's internals, for this package's own adapters.
 * @throws {TypeError} if the object is not an organization.
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
