import type { User } from "../../../../../src/customers/schema.js";
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

/** Returns an address to show beside a customer's name, which isn't the email address if that stands in place of the name. */
export const findAddress = ({ name, email, phone }: Pick<User, "name" | "email" | "phone">) =>
  name === null ? phone : (email ?? phone);
