import type { Step } from "../concurrency/step.js";
import { accessDenied, failure } from "../errors.js";
import type { Actor } from "../resources/actor.js";
import { scopesOfRole } from "../roles.js";
import type { Scope } from "../scopes.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/** The ids of rows that give rights to an actor of a kind. */
const rowIds: Readonly<Partial<Record<Actor["kind"], RegExp>>> = {
  token: /^akt_/,
  console: /^(?:akt|per)_/,
  app: /^grt_/,
};

/**
 * Returns the id of the token, person or grant whose rights a caller has; `null` for a caller that the storage has no row of: the host's
 * own code, and whom the host alone knows.
 */
export function rowIdOf({ kind, id }: Actor, session: string | null): string | null {
  const rowId = kind === "app" ? session : id;
  return rowId !== null && rowIds[kind]?.test(rowId) ? rowId : null;
}

/**
 * Reads what a token, person or grant may do now.
 * @param session the one that a person must still have; `null` for any.
 * @returns its scopes; `null` once it is removed, has expired, or the session has ended.
 */
export function* currentScopes(
  reader: StorageReader,
  organizationId: string,
  rowId: string,
  now: number,
  session: string | null = null,
): Step<readonly string[] | null> {
  if (rowId.startsWith("per_")) {
    const person = yield* reader.findPerson(organizationId, rowId);
    const hasSession =
      session === null || person?.sessions.some(({ id, expiresAt }) => id === session && now < expiresAt);
    return person !== null && hasSession ? scopesOfRole[person.role] : null;
  }
  const row = rowId.startsWith("grt_")
    ? yield* reader.findGrant(organizationId, rowId)
    : yield* reader.findApiToken(organizationId, rowId);
  return row === null || (row.expiresAt !== null && row.expiresAt <= now) ? null : row.scopes;
}

/** What a caller may do. A change may have waited since the caller came: it is made with the rights that its row gives then. */
export class CallerRights {
  /** The scopes that the call has asked for so far. */
  readonly #needed: Set<Scope>;
  #granted: ReadonlySet<string> | "all";

  /**
   * @param granted the scopes that the caller came with, or all of them.
   * @param rowId the token, person or grant that gives them; `null` for none.
   * @param session see {@link currentScopes}.
   * @param needed the scopes that are asked for before the call begins.
   */
  constructor(
    granted: ReadonlySet<string> | "all",
    private readonly rowId: string | null = null,
    private readonly session: string | null = null,
    needed: Iterable<Scope> = [],
  ) {
    this.#granted = granted;
    this.#needed = new Set(needed);
  }

  /** These rights for one call, so that a change is refused only for what its own call needs. */
  ofCall(): CallerRights {
    return new CallerRights(this.#granted, this.rowId, this.session, this.#needed);
  }

  get granted(): ReadonlySet<string> | "all" {
    return this.#granted;
  }

  /** True when a row says what the caller may do. */
  get hasRow(): boolean {
    return this.rowId !== null;
  }

  holds(scope: Scope): boolean {
    if (this.#granted === "all") return true;
    if (!this.#granted.has(scope)) return false;
    this.#needed.add(scope);
    return true;
  }

  /**
   * Reads the caller's row again. Where it has fewer scopes by now, those alone are held from here on.
   * @throws {LoyaltyError} `unauthorized` when it is gone; `access_denied` naming the first scope that the call has asked for and the
   *   caller lacks by now.
   */
  *renew(reader: StorageReader, organizationId: string, now: number): Step<void> {
    const { rowId, session } = this;
    const granted = this.#granted;
    if (rowId === null || granted === "all") return;
    const scopes = yield* currentScopes(reader, organizationId, rowId, now, session);
    if (scopes === null) throw failure("unauthorized");
    for (const scope of this.#needed) if (!scopes.includes(scope)) throw accessDenied(scope);
    const held = scopes.filter((scope) => granted.has(scope));
    if (held.length < granted.size) this.#granted = new Set(held);
  }
}

/** The rights of trusted code. */
export const allRights = new CallerRights("all");
