import { ApiTokens, type Principal, TokenVerifier } from "./api-tokens.js";
import { type Clock, systemClock } from "./clock.js";
import { CommitOrder } from "./commit-order.js";
import { Contacts } from "./contacts.js";
import { invalid } from "./errors.js";
import { Events } from "./event-log.js";
import { type ErrorListener, EventEmitter, type EventListener, type EventType, unfailing } from "./events.js";
import type { UuidSource } from "./ids.js";
import { JoinedChanges } from "./joined-changes.js";
import { Outbox, type OutboxOptions } from "./outbox.js";
import { Passes } from "./passes.js";
import type { Scope } from "./scopes.js";
import { Stamps } from "./stamps.js";
import type { HostTransaction, StorageAdapter } from "./storage.js";
import { Tags } from "./tags.js";
import { Templates } from "./templates.js";
import { type Engine, Tenant } from "./tenant.js";
import { isLongerThan, isStorable } from "./text.js";
import { UnderWay } from "./under-way.js";
import { Users } from "./users.js";
import { uuidV7 } from "./uuid-v7.js";

const MAX_ORGANIZATION_ID_LENGTH = 100;

export interface LoyaltyOptions {
  /** Where everything is kept. The service closes it. */
  readonly storage: StorageAdapter;
  /** What stands before the code in a pass's QR value. `https://pass.invalid` unless given. */
  readonly shortLinkBase?: string;
  readonly clock?: Clock;
  /** Makes the UUIDs of new ids; UUIDv7 unless given. */
  readonly uuid?: UuidSource;
  /** How long events are kept to be read again; `false` keeps none, which saves writing them. */
  readonly outbox?: OutboxOptions | false;
  /** Told what event listeners throw and what fails beside any caller's path. Writes to the console unless given. */
  readonly onError?: ErrorListener;
}

/** The loyalty engine of one process. */
export class LoyaltyService {
  private readonly engine: Engine;
  private readonly tokens: TokenVerifier;

  /** @throws {TypeError} when `storage` is none, such as a promise of one. */
  constructor(options: LoyaltyOptions) {
    if (typeof options?.storage?.transaction !== "function") {
      throw new TypeError("storage must be a StorageAdapter; a promise of one has to be awaited");
    }
    const { storage, clock = systemClock, outbox = {} } = options;
    const onError = unfailing(options.onError ?? ((error) => console.error(error)));
    this.engine = {
      storage,
      events: new EventEmitter(onError),
      outbox: outbox === false ? null : new Outbox(storage, clock, onError, outbox),
      changes: new UnderWay(),
      commitOrder: new CommitOrder(),
      joinedChanges: new JoinedChanges(storage, onError),
      clock,
      uuid: options.uuid ?? uuidV7,
      shortLinkBase: withoutSlash(options.shortLinkBase ?? "https://pass.invalid"),
    };
    this.tokens = new TokenVerifier(this.engine, onError);
  }

  /**
   * One organization, through which everything is done. Organizations need no creating and see nothing of
   * each other.
   * @param id 1 to 100 characters, chosen by the host.
   * @param options `scopes` limits what may be done, as a token would; without it the caller is trusted code.
   * @throws {LoyaltyError} `validation_failed` on `organizationId`.
   */
  organization(id: string, options: { readonly scopes?: readonly Scope[] } = {}): Organization {
    if (id.trim() === "" || !isStorable(id) || isLongerThan(id, MAX_ORGANIZATION_ID_LENGTH)) {
      throw invalid({ organizationId: `must be a text of 1 to ${MAX_ORGANIZATION_ID_LENGTH} characters` });
    }
    const granted = options.scopes === undefined ? "all" : new Set(options.scopes);
    return new Organization(new Tenant(this.engine, id, granted));
  }

  /**
   * Listens to one kind of event, of all organizations, after the commit and in the order of the commits in each. An
   * event's data is the object that the caller gets, so don't change it.
   * @returns a function that ends the subscription.
   */
  on<K extends EventType>(type: K, listener: EventListener<K>): () => void {
    return this.engine.events.on(type, listener);
  }

  /** Whom an API token speaks for; `null` when it is malformed, unknown, revoked or expired. */
  verifyApiToken(token: string): Promise<Principal | null> {
    return this.tokens.verify(token);
  }

  /** Waits for what is under way and closes the storage. */
  async close(): Promise<void> {
    const { outbox, changes, joinedChanges, events, storage } = this.engine;
    await Promise.all([this.tokens.settled(), outbox?.close(), changes.settled()]);
    await joinedChanges.settled();
    await events.settled();
    await storage.close();
  }
}

/** What one organization can do, grouped by resource. */
export class Organization {
  constructor(private readonly tenant: Tenant) {}

  get id(): string {
    return this.tenant.organizationId;
  }

  /**
   * This organization as a part of a transaction that the host has begun with Kysely on the same database: what is
   * changed through it is committed or rolled back with the host's own rows. A call that fails undoes its own change, and
   * leaves the host's transaction as it was before the call. Events are in the outbox with the commit; listeners are
   * told soon after it, when there is an outbox.
   * @throws {TypeError} when the storage is of a kind that can't join.
   */
  joining(transaction: HostTransaction): Organization {
    return new Organization(this.tenant.joining(transaction));
  }

  get users(): Users {
    return new Users(this.tenant);
  }

  get contacts(): Contacts {
    return new Contacts(this.tenant);
  }

  get tags(): Tags {
    return new Tags(this.tenant);
  }

  get templates(): Templates {
    return new Templates(this.tenant);
  }

  get passes(): Passes {
    return new Passes(this.tenant);
  }

  get stamps(): Stamps {
    return new Stamps(this.tenant);
  }

  get events(): Events {
    return new Events(this.tenant);
  }

  get apiTokens(): ApiTokens {
    return new ApiTokens(this.tenant);
  }

  /** @throws {LoyaltyError} `access_denied` naming the scope, when the caller lacks it. */
  require(scope: Scope): void {
    this.tenant.require(scope);
  }
}

function withoutSlash(base: string): string {
  return base.endsWith("/") ? base.slice(0, -1) : base;
}
