import { isLoyaltyError } from "../../../src/errors.js";
import type { Organization } from "../../../src/organization.js";
import { CommandError } from "../terminal/command-error.js";
import { inOrganization, type Place } from "./open-database.js";

/**
 * Works on something of an organization that has an id.
 * @throws {CommandError} when there is nothing of this kind with this id, and as {@link inOrganization}.
 */
export function withId<T>(
  kind: "app" | "grant" | "token",
  id: string,
  place: Place,
  work: (organization: Organization) => Promise<T>,
): Promise<T> {
  return inOrganization(place, async (organization) => {
    try {
      return await work(organization);
    } catch (error) {
      if (!isLoyaltyError(error, "resource_not_found")) throw error;
      throw new CommandError(`organization ${place.organization} has no ${kind} with the id ${id}`);
    }
  });
}
