import { customerSearch as words } from "../words/en/customer-search.js";

/** Returns a customer's display name. */
export function nameOf({
  name,
  email,
}: {
  readonly name: string | null;
  readonly email: string | null;
}): string {
  return name ?? email ?? words.withoutName;
}
