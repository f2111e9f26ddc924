import { resolveActor } from "../access/actor-schema.js";
import type { Step } from "../base/concurrency/step.js";
import type { BackendParts, Tenant } from "../kernel/tenant.js";
import type { StoredPerson, StoredPersonSession } from "../storage/people.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import { findSession } from "./person-sessions.js";
import { readPersonToken } from "./person-token.js";

/** A change that a signed-in person makes to their own account. */
type AccountChange<T> = (
  tx: StorageTransaction,
  tenant: Tenant,
  person: StoredPerson,
  session: StoredPersonSession,
) => Step<T>;

/** Runs reads and changes on staff members' own accounts, which require no scope. */
export class SelfService {
  constructor(private readonly engine: Pick<BackendParts, "storage" | "clock" | "changes" | "openTenant">) {}

  /** Runs a transaction that changes an organization's data. Doesn't require a session, so it can be used during sign-in. */
  change<T>(organizationId: string, work: (tx: StorageTransaction) => Step<T>): Promise<T> {
    return this.engine.changes.run(organizationId, work);
  }

  /**
   * Runs a change for the person who is signed in with the session secret `token`.
   * @returns the result of `work`, or `null` if the session is invalid.
   */
  async changeOwn<T>(token: string, work: AccountChange<T>): Promise<T | null> {
    const parsedToken = readPersonToken(token);
    if (parsedToken === null) return null;
    const { organizationId, personId, hash } = parsedToken;
    const tenant = this.tenant(organizationId, personId);
    return this.change(organizationId, function* (tx) {
      const person = yield* tx.findPerson(personId);
      const session = person && findSession(person, hash, tenant.now());
      if (person === null || session === null) return null;
      return yield* work(tx, tenant, person, session);
    });
  }

  /**
   * Reads the account of the person who is signed in with the session secret `token`.
   * @returns the result of `work`, or `null` if the session is invalid.
   */
  async readOwn<T>(
    token: string,
    work: (
      reader: StorageReader,
      organizationId: string,
      person: StoredPerson,
      session: StoredPersonSession,
    ) => Step<T>,
  ): Promise<T | null> {
    const parsedToken = readPersonToken(token);
    if (parsedToken === null) return null;
    const { organizationId, personId, hash } = parsedToken;
    const now = this.engine.clock();
    return this.engine.storage.snapshot(organizationId, function* (reader) {
      const person = yield* reader.findPerson(personId);
      const session = person && findSession(person, hash, now);
      if (person === null || session === null) return null;
      return yield* work(reader, organizationId, person, session);
    });
  }

  tenant(organizationId: string, personId: string): Tenant {
    const actor = resolveActor({ kind: "console", id: personId, subject: personId });
    return this.engine.openTenant(organizationId, actor);
  }
}
