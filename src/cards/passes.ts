import { runStep, type Step } from "../base/concurrency/step.js";
import { createLoyaltyError, notFound } from "../base/errors.js";
import { type Page, pageOf } from "../base/page.js";
import { parse, parseNew } from "../base/parse.js";
import { extractPassCode, linkTo } from "../base/values/short-link.js";
import { isStorable } from "../base/values/text.js";
import type { ExtendRows } from "../customers/import/batch.js";
import { type EmittedEvents, type ImportOptions, importUsers } from "../customers/import/import.js";
import type { ImportResult } from "../customers/import/import-total.js";
import { type ImportPass, importCustomerSchema } from "../customers/import-schema.js";
import type { ImportUser } from "../customers/schema.js";
import { assertHasEmail, findExistingUser, insertUser } from "../customers/user-writes.js";
import { findPass, findTemplate, findUser, type PassLookup } from "../kernel/find.js";
import type { IdempotencyOptions, KeyedRequest } from "../kernel/idempotency/idempotent-call.js";
import type { Tenant } from "../kernel/tenant.js";
import { type CallsOf, type SyncCallsOf, UseCases } from "../kernel/use-cases.js";
import {
  type MessageDelivery,
  type MessageDeliveryListQuery,
  messageDeliveryQuerySchema,
  type NotifyPass,
  notifyPassSchema,
  toMessageDelivery,
} from "../messages/delivery-schema.js";
import { mailNewPass, mailPass, requireMail, signalMailWork } from "../messages/pass-mail.js";
import { readPointCard } from "../points/points.js";
import { countCard } from "../statistics/count-deltas.js";
import type { InstallationStatus, StoredPass } from "../storage/passes.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import { type StoredWalletCard, walletCardRecord } from "../storage/wallets.js";
import { createLinkToken, ensureWalletCard } from "../wallets/card-issue.js";
import { changeInstallation } from "../wallets/installation.js";
import { applySignUpChoices, type IssueOptions, insertSignUp, issuePass } from "./issue-pass.js";
import { PassImport } from "./pass-import.js";
import {
  type CreatedPass,
  type CreatePass,
  createPassSchema,
  type EnsuredPass,
  revokedPassOf,
  type WalletLinks,
  type WalletPass,
  type WalletPassDetail,
  walletPassDetailOf,
  walletPassOf,
} from "./pass-schema.js";

/** A customer to import from another program: the user's data, the date they joined, and up to 20 cards. */
export type ImportCustomer = ImportUser & {
  /** When the customer joined, as a date such as `2024-05-31` or a time with a time zone. */
  readonly createdAt?: string;
  /** The customer's cards, at most 20. */
  readonly passes?: readonly ImportPass[];
};

export type ImportCustomers = Iterable<ImportCustomer> | AsyncIterable<ImportCustomer>;

export interface ImportPassesOptions extends ImportOptions {
  /**
   * Which events to emit. `"all"` emits an event for each change, `"summary"` emits a single `import.completed` at the end, and
   * `"none"` emits no events. Default: `"all"`.
   */
  readonly emit?: EmittedEvents;
  /** Whether to email customers the links to their new cards. Default: `false`. */
  readonly notify?: boolean;
}

/** The public, asynchronous form of the {@link Passes} methods. */
export interface PassCalls extends CallsOf<Passes> {}

/** The synchronous methods of {@link Passes}, for use in a synchronous transaction. */
export type SyncPasses = SyncCallsOf<Passes>;

/** Manages passes, the digital cards that are issued to users from templates. */
export class Passes extends UseCases {
  /**
   * Issues a pass to a user. The user is either identified by service ID or external ID, or created in the same transaction.
   * @param input the pass's fields. With `notify: true`, an email with the link to the card is queued in the same transaction.
   * @param options see {@link IssueOptions}.
   * @throws {LoyaltyError} `resource_not_found` if the template or the user doesn't exist, `user_already_exists`,
   *   `validation_failed`, `mail_not_configured` if `notify` is set but email isn't set up, or `access_denied` if the caller lacks
   *   `pass:create`, or `pass:notify` if `notify` is set. No other email problem prevents the pass from being issued.
   */
  *create(
    templateId: string,
    input: CreatePass & IdempotencyOptions,
    { isPreviewPass = false, whenTaken, joining }: IssueOptions = {},
  ): Step<CreatedPass> {
    const { tenant } = this;
    requireForMail(tenant, input);
    const owner = parseNew(createPassSchema, input);
    const { organizationId } = tenant;
    const { notify = false } = owner;
    const request: KeyedRequest = ["passes.create", templateId, isPreviewPass, input];
    const newPass = yield* tenant.changeStep(request, function* (change): Step<CreatedPass> {
      const { tx } = change;
      const template = yield* findTemplate(tx, organizationId, templateId);
      if (notify) yield* requireMailTo(tenant, tx, owner.userId);
      // Customers who sign up on a page don't need to provide an email.
      if (owner.user !== undefined && joining === undefined)
        yield* assertHasEmail(tx, owner.user, "user.email");
      const { user, existingOwner } =
        owner.user === undefined
          ? { user: yield* findUser(tx, organizationId, owner.userId ?? ""), existingOwner: null }
          : whenTaken === undefined
            ? { user: yield* insertUser(change, owner.user), existingOwner: null }
            : yield* insertSignUp(change, owner.user, whenTaken);
      const pass = yield* issuePass(change, template, user, { isPreviewPass });
      const response = toWalletPass(tenant, pass);
      if (joining !== undefined) {
        yield* applySignUpChoices(change, { user, pass, existingOwner }, joining, notify);
        return response;
      }
      return notify
        ? { ...response, notification: yield* mailNewPass(tenant, tx, { pass, user }) }
        : response;
    });
    if (notify) signalMailWork(tenant);
    return newPass;
  }

  /**
   * Returns the user's oldest pass for a template, or issues one if the user has none. Concurrent calls issue only one pass.
   * Preview passes are ignored. If `user` is given, the user is looked up by `externalId`, then by email among users who don't have
   * a different `externalId`. A user found this way isn't changed. If none is found, the user is created.
   * @param input the pass's fields. With `notify: true`, an email with the link to the card is queued for the user, within the
   *   limits of {@link notify}.
   * @throws {LoyaltyError} `resource_not_found` if the template or the user with the `userId` doesn't exist, `user_already_exists`,
   *   `validation_failed`, `mail_not_configured` if `notify` is set but email isn't set up, or `access_denied` if the caller lacks
   *   `pass:create` or `pass:read`, or `pass:notify` if `notify` is set.
   */
  *ensure(templateId: string, input: CreatePass & IdempotencyOptions): Step<EnsuredPass> {
    const { tenant } = this;
    requireForMail(tenant, input);
    const owner = parseNew(createPassSchema, input);
    const { organizationId, engine } = tenant;
    const { notify = false } = owner;
    const request: KeyedRequest = ["passes.ensure", templateId, input];
    const ensured = yield* tenant.changeStep(request, function* (change): Step<EnsuredPass> {
      const { tx } = change;
      const template = yield* findTemplate(tx, organizationId, templateId);
      if (notify) yield* requireMailTo(tenant, tx, owner.userId);
      if (owner.user !== undefined) yield* assertHasEmail(tx, owner.user, "user.email");
      const user =
        owner.user === undefined
          ? yield* findUser(tx, organizationId, owner.userId ?? "")
          : ((yield* findExistingUser(tx, owner.user)) ?? (yield* insertUser(change, owner.user)));
      const passes = yield* tx.passesOfUsers([user]);
      const existingPass = passes.find((pass) => pass.templateId === template.id && !pass.isPreviewPass);
      const pass = existingPass ?? (yield* issuePass(change, template, user));
      const pointCard = yield* readPointCard(tx, pass, template, tenant.now());
      const detail = walletPassDetailOf(pass, template, engine.config.shortLinks.current, pointCard);
      return notify ? { ...detail, notification: yield* mailNewPass(tenant, tx, { pass, user }) } : detail;
    });
    if (notify) signalMailWork(tenant);
    return ensured;
  }

  /**
   * Queues an email to a customer with the link to their pass. A pass is limited to one email a minute and three in 24 hours, and a
   * customer to ten in 24 hours across all of their passes. Emails sent by sign-ups and by `notify` in other calls count toward
   * these limits. This is a service email, so it doesn't need the customer's consent.
   * @param input `language` is a BCP 47 tag. Default: the customer's language, falling back to the design's.
   * @returns the queued email.
   * @throws {LoyaltyError} `validation_failed`, `access_denied` if the caller lacks `pass:notify`, or the first of these that
   *   applies: `resource_not_found`, `mail_not_configured`, `no_mail_address`, `address_suppressed`, `pass_notified_recently`, or
   *   `too_many_pending_deliveries`.
   */
  *notify(passId: string, input: NotifyPass & IdempotencyOptions = {}): Step<MessageDelivery> {
    const { tenant } = this;
    const { language } = parse(notifyPassSchema, input);
    const { organizationId } = tenant;
    const delivery = yield* tenant.changeStep(["passes.notify", passId, input], function* ({ tx }) {
      const pass = yield* findPass(tx, organizationId, passId);
      const user = yield* findUser(tx, organizationId, pass.userId);
      return toMessageDelivery(yield* mailPass(tenant, tx, { pass, user }, language ?? null));
    });
    signalMailWork(tenant);
    return delivery;
  }

  /**
   * Lists the emails sent about a pass, newest first. Records of the emails are kept for 400 days, unless the service's retention
   * settings specify another period.
   * @throws {LoyaltyError} `resource_not_found`, `validation_failed`, or `access_denied` if the caller lacks `pass:read`.
   */
  async deliveries(passId: string, query: MessageDeliveryListQuery = {}): Promise<Page<MessageDelivery>> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { status = null, ...request } = parse(messageDeliveryQuerySchema, query);
    return tenant.read(function* (reader) {
      const pass = yield* findPass(reader, organizationId, passId);
      const deliveries = yield* reader.messageDeliveriesOf({ passId: pass.id }, { status, ...request });
      return pageOf(deliveries.items.map(toMessageDelivery), deliveries.total, request);
    });
  }

  /**
   * Imports customers from another program, along with their cards' codes and balances or dated histories. Users and tags are
   * imported as in {@link Users.import}. A new user's `createdAt` must not be earlier than the newest existing user's, so sort
   * rows oldest first. A card is skipped if the user already has a pass for the template with the same code. A card without a
   * code is skipped if the user has any pass for the template. Each ledger begins with an opening balance, so the entries always
   * add up to the card's state. Statistics count imported users and cards on the day of the import, and don't count imported
   * stamps.
   * @param options the import options. With `emit: "all"`, an event is emitted for each user and each pass, plus one
   *   `stamp.added` for each card with a balance.
   * @returns the same result as {@link Users.import}. Problems with a card are keyed by its path, such as `passes.0.code`.
   * @throws {LoyaltyError} `access_denied` unless the caller has `user:create`, `user:update`, `user_tag:write`, `pass:create`,
   *   and `loyalty:manage`.
   * @throws any error from `rows`, `onProgress`, or storage. Rows imported before the error are kept.
   */
  async import(rows: ImportCustomers, options: ImportPassesOptions = {}): Promise<ImportResult> {
    const { tenant } = this;
    const { emit = "all", notify = false, ...importOptions } = options;
    if (notify) {
      tenant.require(["pass:notify"]);
      requireMail(tenant);
    }
    const mails = notify && importOptions.dryRun !== true;
    const extendRows: ExtendRows = (tx, record) => new PassImport(tenant, tx, record, mails);
    const kind = { extendRows, emit, schema: importCustomerSchema };
    const result = await importUsers(tenant, rows, importOptions, kind);
    if (mails) signalMailWork(tenant);
    return result;
  }

  /**
   * Returns a pass by its ID.
   * @param lookup `templateId` restricts the lookup to passes for that template. Default: any template.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `pass:read`.
   */
  async get(passId: string, lookup: PassLookup = {}): Promise<WalletPass> {
    const { tenant } = this;
    const pass = await runStep(findPass(tenant.reader, tenant.organizationId, passId, lookup));
    await runStep(tenant.assertOwn(tenant.reader, pass.userId, "wallet_pass", passId));
    return toWalletPass(tenant, pass);
  }

  /**
   * Lists a user's passes, oldest first, each with its template, installation status, and stamp progress.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `pass:read`.
   */
  async ofUser(userId: string): Promise<WalletPassDetail[]> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.read(function* (reader) {
      const user = yield* findUser(reader, organizationId, userId);
      yield* tenant.assertOwn(reader, user.id, "user", userId);
      const templates = new Map<string, StoredTemplate>();
      const details: WalletPassDetail[] = [];
      for (const pass of yield* reader.passesOfUsers([user])) {
        const template =
          templates.get(pass.templateId) ?? (yield* findTemplate(reader, organizationId, pass.templateId));
        templates.set(template.id, template);
        const pointCard = yield* readPointCard(reader, pass, template, tenant.now());
        details.push(walletPassDetailOf(pass, template, tenant.engine.config.shortLinks.current, pointCard));
      }
      return details;
    });
  }

  /**
   * Finds a pass by its scanned QR value.
   * @param qrCodeValue either the full value, with the current or an earlier link base, or just the code. Surrounding whitespace is
   *   ignored, and so is a slash, `?`, or `#` after the code, along with anything that follows it.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `pass:read`, or `resource_not_found` if the code is unknown or
   *   revoked, or if the value has a different link base.
   */
  *lookup(qrCodeValue: string): Step<WalletPassDetail> {
    const { tenant } = this;
    const { organizationId, engine } = tenant;
    const code = extractPassCode(qrCodeValue, engine.config.shortLinks);
    if (code === null || !isStorable(code)) throw notFound("wallet_pass", qrCodeValue, organizationId);
    return yield* tenant.readStep(function* (reader) {
      const pass = yield* reader.findPassByCode(code);
      if (pass === null) throw notFound("wallet_pass", qrCodeValue, organizationId);
      yield* tenant.assertOwn(reader, pass.userId, "wallet_pass", qrCodeValue);
      return yield* readPassDetail(tenant, reader, pass);
    });
  }

  /**
   * Records that the pass was added to a wallet. Repeated calls have no effect and emit no event.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `pass:update`.
   */
  async markInstalled(passId: string, options: IdempotencyOptions = {}): Promise<WalletPassDetail> {
    return this.setInstallation(passId, "INSTALLED", options);
  }

  /**
   * Records that the pass was removed from the wallet. Repeated calls have no effect and emit no event.
   * @throws {LoyaltyError} `resource_not_found`, `pass_never_installed`, or `access_denied` if the caller lacks `pass:update`.
   */
  async markUninstalled(passId: string, options: IdempotencyOptions = {}): Promise<WalletPassDetail> {
    return this.setInstallation(passId, "UNINSTALLED", options);
  }

  /**
   * Revokes a pass by deleting it along with its stamps. Its QR value no longer resolves.
   * @param lookup `templateId` restricts the lookup to passes for that template. Default: any template.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `pass:delete`.
   */
  async delete(passId: string, lookup: PassLookup & IdempotencyOptions = {}): Promise<void> {
    const { organizationId } = this.tenant;
    await this.tenant.change(["passes.delete", passId, lookup], function* ({ tx, record }) {
      const pass = yield* findPass(tx, organizationId, passId, lookup);
      yield* tx.deletePass(pass.id);
      record("pass.revoked", revokedPassOf(pass), { cards: -countCard(pass) });
    });
  }

  /**
   * Returns the links that add the pass to a wallet. Anyone who has a link can add the pass. The links don't change until they are
   * revoked.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `pass:read`.
   */
  async walletLinks(passId: string): Promise<WalletLinks> {
    const { tenant } = this;
    const { reader, organizationId, engine } = tenant;
    const pass = await runStep(findPass(reader, organizationId, passId));
    await runStep(tenant.assertOwn(reader, pass.userId, "wallet_pass", passId));
    if (!engine.channels.wallets.isOn) return buildWalletLinks(tenant, pass, null);
    const existingCard = await runStep(reader.findWalletCard(pass.id));
    if (existingCard !== null) {
      const card = engine.secrets.open(walletCardRecord, organizationId, existingCard);
      return buildWalletLinks(tenant, pass, card);
    }
    return tenant.change(["passes.walletLinks"], function* ({ tx }) {
      const current = yield* findPass(tx, organizationId, passId);
      return buildWalletLinks(tenant, current, yield* ensureWalletCard(tenant, tx, current));
    });
  }

  /**
   * Revokes the pass's current wallet links and creates new ones. Devices that already have the pass aren't affected.
   * @returns the new links.
   * @throws {LoyaltyError} `resource_not_found`, or `access_denied` if the caller lacks `pass:update`.
   */
  async revokeWalletLinks(passId: string, options: IdempotencyOptions = {}): Promise<WalletLinks> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.change(["passes.revokeWalletLinks", passId, options], function* ({ tx }) {
      const pass = yield* findPass(tx, organizationId, passId);
      const card = yield* ensureWalletCard(tenant, tx, pass);
      const resetCard = { ...card, linkToken: createLinkToken() };
      const sealedCard = tenant.engine.secrets.seal(walletCardRecord, organizationId, resetCard);
      yield* tx.updateWalletCards([sealedCard]);
      return buildWalletLinks(tenant, pass, resetCard);
    });
  }

  private async setInstallation(
    passId: string,
    status: InstallationStatus,
    options: IdempotencyOptions,
  ): Promise<WalletPassDetail> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.change(["passes.setInstallation", passId, status, options], function* (change) {
      const { tx } = change;
      const before = yield* findPass(tx, organizationId, passId);
      if (before.installationStatus === status) return yield* readPassDetail(tenant, tx, before);
      if (status === "UNINSTALLED" && before.installationStatus === null)
        throw createLoyaltyError("pass_never_installed");
      const after = yield* changeInstallation(change, before, status, null);
      return yield* readPassDetail(tenant, tx, after);
    });
  }
}

/** @throws {LoyaltyError} `resource_not_found` if `userId` is given and unknown; `mail_not_configured`. */
function* requireMailTo(tenant: Tenant, tx: StorageTransaction, userId: string | undefined): Step<void> {
  if (userId !== undefined) yield* findUser(tx, tenant.organizationId, userId);
  requireMail(tenant);
}

/**
 * Checks the scope for sending email before the rest of the input is validated.
 * @throws {LoyaltyError} `access_denied`.
 */
function requireForMail(tenant: Tenant, input: unknown): void {
  if (Object(input).notify === true) tenant.require(["pass:notify"]);
}

function buildWalletLinks({ engine }: Tenant, pass: StoredPass, card: StoredWalletCard | null): WalletLinks {
  const {
    channels: { wallets },
    config: { shortLinks },
  } = engine;
  const { apple, google } = card === null ? { apple: null, google: null } : wallets.linksOf(card);
  return { apple, google, page: linkTo(shortLinks.current, pass.code) };
}

/** Converts a stored pass to the API's format, including its QR value. */
function toWalletPass({ engine }: Tenant, pass: StoredPass): WalletPass {
  return walletPassOf(pass, engine.config.shortLinks.current);
}

/** Returns a pass in the API's format, together with its template and stamp card. */
function* readPassDetail(tenant: Tenant, reader: StorageReader, pass: StoredPass): Step<WalletPassDetail> {
  const { organizationId, engine } = tenant;
  const template = yield* findTemplate(reader, organizationId, pass.templateId);
  const pointCard = yield* readPointCard(reader, pass, template, tenant.now());
  return walletPassDetailOf(pass, template, engine.config.shortLinks.current, pointCard);
}
