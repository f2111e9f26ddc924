const form = /^joined-([0-9a-z]{24})@join\.invalid$/i;

/**
 * The address of a customer who joined without one of their own, since every user has one. It can be nobody's (RFC 2606).
 * @param key 24 letters and digits.
 */
export function joinedAddress(key: string): string {
  return `joined-${key}@join.invalid`;
}

/** The key of such an address; `null` for that of somebody. */
export function joinedKey(email: string): string | null {
  return form.exec(email)?.[1] ?? null;
}

/**
 * The email of a user as people may see it, and mail may be sent to it.
 * @returns `null` for the address of one who joined without an email, which can be nobody's.
 * @example
 * import { shownEmail } from "loyalty-kit";
 *
 * const anna = await cafe.users.find({ email: "anna@example.com" });
 * if (anna !== null) console.log(shownEmail(anna.email) ?? "joined without an email");
 */
export function shownEmail(email: string): string | null {
  return form.test(email) ? null : email;
}

/** Returns the address that mail may be sent to; `null` for one below `join.invalid`, which can be nobody's. */
export function mailAddressOf(email: string): string | null {
  return /@join\.invalid$/i.test(email) ? null : email;
}
