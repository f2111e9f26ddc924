import { customerSearch as words } from "../words/en/customer-search.js";

/** Returns the name of a customer as screens show it. */
export function nameOf({
  name,
  email,
}: {
  readonly name: string | null;
  readonly email: string | null;
}): string {
  return name ?? email ?? words.withoutName;
}
