import { customerSearch as words } from "../words/en/customer-search.js";

/** Returns a customer's name for display, falling back to the email address and then to a placeholder. */
export function formatCustomerName({
  name,
  email,
}: {
  readonly name: string | null;
  readonly email: string | null;
}): string {
  return name ?? email ?? words.withoutName;
}
