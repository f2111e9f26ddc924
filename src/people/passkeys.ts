import { runStep, type Step } from "../base/concurrency/step.js";
import { createLoyaltyError } from "../base/errors.js";
import { parse } from "../base/parse.js";
import { hashOfKey } from "../base/secrets/idempotency-seal.js";
import { HOUR_MS } from "../base/values/clock.js";
import { isStorable } from "../base/values/text.js";
import { recordAuditEntry } from "../kernel/audit.js";
import { tryStartCooldown } from "../kernel/cooldowns.js";
import type { Engine } from "../kernel/engine.js";
import type { SignInMail } from "../kernel/mail-gateway.js";
import type { Tenant } from "../kernel/tenant.js";
import type { OwnedPerson, StoredPasskey, StoredPerson } from "../storage/people.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { countPasskeyNotice } from "./mail-counts.js";
import { readShopName } from "./person-links.js";
import {
  addSession,
  assertRecentSignIn,
  buildSessionStartAct,
  type SelfService,
  type SessionStart,
  type SignInBrowser,
} from "./person-sessions.js";
import { type Passkey, passkeyNameSchema, passkeyOf } from "./schema.js";

/** How long an answered challenge is remembered, in milliseconds. It is longer than any challenge is valid. */
const CHALLENGE_RETENTION_MS = HOUR_MS;

/**
 * Maximum number of organizations searched for a person ID. Several organizations can contain the same person ID if they are copies
 * of each other.
 */
const MAX_ORGANIZATIONS = 10;

/** The signed-in person who is adding a passkey. */
export interface PasskeyOwner {
  readonly organizationId: string;
  readonly personId: string;
  readonly email: string;
  readonly name: string | null;
  /**
   * The organization's name. Falls back to its ID if the name isn't suitable for display, or to `null` if the ID isn't suitable
   * either.
   */
  readonly shop: string | null;
  /** The credential IDs of the person's existing passkeys, in base64url. */
  readonly credentialIds: readonly string[];
}

/** A new passkey that the console's server has verified. */
export interface NewPasskey extends Pick<StoredPasskey, "credentialId" | "publicKey" | "counter"> {
  /** The name that the person chose for the passkey. 1 to 60 characters. */
  readonly name: string;
  /** The challenge that the device signed when the passkey was created. */
  readonly challenge: string;
}

/** A device's response to a sign-in challenge, before the passkey that signed it has been looked up. */
export interface PasskeyAnswer {
  /** The ID of the person for whom the passkey was created. */
  readonly personId: string;
  readonly credentialId: string;
  readonly challenge: string;
}

/**
 * Checks that a response was signed with a passkey and that the response's signature counter is greater than `counter`. The
 * console's server provides this function.
 * @returns the new counter value, or `null` if the response is invalid.
 */
export type VerifyPasskey = (
  passkey: Pick<StoredPasskey, "credentialId" | "publicKey" | "counter">,
) => Promise<number | null>;

/** Manages staff members' passkeys (WebAuthn). The console's server verifies the responses that devices send. */
export class Passkeys {
  constructor(
    private readonly engine: Pick<Engine, "storage" | "clock" | "channels">,
    private readonly selfService: SelfService,
  ) {}

  /**
   * Returns the signed-in person who wants to add a passkey, or `null` if the session secret isn't valid.
   * @throws {LoyaltyError} `recent_sign_in_required` if the session is older than 15 minutes, or `too_many_passkeys` if the person
   *   already has ten.
   */
  owner(token: string): Promise<PasskeyOwner | null> {
    const now = this.engine.clock();
    return this.selfService.readOwnAccount(token, function* (reader, organizationId, person, session) {
      assertRecentSignIn(session, now);
      assertPasskeyLimit(person);
      const { id: personId, email, name, passkeys } = person;
      const credentialIds = passkeys.map(({ credentialId }) => credentialId);
      const organizationName = yield* readShopName(reader, organizationId);
      return { organizationId, personId, email, name, shop: organizationName, credentialIds };
    });
  }

  /**
   * Adds a passkey for the person who is signed in with the session secret `token`, and notifies them by email. If two calls use
   * the same challenge, only one of them adds a passkey.
   * @returns the new passkey, or `null` if the session has ended or the challenge was already used.
   * @throws {LoyaltyError} `recent_sign_in_required` or `too_many_passkeys` in the same cases as {@link owner}, or
   *   `validation_failed` if the name is invalid.
   */
  async add(token: string, newPasskey: NewPasskey): Promise<Passkey | null> {
    const { challenge, credentialId, publicKey, counter } = newPasskey;
    const { name } = parse(passkeyNameSchema, { name: newPasskey.name });
    const { mail: mailGateway } = this.engine.channels;
    const result: { mail: SignInMail | null } = { mail: null };
    const passkey = await this.selfService.changeOwnAccount(token, function* (tx, tenant, person, session) {
      const now = tenant.now();
      assertRecentSignIn(session, now);
      if (!(yield* consumeChallenge(tx, tenant.organizationId, challenge, now))) return null;
      const id = tenant.newId("pky");
      const passkey = { id, credentialId, publicKey, counter, name, createdAt: now, lastUsedAt: null };
      yield* tx.updatePerson(withPasskey(person, passkey));
      const details = { passkeyId: id };
      yield* recordAuditEntry(tx, tenant, { action: "passkey.added", target: person.id, details });
      if (mailGateway.hasSignIns) result.mail = yield* buildPasskeyMail(tx, tenant, person);
      return passkeyOf(passkey);
    });
    if (result.mail !== null) mailGateway.sendSignIn(result.mail);
    return passkey;
  }

  /**
   * Removes a passkey from the account of the person who is signed in with the session secret `token`.
   * @returns `true` if the passkey was removed, or `false` if the session is invalid or the person has no such passkey.
   */
  async remove(token: string, passkeyId: string): Promise<boolean> {
    const isRemoved = await this.selfService.changeOwnAccount(token, function* (tx, tenant, person) {
      if (!person.passkeys.some(({ id }) => id === passkeyId)) return false;
      yield* tx.updatePerson(withoutPasskey(person, passkeyId));
      const details = { passkeyId };
      yield* recordAuditEntry(tx, tenant, { action: "passkey.removed", target: person.id, details });
      return true;
    });
    return isRemoved ?? false;
  }

  /**
   * Starts a session for a person who signs in with a passkey. If two calls use the same challenge or the same previous `counter`,
   * only one of them starts a session.
   * @returns the new session, or `null` if the passkey is unknown or the response is invalid.
   * @throws any error that `verify` throws.
   */
  async begin(
    answer: PasskeyAnswer,
    verify: VerifyPasskey,
    browser: SignInBrowser,
  ): Promise<SessionStart | null> {
    const match = await this.findMatch(answer);
    if (match === null) return null;
    const { organizationId, person, passkey: before } = match;
    const counter = await verify(before);
    if (counter === null) return null;
    const tenant = this.selfService.openTenant(organizationId, person.id);
    return this.selfService.change(organizationId, function* (tx) {
      const now = tenant.now();
      const current = yield* tx.findPerson(person.id);
      const passkey = current && findPasskey(current, answer.credentialId);
      // The passkey may have been removed or used in the meantime. If it was used, the response was checked against an outdated
      // counter.
      if (current === null || passkey === null) return null;
      if (passkey.publicKey !== before.publicKey || passkey.counter !== before.counter) return null;
      if (!(yield* consumeChallenge(tx, organizationId, answer.challenge, now))) return null;
      const session = { ...browser, id: tenant.newId("pse") };
      const usedPasskey = withPasskeyUse(current, passkey, counter, now);
      const { person: after, sessionStart } = addSession(organizationId, usedPasskey, session, now);
      yield* tx.updatePerson(after);
      yield* recordAuditEntry(tx, tenant, buildSessionStartAct(person.id, "passkey", session.id));
      return sessionStart;
    });
  }

  private async findMatch({
    personId,
    credentialId,
  }: PasskeyAnswer): Promise<(OwnedPerson & { readonly passkey: StoredPasskey }) | null> {
    if (!isStorable(personId)) return null;
    for (const ownedPerson of await runStep(
      this.engine.storage.all.peopleById(personId, MAX_ORGANIZATIONS),
    )) {
      const passkey = findPasskey(ownedPerson.person, credentialId);
      if (passkey !== null) return { ...ownedPerson, passkey };
    }
    return null;
  }
}

/** Builds the email about a new passkey. Returns `null` if the address has reached its limit for these emails. */
function* buildPasskeyMail(
  tx: StorageTransaction,
  tenant: Tenant,
  person: StoredPerson,
): Step<SignInMail | null> {
  if (!(yield* countPasskeyNotice(tenant, tx, person))) return null;
  const { organizationId } = tenant;
  const language = (yield* tx.findSettings())?.language ?? null;
  const links = [{ organizationId, shop: yield* readShopName(tx, organizationId), path: "/console" }];
  return { kind: "passkey_added", to: person.email, language, links };
}

/**
 * Marks a challenge as used.
 * @returns `false` if it was already used.
 */
function consumeChallenge(
  tx: StorageTransaction,
  organizationId: string,
  challenge: string,
  now: number,
): Step<boolean> {
  const name = hashOfKey(organizationId, `answered challenge ${challenge}`.padEnd(256));
  return tryStartCooldown(tx, name, { now, until: now + CHALLENGE_RETENTION_MS });
}

/** Maximum number of passkeys per person. */
const MAX_PASSKEYS = 10;

/**
 * Checks that the person can have another passkey.
 * @throws {LoyaltyError} `too_many_passkeys` if the person already has ten.
 */
function assertPasskeyLimit({ passkeys }: StoredPerson): void {
  if (passkeys.length >= MAX_PASSKEYS) throw createLoyaltyError("too_many_passkeys");
}

/**
 * Returns the person with a passkey added. The new passkey replaces an existing one that has the same credential ID.
 * @throws {LoyaltyError} `too_many_passkeys` if the person already has ten.
 */
function withPasskey(person: StoredPerson, newPasskey: StoredPasskey): StoredPerson {
  const otherPasskeys = person.passkeys.filter(
    ({ credentialId }) => credentialId !== newPasskey.credentialId,
  );
  const personWithoutPasskey = { ...person, passkeys: otherPasskeys };
  assertPasskeyLimit(personWithoutPasskey);
  return { ...personWithoutPasskey, passkeys: [...otherPasskeys, newPasskey] };
}

function withoutPasskey(person: StoredPerson, passkeyId: string): StoredPerson {
  return { ...person, passkeys: person.passkeys.filter(({ id }) => id !== passkeyId) };
}

/** Returns the person's passkey with this credential ID, or `null` if there is none. */
function findPasskey({ passkeys }: StoredPerson, credentialId: string): StoredPasskey | null {
  return passkeys.find((passkey) => passkey.credentialId === credentialId) ?? null;
}

/** Returns the person with a passkey sign-in recorded, including the device's new signature counter. */
function withPasskeyUse(
  person: StoredPerson,
  usedPasskey: StoredPasskey,
  counter: number,
  now: number,
): StoredPerson {
  const passkeys = person.passkeys.map((passkey) =>
    passkey.id === usedPasskey.id ? { ...passkey, counter, lastUsedAt: now } : passkey,
  );
  return { ...person, passkeys };
}
