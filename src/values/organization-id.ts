import { isLongerThan, isStorable } from "./text.js";

export const MAX_ORGANIZATION_ID_LENGTH = 100;

/** Whether an organization may be called so: a text of 1 to 100 characters that storage can keep, and not blank. */
export function isOrganizationId(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.trim() !== "" &&
    isStorable(value) &&
    !isLongerThan(value, MAX_ORGANIZATION_ID_LENGTH)
  );
}
