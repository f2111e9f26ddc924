import { ApiTokens } from "./access/api-tokens.js";
import { Apps } from "./access/apps.js";
import { AuditTrail } from "./access/audit-trail.js";
import { Grants } from "./access/grants.js";
import { callArguments, type Groups } from "./call-arguments.js";
import { Passes } from "./cards/passes.js";
import { Stamps } from "./cards/stamps.js";
import { Templates } from "./cards/templates.js";
import { checked } from "./checked-calls.js";
import { Contacts } from "./customers/contacts.js";
import { Users } from "./customers/users.js";
import { type Answered, answerOnce } from "./idempotency/answer-once.js";
import { idempotentCall } from "./idempotency/idempotent-call.js";
import type { OrganizationCalls } from "./organization-calls.js";
import { type ActorDetails, actorDetailsSchema, knownActor } from "./resources/actor.js";
import { parse } from "./resources/parse.js";
import type { Scope } from "./scopes.js";
import { Statistics } from "./statistics/statistics.js";
import type { HostTransaction, SyncTransaction } from "./storage/storage-adapter.js";
import { strictly } from "./strict-calls.js";
import { SyncOrganization } from "./sync-organization.js";
import { Tags } from "./tags/tags.js";
import type { Tenant } from "./tenant/tenant.js";
import { Events } from "./webhooks/events.js";
import { Webhooks } from "./webhooks/webhooks.js";

/** What can be done, with arguments of their kinds alone. */
const groups = {
  users: checked(Users, callArguments.users),
  contacts: checked(Contacts, callArguments.contacts),
  tags: checked(Tags, callArguments.tags),
  templates: checked(Templates, callArguments.templates),
  passes: checked(Passes, callArguments.passes),
  stamps: checked(Stamps, callArguments.stamps),
  events: checked(Events, callArguments.events),
  webhooks: checked(Webhooks, callArguments.webhooks),
  apiTokens: checked(ApiTokens, callArguments.apiTokens),
  audit: checked(AuditTrail, callArguments.audit),
  statistics: checked(Statistics, callArguments.statistics),
  apps: checked(Apps, callArguments.apps),
  grants: checked(Grants, callArguments.grants),
};

/** An idempotency key as another interface than the library's takes it. */
export interface CallKey {
  readonly value: string;
  /** What errors call it. */
  readonly field: string;
  /** What is asked for, in JSON values. */
  readonly request: readonly unknown[];
  /** What the caller needs for it: asked for also where a repeat is answered without it. None unless given. */
  readonly scopes?: readonly Scope[];
  /** What the caller has shown to be let in, such as a bearer token: who shows it again is the same caller. */
  readonly shown?: string | null;
}

/** What one organization can do, grouped by resource. */
export class Organization implements OrganizationCalls {
  constructor(private readonly tenant: Tenant) {}

  get id(): string {
    return this.tenant.organizationId;
  }

  /**
   * This organization as a part of a transaction that the host has begun on the same database, with Kysely or what
   * `loyalty-kit/joining` has a bridge for: what is
   * changed through it is committed or rolled back with the host's own rows. A call that fails undoes its own change, and
   * leaves the host's transaction as it was before the call. Events are in the outbox with the commit; listeners are
   * told soon after it, when there is an outbox. Its calls throw a TypeError where no transaction is open, and on SQLite
   * where another SQLite library of this process has the file open.
   * @throws {TypeError} when the storage is of a kind that can't join.
   */
  joining(transaction: HostTransaction): Organization {
    return new Organization(this.tenant.joining(transaction));
  }

  /**
   * What a sale needs of this organization, as a part of a synchronous transaction on `better-sqlite3`, of the driver itself or
   * of Drizzle (`fromBetterSqlite3` and `fromDrizzle` of `loyalty-kit/joining`): as {@link joining}, but its calls return or
   * throw at once.
   * @throws {TypeError} when the storage is of a kind that can't join.
   */
  joiningSync(transaction: SyncTransaction): SyncOrganization {
    return new SyncOrganization(this.tenant.joiningSync(transaction));
  }

  /**
   * This organization, for what somebody does: who acts stays of the same kind.
   * @param details who it is at the host, where, and for which purchase; what is left out stays as it was.
   * @throws {LoyaltyError} `validation_failed` on its fields.
   */
  actingFor(details: ActorDetails): Organization {
    const { told } = this.tenant.actor;
    const { kind, id } = told;
    const {
      subject = told.subject,
      location = told.location,
      receipt = told.receipt,
    } = parse(actorDetailsSchema, details);
    return new Organization(this.tenant.by(knownActor({ kind, id, subject, location, receipt })));
  }

  get users(): Users {
    return this.group("users", new groups.users(this.tenant));
  }

  get contacts(): Contacts {
    return this.group("contacts", new groups.contacts(this.tenant));
  }

  get tags(): Tags {
    return this.group("tags", new groups.tags(this.tenant));
  }

  get templates(): Templates {
    return this.group("templates", new groups.templates(this.tenant));
  }

  get passes(): Passes {
    return this.group("passes", new groups.passes(this.tenant));
  }

  get stamps(): Stamps {
    return this.group("stamps", new groups.stamps(this.tenant));
  }

  get events(): Events {
    return this.group("events", new groups.events(this.tenant));
  }

  get webhooks(): Webhooks {
    return this.group("webhooks", new groups.webhooks(this.tenant));
  }

  get apiTokens(): ApiTokens {
    return this.group("apiTokens", new groups.apiTokens(this.tenant));
  }

  /** Who has managed what. */
  get audit(): AuditTrail {
    return this.group("audit", new groups.audit(this.tenant));
  }

  get statistics(): Statistics {
    return this.group("statistics", new groups.statistics(this.tenant));
  }

  /** The OAuth 2.0 clients that the organization has registered. */
  get apps(): Apps {
    return this.group("apps", new groups.apps(this.tenant));
  }

  /** What users of the organization allow apps to do there. */
  get grants(): Grants {
    return this.group("grants", new groups.grants(this.tenant));
  }

  /**
   * Makes one call for an interface of the host's own, which has the idempotency key in a place of its own, such as a
   * header. An `idempotencyKey` in the input of what `work` calls is ignored.
   * @param key `null` for a call without one. The same key must come with the same `request`, in JSON values.
   * @param work makes one change at most, and then gives the result of that. A repeat is answered without it, so what it
   *   asks of the caller has to be among the `scopes` of the key, or asked before. An answer that tells a new secret is
   *   replayed to the same caller alone.
   * @returns the result, or the failure to be told, and whether an earlier call had it.
   * @throws {LoyaltyError} `validation_failed` on the key's `field`; `idempotency_key_reused`, `idempotency_key_in_use`;
   *   `access_denied` naming one of the `scopes`; what `work` throws, but for the failures (404 and 409) that are kept for a key.
   */
  async call<T>(key: CallKey | null, work: (organization: Organization) => Promise<T>): Promise<Answered<T>> {
    const run = (tenant: Tenant) => work(new Organization(tenant));
    if (key === null) {
      return {
        answer: { kind: "result", result: await run(this.tenant.answering(null)) },
        isReplayed: false,
      };
    }
    const { value, request, field, scopes = [], shown = null } = key;
    for (const scope of scopes) this.tenant.require(scope);
    const call = idempotentCall(this.id, value, request, field, shown);
    return answerOnce(this.tenant, call, (answering) => run(this.tenant.answering(answering)));
  }

  private group<Name extends keyof Groups>(name: Name, calls: Groups[Name]): Groups[Name] {
    return this.tenant.traced(name, this.tenant.isStrict ? strictly(name, calls) : calls);
  }

  /** Whether the caller has a scope. */
  holds(scope: Scope): boolean {
    return this.tenant.holds(scope);
  }

  /** @throws {LoyaltyError} `access_denied` naming the scope, when the caller lacks it. */
  require(scope: Scope): void {
    this.tenant.requireOwn(scope);
  }
}
