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
  const internals: unknown = Reflect.get(loyalty, INTERNALS);
  if (isServiceInternals(internals)) return internals;
  throw new TypeError("loyalty must be a LoyaltyService");
}

/**
 * Returns an organization's internals, for this package's own adapters.
 * @throws {TypeError} if the object is not an organization.
 */
export function organizationInternals(organization: Organization): OrganizationInternals {
  const internals: unknown = Reflect.get(organization, INTERNALS);
  if (isOrganizationInternals(internals)) return internals;
  throw new TypeError("organization must be an Organization");
}

function isServiceInternals(internals: unknown): internals is ServiceInternals {
  return typeof internals === "object" && internals !== null && "signIns" in internals;
}

function isOrganizationInternals(internals: unknown): internals is OrganizationInternals {
  return typeof internals === "object" && internals !== null && "holds" in internals;
}
