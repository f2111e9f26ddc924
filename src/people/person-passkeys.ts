import { createLoyaltyError } from "../errors.js";
import type { StoredPasskey, StoredPerson } from "../storage/people.js";

/** Maximum number of passkeys per person. */
const MOST_PASSKEYS = 10;

/**
 * Checks that the person can have another passkey.
 * @throws {LoyaltyError} `too_many_passkeys` if the person already has ten.
 */
export function assertPasskeyLimit({ passkeys }: StoredPerson): void {
  if (passkeys.length >= MOST_PASSKEYS) throw createLoyaltyError("too_many_passkeys");
}

/**
 * Returns the person with a passkey added. The new passkey replaces an existing one that has the same credential ID.
 * @throws {LoyaltyError} `too_many_passkeys` if the person already has ten.
 */
export function withPasskey(person: StoredPerson, added: StoredPasskey): StoredPerson {
  const others = person.passkeys.filter(({ credentialId }) => credentialId !== added.credentialId);
  const without = { ...person, passkeys: others };
  assertPasskeyLimit(without);
  return { ...without, passkeys: [...others, added] };
}

export function withoutPasskey(person: StoredPerson, passkeyId: string): StoredPerson {
  return { ...person, passkeys: person.passkeys.filter(({ id }) => id !== passkeyId) };
}

/** Returns the person's passkey with this credential ID, or `null` if there is none. */
export function findPasskey({ passkeys }: StoredPerson, credentialId: string): StoredPasskey | null {
  return passkeys.find((passkey) => passkey.credentialId === credentialId) ?? null;
}

/** Returns the person with a passkey sign-in recorded, including the device's new signature counter. */
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
