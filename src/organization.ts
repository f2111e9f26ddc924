import { type ActorDetails, actorDetailsSchema, resolveActor } from "./access/actor-schema.js";
import { ApiTokens } from "./access/api-tokens.js";
import { Apps } from "./access/apps.js";
import { AuditTrail } from "./access/audit-trail.js";
import { Grants } from "./access/grants.js";
import { Automations } from "./automations/automations.js";
import { INTERNALS } from "./base/copies.js";
import { parse } from "./base/parse.js";
import type { Scope } from "./base/scopes.js";
import { Passes, type SyncPasses } from "./cards/passes.js";
import { Stamps, type SyncStamps } from "./cards/stamps.js";
import { Templates } from "./cards/templates.js";
import { Contacts } from "./customers/contacts.js";
import { type SyncUsers, Users } from "./customers/users.js";
import { Exports } from "./exports/exports.js";
import { type CallKey, createIdempotentCall, toOutcome } from "./kernel/idempotency/idempotent-call.js";
import { type IdempotentResult, runIdempotent } from "./kernel/idempotency/run-idempotent.js";
import type { Tenant } from "./kernel/tenant.js";
import { UseCases } from "./kernel/use-cases.js";
import { MessageDeliveries } from "./messages/message-deliveries.js";
import { OrganizationMessageSettings } from "./messages/message-settings.js";
import { Messages } from "./messages/messages.js";
import { Subscriptions } from "./messages/subscriptions.js";
import type { Groups, OrganizationCalls } from "./operation-groups.js";
import { buildCallRules } from "./operation-table.js";
import { People } from "./people/people.js";
import { Points, type SyncPoints } from "./points/points.js";
import { Purchases, type SyncPurchases } from "./purchases/purchases.js";
import { Segments } from "./segments/segments.js";
import { OrganizationSettings } from "./settings/settings.js";
import { Statistics } from "./statistics/statistics.js";
import type { HostTransaction, SyncTransaction } from "./storage/storage-adapter.js";
import { Tags } from "./tags/tags.js";
import { Events } from "./webhooks/events.js";
import { Webhooks } from "./webhooks/webhooks.js";

/** The use cases that are available in a synchronous transaction. */
const syncUseCases = {
  users: UseCases.synchronous(Users, buildCallRules("users")),
  passes: UseCases.synchronous(Passes, buildCallRules("passes")),
  stamps: UseCases.synchronous(Stamps, buildCallRules("stamps")),
  points: UseCases.synchronous(Points, buildCallRules("points")),
  purchases: UseCases.synchronous(Purchases, buildCallRules("purchases")),
};

/** The use cases, with their guards. */
const guardedUseCases = {
  users: UseCases.withGuards(Users, buildCallRules("users")),
  contacts: UseCases.withGuards(Contacts, buildCallRules("contacts")),
  tags: UseCases.withGuards(Tags, buildCallRules("tags")),
  templates: UseCases.withGuards(Templates, buildCallRules("templates")),
  passes: UseCases.withGuards(Passes, buildCallRules("passes")),
  stamps: UseCases.withGuards(Stamps, buildCallRules("stamps")),
  points: UseCases.withGuards(Points, buildCallRules("points")),
  purchases: UseCases.withGuards(Purchases, buildCallRules("purchases")),
  events: UseCases.withGuards(Events, buildCallRules("events")),
  webhooks: UseCases.withGuards(Webhooks, buildCallRules("webhooks")),
  apiTokens: UseCases.withGuards(ApiTokens, buildCallRules("apiTokens")),
  audit: UseCases.withGuards(AuditTrail, buildCallRules("audit")),
  segments: UseCases.withGuards(Segments, buildCallRules("segments")),
  statistics: UseCases.withGuards(Statistics, buildCallRules("statistics")),
  people: UseCases.withGuards(People, buildCallRules("people")),
  apps: UseCases.withGuards(Apps, buildCallRules("apps")),
  grants: UseCases.withGuards(Grants, buildCallRules("grants")),
  subscriptions: UseCases.withGuards(Subscriptions, buildCallRules("subscriptions")),
  settings: UseCases.withGuards(OrganizationSettings, buildCallRules("settings")),
  messages: UseCases.withGuards(Messages, buildCallRules("messages")),
  messageSettings: UseCases.withGuards(OrganizationMessageSettings, buildCallRules("messageSettings")),
  automations: UseCases.withGuards(Automations, buildCallRules("automations")),
  messageDeliveries: UseCases.withGuards(MessageDeliveries, buildCallRules("messageDeliveries")),
  exports: UseCases.withGuards(Exports, buildCallRules("exports")),
};

/**
 * The calls needed at checkout, in a synchronous host transaction. Each call works like its counterpart in {@link Organization},
 * but returns or throws synchronously and takes no idempotency key.
 *
 * Calls also throw `storage_unavailable` if another transaction holds the write lock. In that case, roll back your transaction and
 * retry it, preferably with `loyalty.runBetweenTransactions`.
 */
export class SyncOrganization {
  /** The calls in {@link Organization.users} that can run synchronously. */
  readonly users: SyncUsers;
  /** The calls in {@link Organization.passes} that can run synchronously. */
  readonly passes: SyncPasses;
  /** The calls in {@link Organization.stamps} that can run synchronously. */
  readonly stamps: SyncStamps;
  /** The calls in {@link Organization.points} that can run synchronously. */
  readonly points: SyncPoints;
  /** The calls in {@link Organization.purchases} that can run synchronously. */
  readonly purchases: SyncPurchases;

  /** @param tenant a tenant that has already joined the transaction. */
  constructor(tenant: Tenant) {
    this.users = new syncUseCases.users(tenant);
    this.passes = new syncUseCases.passes(tenant);
    this.stamps = new syncUseCases.stamps(tenant);
    this.points = new syncUseCases.points(tenant);
    this.purchases = new syncUseCases.purchases(tenant);
  }
}

/** The API for a single organization, with methods grouped by resource. */
export class Organization implements OrganizationCalls {
  static {
    Object.defineProperty(Organization.prototype, INTERNALS, {
      get(this: Organization) {
        return new OrganizationInternals(this.tenant);
      },
    });
  }

  constructor(private readonly tenant: Tenant) {}

  /** The organization's ID, as passed to `LoyaltyService.organization`. */
  get id(): string {
    return this.tenant.organizationId;
  }

  /**
   * Returns this organization within a transaction that the host has begun on the same database, so that its changes commit or roll
   * back together with the host's rows. The transaction can come from Kysely or any other library for which `loyalty-kit/joining`
   * has a bridge. If a call fails, only its own change is undone, which leaves the host's transaction as it was before the call.
   * Events reach the outbox when the transaction commits. Listeners are called soon afterward, but only if there is an outbox.
   * Calls throw a TypeError if no transaction is open or, on SQLite, if another SQLite library in this process has the file open.
   * @throws {TypeError} if the storage can't join transactions.
   */
  joining(transaction: HostTransaction): Organization {
    return new Organization(this.tenant.joining(transaction));
  }

  /**
   * Returns the calls needed at checkout, in a synchronous `better-sqlite3` transaction that was begun with the driver itself or
   * with Drizzle (see `fromBetterSqlite3` and `fromDrizzle` in `loyalty-kit/joining`). Works like {@link joining}, except that the
   * calls return or throw synchronously.
   * @throws {TypeError} if the storage can't join transactions.
   */
  joiningSync(transaction: SyncTransaction): SyncOrganization {
    return new SyncOrganization(this.tenant.joiningSync(transaction));
  }

  /**
   * Returns this organization with additional details about the actor. The actor's kind doesn't change.
   * @param details the host's ID for the actor, the location, and the receipt. Omitted details stay the same.
   * @throws {LoyaltyError} `validation_failed` on a field of `details`.
   */
  actingFor(details: ActorDetails): Organization {
    const { visible } = this.tenant.actor;
    const { kind, id } = visible;
    const {
      subject = visible.subject,
      location = visible.location,
      receipt = visible.receipt,
    } = parse(actorDetailsSchema, details);
    return new Organization(this.tenant.actingAs(resolveActor({ kind, id, subject, location, receipt })));
  }

  /** Calls that create, find, change, import, and erase users. */
  get users(): Groups["users"] {
    return this.tenant.traced("users", new guardedUseCases.users(this.tenant));
  }

  /** Calls that list and search users together with their cards. */
  get contacts(): Groups["contacts"] {
    return this.tenant.traced("contacts", new guardedUseCases.contacts(this.tenant));
  }

  /** Calls that manage tags and assign them to users. */
  get tags(): Groups["tags"] {
    return this.tenant.traced("tags", new guardedUseCases.tags(this.tenant));
  }

  /** Calls that manage templates, from which passes are issued. */
  get templates(): Groups["templates"] {
    return this.tenant.traced("templates", new guardedUseCases.templates(this.tenant));
  }

  /** Calls that issue, look up, and revoke passes, and that create links for adding them to wallets. */
  get passes(): Groups["passes"] {
    return this.tenant.traced("passes", new guardedUseCases.passes(this.tenant));
  }

  /** Calls that add stamps to cards, redeem rewards, and list a card's ledger. */
  get stamps(): Groups["stamps"] {
    return this.tenant.traced("stamps", new guardedUseCases.stamps(this.tenant));
  }

  /** Calls that read, add, remove, and spend points, and list a card's ledger. */
  get points(): Groups["points"] {
    return this.tenant.traced("points", new guardedUseCases.points(this.tenant));
  }

  /** Calls that record purchases and returns, from which stamps and points follow. */
  get purchases(): Groups["purchases"] {
    return this.tenant.traced("purchases", new guardedUseCases.purchases(this.tenant));
  }

  /** Calls that read events from the outbox. */
  get events(): Groups["events"] {
    return this.tenant.traced("events", new guardedUseCases.events(this.tenant));
  }

  /** Calls that manage webhook endpoints and their deliveries. */
  get webhooks(): Groups["webhooks"] {
    return this.tenant.traced("webhooks", new guardedUseCases.webhooks(this.tenant));
  }

  /** Calls that create, list, rotate, and delete API tokens. */
  get apiTokens(): Groups["apiTokens"] {
    return this.tenant.traced("apiTokens", new guardedUseCases.apiTokens(this.tenant));
  }

  /** Calls that read and verify the audit trail, which records administrative actions and their actors. */
  get audit(): Groups["audit"] {
    return this.tenant.traced("audit", new guardedUseCases.audit(this.tenant));
  }

  /** Calls that manage saved segments and find users by their tags and behavior. */
  get segments(): Groups["segments"] {
    return this.tenant.traced("segments", new guardedUseCases.segments(this.tenant));
  }

  /** Calls that read daily statistics, such as visit counts. */
  get statistics(): Groups["statistics"] {
    return this.tenant.traced("statistics", new guardedUseCases.statistics(this.tenant));
  }

  /** Calls that manage the accounts of staff members, who sign in to the console by email. */
  get people(): Groups["people"] {
    return this.tenant.traced("people", new guardedUseCases.people(this.tenant));
  }

  /** Calls that manage the organization's registered OAuth 2.0 clients. */
  get apps(): Groups["apps"] {
    return this.tenant.traced("apps", new guardedUseCases.apps(this.tenant));
  }

  /** Calls that manage grants, which let apps access the organization on behalf of its users. */
  get grants(): Groups["grants"] {
    return this.tenant.traced("grants", new guardedUseCases.grants(this.tenant));
  }

  /** Calls that manage customers' subscriptions, which record their consent to receive messages. */
  get subscriptions(): Groups["subscriptions"] {
    return this.tenant.traced("subscriptions", new guardedUseCases.subscriptions(this.tenant));
  }

  /** Calls that read and change the organization's settings, such as its time zone. */
  get settings(): Groups["settings"] {
    return this.tenant.traced("settings", new guardedUseCases.settings(this.tenant));
  }

  /** Calls that draft, preview, send, and cancel messages to customers. */
  get messages(): Groups["messages"] {
    return this.tenant.traced("messages", new guardedUseCases.messages(this.tenant));
  }

  /** Calls that read and change email and message settings, such as quiet hours. */
  get messageSettings(): Groups["messageSettings"] {
    return this.tenant.traced("messageSettings", new guardedUseCases.messageSettings(this.tenant));
  }

  /** Calls that read email and message deliveries, and record bounces. */
  get messageDeliveries(): Groups["messageDeliveries"] {
    return this.tenant.traced("messageDeliveries", new guardedUseCases.messageDeliveries(this.tenant));
  }

  /** Calls that manage automations, test them, and list their runs. */
  get automations(): Groups["automations"] {
    return this.tenant.traced("automations", new guardedUseCases.automations(this.tenant));
  }

  /** Calls that export all of the organization's data. */
  get exports(): Groups["exports"] {
    return this.tenant.traced("exports", new guardedUseCases.exports(this.tenant));
  }
}

/** An organization's internals, for this package's own adapters. */
export class OrganizationInternals {
  constructor(private readonly tenant: Tenant) {}

  /**
   * Runs one call under an idempotency key that your own API received, for example in a header. Calls within `work` ignore
   * any `idempotencyKey` in their input.
   * @param key the key and its request, or `null` for a call without a key. Every call with the same key must have the same
   *   `request`, as JSON values.
   * @param work a function that makes at most one change and returns the result. `work` doesn't run if an earlier call has already
   *   stored the result, so list the scopes that it checks in the key's `scopes`, or check them beforehand. A result that contains
   *   a new secret is replayed only to the same caller.
   * @returns the result or the stored failure, and whether an earlier call stored it.
   * @throws {LoyaltyError} `validation_failed` on the key's `field`, `idempotency_key_reused`, `idempotency_key_in_use`, or
   *   `access_denied` if the caller lacks one of the `scopes`.
   * @throws whatever `work` throws, except failures (404 and 409) that are stored for the key.
   */
  async call<T>(
    key: CallKey | null,
    work: (organization: Organization) => Promise<T>,
  ): Promise<IdempotentResult<T>> {
    const run = (tenant: Tenant) => work(new Organization(tenant));
    if (key === null) {
      return {
        outcome: toOutcome(await run(this.tenant.withIdempotentRun(null))),
        isReplayed: false,
      };
    }
    const { scopes = [] } = key;
    const tenant = this.tenant.ofCall();
    tenant.require(scopes);
    const call = tenant.measureTime(() => createIdempotentCall(tenant.organizationId, key));
    return runIdempotent(tenant, call, (idempotentRun) => run(tenant.withIdempotentRun(idempotentRun)));
  }

  holds(scope: Scope): boolean {
    return this.tenant.hasScope(scope);
  }

  /**
   * Checks that the caller has a scope.
   * @throws {LoyaltyError} `access_denied`, naming the scope, if the caller lacks it.
   */
  require(scope: Scope): void {
    this.tenant.require([scope], true);
  }
}
