import { createLoyaltyError } from "../errors.js";
import type { StoredPasskey, StoredPerson } from "../storage/people.js";

/** The most passkeys of a person. */
const MOST_PASSKEYS = 10;

/** @throws {LoyaltyError} `too_many_passkeys`. */
export function assertPasskeyLimit({ passkeys }: StoredPerson): void {
  if (passkeys.length >= MOST_PASSKEYS) throw createLoyaltyError("too_many_passkeys");
}

/** Adds a passkey. It replaces an earlier one of the same device. @throws {LoyaltyError} `too_many_passkeys`. */
export function withPasskey(person: StoredPerson, added: StoredPasskey): StoredPerson {
  const others = person.passkeys.filter(({ credentialId }) => credentialId !== added.credentialId);
  const without = { ...person, passkeys: others };
  assertPasskeyLimit(without);
  return { ...without, passkeys: [...others, added] };
}

export function withoutPasskey(person: StoredPerson, passkeyId: string): StoredPerson {
  return { ...person, passkeys: person.passkeys.filter(({ id }) => id !== passkeyId) };
}

/** Returns a person's passkey with this credential id; `null` if there is none. */
export function findPasskey({ passkeys }: StoredPerson, credentialId: string): StoredPasskey | null {
  return passkeys.find((passkey) => passkey.credentialId === credentialId) ?? null;
}

/** Records a sign-in with a passkey, and the new signature counter of its device. */
export function withPasskeyUse(
  person: StoredPerson,
  used: StoredPasskey,
  counter: number,
  now: number,
): StoredPerson {
  const passkeys = person.passkeys.map((passkey) =>
    passkey.id === used.id ? { ...passkey, counter, lastUsedAt: now } : passkey,
  );
  return { ...person, passkeys };
}
