import { runStep, type Step } from "../concurrency/step.js";
import { HOUR } from "../jobs/retries.js";
import { parse } from "../resources/parse.js";
import { type Passkey, passkeyNameSchema, passkeyOf } from "../resources/person.js";
import { hashOfKey } from "../secrets/idempotency-seal.js";
import type { OwnedPerson, StoredPasskey, StoredPerson } from "../storage/people.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import { recordAuditEntry } from "../tenant/audit.js";
import { tryStartCooldown } from "../tenant/cooldowns.js";
import type { Engine } from "../tenant/engine.js";
import type { SignInMail } from "../tenant/mail-gateway.js";
import type { Tenant } from "../tenant/tenant.js";
import { isStorable } from "../values/text.js";
import { countPasskeyNotice } from "./mail-counts.js";
import { readShopName } from "./person-links.js";
import {
  assertPasskeyLimit,
  findPasskey,
  withoutPasskey,
  withPasskey,
  withPasskeyUse,
} from "./person-passkeys.js";
import {
  assertRecent,
  buildSessionStartAct,
  type SessionStart,
  type SignInBrowser,
  withSession,
} from "./person-sessions.js";
import type { SelfService } from "./self-service.js";

/** A challenge that was answered is remembered for longer than any is good. */
const REMEMBERED_MS = HOUR;

/** The most organizations with a person of one id, such as copies of one. */
const MOST_SHOPS = 10;

/** Whom a passkey is to be for. */
export interface PasskeyOwner {
  readonly organizationId: string;
  readonly personId: string;
  readonly email: string;
  readonly name: string | null;
  /** The name of the organization, or else its id. */
  readonly shop: string | null;
  /** The ids that devices have given the passkeys that the person has, in base64url. */
  readonly credentialIds: readonly string[];
}

/** A verified new passkey. */
export interface NewPasskey extends Pick<StoredPasskey, "credentialId" | "publicKey" | "counter"> {
  /** The person's name for it, 1 to 60 characters. */
  readonly name: string;
  /** The challenge that the device has answered. */
  readonly challenge: string;
}

/** The answer of a device to a challenge, by a passkey that is yet to be found. */
export interface PasskeyAnswer {
  /** The id of the person that the passkey was made for. */
  readonly personId: string;
  readonly credentialId: string;
  readonly challenge: string;
}

/**
 * Checks that a passkey signed a response, and that its signature counter is above `counter`. The server of the console supplies
 * it.
 * @returns the new value of the counter; `null` if the response is not valid.
 */
export type VerifyPasskey = (
  passkey: Pick<StoredPasskey, "credentialId" | "publicKey" | "counter">,
) => Promise<number | null>;

/** Passkeys (WebAuthn) of people. The server of the console checks the responses of devices. */
export class Passkeys {
  constructor(
    private readonly engine: Engine,
    private readonly own: SelfService,
  ) {}

  /**
   * Returns the person that a passkey would be added for; `null` if no one is signed in with this session secret.
   * @throws {LoyaltyError} `recent_sign_in_required` for a session older than 15 minutes; `too_many_passkeys` for a person with
   *   ten.
   */
  owner(token: string): Promise<PasskeyOwner | null> {
    const now = this.engine.clock();
    return this.own.readOwn(token, function* (reader, organizationId, person, session) {
      assertRecent(session, now);
      assertPasskeyLimit(person);
      const { id: personId, email, name, passkeys } = person;
      const credentialIds = passkeys.map(({ credentialId }) => credentialId);
      const shop = yield* readShopName(reader, organizationId);
      return { organizationId, personId, email, name, shop, credentialIds };
    });
  }

  /**
   * Adds a passkey to the person of a session, by the session's secret, and mails them about it. Of two calls with one challenge one adds it.
   * @returns `null` if the session has ended, or the challenge was answered before.
   * @throws {LoyaltyError} `recent_sign_in_required` and `too_many_passkeys` as {@link owner}; `validation_failed` on the name.
   */
  async add(token: string, added: NewPasskey): Promise<Passkey | null> {
    const { challenge, credentialId, publicKey, counter } = added;
    const { name } = parse(passkeyNameSchema, { name: added.name });
    const { mail: mails } = this.engine;
    const made: { mail: SignInMail | null } = { mail: null };
    const passkey = await this.own.changeOwn(token, function* (tx, tenant, person, session) {
      const now = tenant.now();
      assertRecent(session, now);
      if (!(yield* useUp(tx, tenant.organizationId, challenge, now))) return null;
      const id = tenant.newId("pky");
      const passkey = { id, credentialId, publicKey, counter, name, createdAt: now, lastUsedAt: null };
      yield* tx.updatePerson(tenant.organizationId, withPasskey(person, passkey));
      const details = { passkeyId: id };
      yield* recordAuditEntry(tx, tenant, { action: "passkey.added", target: person.id, details });
      if (mails.hasSignIns) made.mail = yield* passkeyMail(tx, tenant, person);
      return passkeyOf(passkey);
    });
    if (made.mail !== null) mails.sendSignIn(made.mail);
    return passkey;
  }

  /** Removes a passkey of the person who is signed in with a session secret. @returns false if there is none. */
  async remove(token: string, passkeyId: string): Promise<boolean> {
    const isRemoved = await this.own.changeOwn(token, function* (tx, tenant, person) {
      if (!person.passkeys.some(({ id }) => id === passkeyId)) return false;
      yield* tx.updatePerson(tenant.organizationId, withoutPasskey(person, passkeyId));
      const details = { passkeyId };
      yield* recordAuditEntry(tx, tenant, { action: "passkey.removed", target: person.id, details });
      return true;
    });
    return isRemoved ?? false;
  }

  /**
   * Begins a session with a passkey. Of two calls with one challenge, or with one previous `counter`, one begins a session.
   * @returns `null` for an unknown passkey, or an invalid response.
   * @throws what `verify` throws.
   */
  async begin(
    answer: PasskeyAnswer,
    verify: VerifyPasskey,
    browser: SignInBrowser,
  ): Promise<SessionStart | null> {
    const found = await this.find(answer);
    if (found === null) return null;
    const { organizationId, person, passkey: before } = found;
    const counter = await verify(before);
    if (counter === null) return null;
    const tenant = this.own.tenant(organizationId, person.id);
    return this.own.change(organizationId, function* (tx) {
      const now = tenant.now();
      const current = yield* tx.findPerson(organizationId, person.id);
      const passkey = current && findPasskey(current, answer.credentialId);
      // It may have been removed since, or used: then it was checked against a count that is no longer right.
      if (current === null || passkey === null) return null;
      if (passkey.publicKey !== before.publicKey || passkey.counter !== before.counter) return null;
      if (!(yield* useUp(tx, organizationId, answer.challenge, now))) return null;
      const session = { ...browser, id: tenant.newId("pse") };
      const used = withPasskeyUse(current, passkey, counter, now);
      const { person: after, begun } = withSession(organizationId, used, session, now);
      yield* tx.updatePerson(organizationId, after);
      yield* recordAuditEntry(tx, tenant, buildSessionStartAct(person.id, "passkey", session.id));
      return begun;
    });
  }

  private async find({
    personId,
    credentialId,
  }: PasskeyAnswer): Promise<(OwnedPerson & { readonly passkey: StoredPasskey }) | null> {
    if (!isStorable(personId)) return null;
    for (const found of await runStep(this.engine.storage.peopleById(personId, MOST_SHOPS))) {
      const passkey = findPasskey(found.person, credentialId);
      if (passkey !== null) return { ...found, passkey };
    }
    return null;
  }
}

/** Makes the mail about a new passkey; `null` if five such mails went to the address within the hour. */
function* passkeyMail(tx: StorageTransaction, tenant: Tenant, person: StoredPerson): Step<SignInMail | null> {
  if (!(yield* countPasskeyNotice(tenant, tx, person))) return null;
  const { organizationId } = tenant;
  const language = (yield* tx.findSettings(organizationId))?.language ?? null;
  const links = [{ organizationId, shop: yield* readShopName(tx, organizationId), path: "/console" }];
  return { kind: "passkey_added", to: person.email, language, links };
}

/** Uses a challenge up. @returns false when it was answered before. */
function useUp(
  tx: StorageTransaction,
  organizationId: string,
  challenge: string,
  now: number,
): Step<boolean> {
  const name = hashOfKey(organizationId, `answered challenge ${challenge}`.padEnd(256));
  return tryStartCooldown(tx, organizationId, name, { now, until: now + REMEMBERED_MS });
}
