import { runStep, type Step } from "../concurrency/step.js";
import { findExistingUser } from "../customers/existing-user.js";
import type { ExtendRows } from "../customers/import/batch.js";
import { type EmittedEvents, type ImportOptions, importUsers } from "../customers/import/import.js";
import type { ImportResult } from "../customers/import/import-total.js";
import { assertHasEmail, insertUser } from "../customers/user-writes.js";
import { createLoyaltyError, notFound } from "../errors.js";
import type { IdempotencyOptions, KeyedRequest } from "../idempotency/idempotent-call.js";
import { mailNewPass, mailPass, requireMail, signalMailWork } from "../messages/pass-mail.js";
import { type ImportPass, importCustomerSchema } from "../resources/import.js";
import {
  type MessageDelivery,
  type MessageDeliveryListQuery,
  messageDeliveryOf,
  messageDeliveryQuerySchema,
  type NotifyPass,
  notifyPassSchema,
} from "../resources/message-delivery.js";
import { type Page, pageOf } from "../resources/page.js";
import { parse, parseNew } from "../resources/parse.js";
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
} from "../resources/pass.js";
import type { ImportUser } from "../resources/user.js";
import { transformCardSecrets } from "../sealing/row-secrets.js";
import { countCard } from "../statistics/count-deltas.js";
import type { InstallationStatus, StoredPass } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import { findUser } from "../tenant/find.js";
import type { Tenant } from "../tenant/tenant.js";
import { type CallsOf, type SyncCallsOf, UseCases } from "../tenant/use-cases.js";
import { extractPassCode, linkTo } from "../values/short-link.js";
import { isStorable } from "../values/text.js";
import { createLinkToken, ensureWalletCard } from "../wallets/card-issue.js";
import { changeInstallation } from "../wallets/installation.js";
import { findPass, type PassLookup, readPassDetail, toWalletPass } from "./find-pass.js";
import { issuePass } from "./issue-pass.js";
import { PassImport } from "./pass-import.js";
import { applySignUpChoices, type IssueOptions, insertSignUp } from "./sign-up.js";
import { findTemplate } from "./templates.js";

/** A customer from another program: the user to import, when they joined, and up to 20 of their cards. */
export type ImportCustomer = ImportUser & {
  /** A date such as `2024-05-31`, or a time with a time zone. */
  readonly createdAt?: string;
  readonly passes?: readonly ImportPass[];
};

export type ImportCustomers = Iterable<ImportCustomer> | AsyncIterable<ImportCustomer>;

export interface ImportPassesOptions extends ImportOptions {
  /**
   * `"all"` emits an event for each change, `"summary"` one `import.completed` at the end, `"none"` no events. Default: `"all"`.
   */
  readonly emit?: EmittedEvents;
  /** `true` emails each customer the link to every new card. Default: `false`. */
  readonly notify?: boolean;
}

/** The calls of {@link Passes}. */
export interface PassCalls extends CallsOf<Passes> {}

/** The calls of {@link Passes} in a synchronous transaction. */
export type SyncPasses = SyncCallsOf<Passes>;

/** Digital cards, each for one template and one user. */
export class Passes extends UseCases {
  /**
   * Issues a pass to a user. The user is identified by service id or external id, or is created in the same transaction.
   * @param input with `notify: true`, the link to the card is emailed to the user, in the same transaction.
   * @param options see {@link IssueOptions}.
   * @throws {LoyaltyError} `resource_not_found` for the template or the user; `mail_not_configured` only with `notify` (no other
   *   email problem prevents the pass from being issued); `user_already_exists`; `validation_failed`; `access_denied` without
   *   `pass:create`, and `pass:notify` for `notify`.
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
    const made = yield* tenant.changeStep(request, function* (tx, record): Step<CreatedPass> {
      const template = yield* findTemplate(tx, organizationId, templateId);
      if (notify) yield* requireMailTo(tenant, tx, owner.userId);
      // Customers who sign up on a page don't need to provide an email.
      if (owner.user !== undefined && joining === undefined)
        yield* assertHasEmail(tx, organizationId, owner.user, "user.email");
      const { user, known } =
        owner.user === undefined
          ? { user: yield* findUser(tx, organizationId, owner.userId ?? ""), known: null }
          : whenTaken === undefined
            ? { user: yield* insertUser(tenant, tx, record, owner.user), known: null }
            : yield* insertSignUp(tenant, tx, record, owner.user, whenTaken);
      const pass = yield* issuePass(tenant, tx, record, template, user, { isPreviewPass });
      const shown = toWalletPass(tenant, pass);
      if (joining !== undefined) {
        yield* applySignUpChoices(tenant, tx, record, { user, pass, known }, joining, notify);
        return shown;
      }
      return notify ? { ...shown, notification: yield* mailNewPass(tenant, tx, pass, user) } : shown;
    });
    if (notify) signalMailWork(tenant);
    return made;
  }

  /**
   * Returns the user's oldest pass for a template, or issues one; concurrent calls issue only one pass. Previews don't count. A
   * `user` matches the user with its `externalId`, otherwise the user with its email and no other `externalId`, who isn't changed;
   * if neither exists, the user is created.
   * @param input with `notify: true`, the user is emailed the link to the card, within the limits of {@link notify}.
   * @throws {LoyaltyError} `resource_not_found` for the template or the `userId`; `mail_not_configured` with `notify` only;
   *   `user_already_exists`; `validation_failed`; `access_denied` without `pass:create` and `pass:read`, and `pass:notify` for
   *   `notify`.
   */
  *ensure(templateId: string, input: CreatePass & IdempotencyOptions): Step<EnsuredPass> {
    const { tenant } = this;
    requireForMail(tenant, input);
    const owner = parseNew(createPassSchema, input);
    const { organizationId, engine } = tenant;
    const { notify = false } = owner;
    const request: KeyedRequest = ["passes.ensure", templateId, input];
    const ensured = yield* tenant.changeStep(request, function* (tx, record): Step<EnsuredPass> {
      const template = yield* findTemplate(tx, organizationId, templateId);
      if (notify) yield* requireMailTo(tenant, tx, owner.userId);
      if (owner.user !== undefined) yield* assertHasEmail(tx, organizationId, owner.user, "user.email");
      const user =
        owner.user === undefined
          ? yield* findUser(tx, organizationId, owner.userId ?? "")
          : ((yield* findExistingUser(tx, organizationId, owner.user)) ??
            (yield* insertUser(tenant, tx, record, owner.user)));
      const passes = yield* tx.passesOfUsers(organizationId, [user]);
      const known = passes.find((pass) => pass.templateId === template.id && !pass.isPreviewPass);
      const pass = known ?? (yield* issuePass(tenant, tx, record, template, user));
      const detail = walletPassDetailOf(pass, template, engine.shortLinks.current);
      return notify ? { ...detail, notification: yield* mailNewPass(tenant, tx, pass, user) } : detail;
    });
    if (notify) signalMailWork(tenant);
    return ensured;
  }

  /**
   * Emails a customer the link to their pass. Limits: one email a minute and three in 24 hours per pass, ten in 24 hours across all
   * of the customer's passes, including emails sent by sign-ups and by `notify` in other calls. It is a service email and needs no
   * consent.
   * @param input `language` is a BCP 47 tag. Default: the customer's language, or else the design's.
   * @returns the queued email.
   * @throws {LoyaltyError} the first of `resource_not_found`, `mail_not_configured`, `no_mail_address`, `address_suppressed`,
   *   `pass_notified_recently` and `too_many_pending_deliveries` that applies; `validation_failed`; `access_denied` without
   *   `pass:notify`.
   */
  *notify(passId: string, input: NotifyPass & IdempotencyOptions = {}): Step<MessageDelivery> {
    const { tenant } = this;
    const { language } = parse(notifyPassSchema, input);
    const { organizationId } = tenant;
    const delivery = yield* tenant.changeStep(["passes.notify", passId, input], function* (tx) {
      const pass = yield* findPass(tx, organizationId, passId);
      const user = yield* findUser(tx, organizationId, pass.userId);
      return messageDeliveryOf(yield* mailPass(tenant, tx, pass, user, language ?? null));
    });
    signalMailWork(tenant);
    return delivery;
  }

  /**
   * Lists the emails about a pass, newest first. They are stored for 400 days, or for the service's configured retention period.
   * @throws {LoyaltyError} `resource_not_found`; `validation_failed`; `access_denied` without `pass:read`.
   */
  async deliveries(passId: string, query: MessageDeliveryListQuery = {}): Promise<Page<MessageDelivery>> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { status = null, ...request } = parse(messageDeliveryQuerySchema, query);
    return tenant.read(function* (reader) {
      const pass = yield* findPass(reader, organizationId, passId);
      const found = yield* reader.messageDeliveriesOf(
        organizationId,
        { passId: pass.id },
        { status, ...request },
      );
      return pageOf(found.items.map(messageDeliveryOf), found.total, request);
    });
  }

  /**
   * Imports customers from another program with their cards: codes, balances or dated histories. Users and tags are imported as by
   * {@link Users.import}; a new user's `createdAt` must not be earlier than the newest existing one, so sort such rows oldest
   * first. A card is skipped if the user already has a pass for the template with the same code; a card without a code is skipped
   * if the user has any pass for the template. A ledger begins with the balance, so that its sums add up. Statistics count users
   * and cards on the day of the import, and no stamps.
   * @param options with `emit: "all"`, each user and pass emits its event, and a card with a balance emits one `stamp.added`.
   * @returns the same result as {@link Users.import}; problems with a card are keyed by its path, such as `passes.0.code`.
   * @throws {LoyaltyError} `access_denied` without `user:create`, `user:update`, `user_tag:write`, `pass:create` and
   *   `loyalty:manage`.
   * @throws whatever `rows`, `onProgress` or the storage throws; rows that are already imported stay.
   */
  async import(rows: ImportCustomers, options: ImportPassesOptions = {}): Promise<ImportResult> {
    const { tenant } = this;
    const { emit = "all", notify = false, ...rest } = options;
    if (notify) {
      tenant.require(["pass:notify"]);
      requireMail(tenant);
    }
    const mails = notify && rest.dryRun !== true;
    const extendRows: ExtendRows = (tx, record) => new PassImport(tenant, tx, record, mails);
    const kind = { extendRows, emit, schema: importCustomerSchema };
    const result = await importUsers(tenant, rows, rest, kind);
    if (mails) signalMailWork(tenant);
    return result;
  }

  /**
   * @param place with a `templateId`, passes for other templates are not found.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:read`.
   */
  async get(passId: string, place: PassLookup = {}): Promise<WalletPass> {
    const { tenant } = this;
    const pass = await runStep(findPass(tenant.storage, tenant.organizationId, passId, place));
    await runStep(tenant.assertOwn(tenant.storage, pass.userId, "wallet_pass", passId));
    return toWalletPass(tenant, pass);
  }

  /**
   * Lists a user's passes, oldest first, with their template, installation status and stamp progress.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:read`.
   */
  async ofUser(userId: string): Promise<WalletPassDetail[]> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.read(function* (reader) {
      const user = yield* findUser(reader, organizationId, userId);
      yield* tenant.assertOwn(reader, user.id, "user", userId);
      const templates = new Map<string, StoredTemplate>();
      const details: WalletPassDetail[] = [];
      for (const pass of yield* reader.passesOfUsers(organizationId, [user])) {
        const template =
          templates.get(pass.templateId) ?? (yield* findTemplate(reader, organizationId, pass.templateId));
        templates.set(template.id, template);
        details.push(walletPassDetailOf(pass, template, tenant.engine.shortLinks.current));
      }
      return details;
    });
  }

  /**
   * Finds a pass by its scanned QR value.
   * @param qrCodeValue the whole value, with the current or an earlier link base, or only the code. Surrounding white space, and
   *   anything after a slash, `?` or `#` that follows the code, are ignored.
   * @throws {LoyaltyError} `resource_not_found` if the value is unknown, revoked or has another link base; `access_denied` without
   *   `pass:read`.
   */
  *lookup(qrCodeValue: string): Step<WalletPassDetail> {
    const { tenant } = this;
    const { organizationId, engine } = tenant;
    const code = extractPassCode(qrCodeValue, engine.shortLinks);
    if (code === null || !isStorable(code)) throw notFound("wallet_pass", qrCodeValue, organizationId);
    return yield* tenant.readStep(function* (reader) {
      const pass = yield* reader.findPassByCode(organizationId, code);
      if (pass === null) throw notFound("wallet_pass", qrCodeValue, organizationId);
      yield* tenant.assertOwn(reader, pass.userId, "wallet_pass", qrCodeValue);
      return yield* readPassDetail(tenant, reader, pass);
    });
  }

  /**
   * Records that the pass was added to a wallet. Repeated calls change nothing and emit no event.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:update`.
   */
  async markInstalled(passId: string, options: IdempotencyOptions = {}): Promise<WalletPassDetail> {
    return this.setInstallation(passId, "INSTALLED", options);
  }

  /**
   * Records that the pass was removed from the wallet. Repeated calls change nothing and emit no event.
   * @throws {LoyaltyError} `resource_not_found`; `pass_never_installed`; `access_denied` without `pass:update`.
   */
  async markUninstalled(passId: string, options: IdempotencyOptions = {}): Promise<WalletPassDetail> {
    return this.setInstallation(passId, "UNINSTALLED", options);
  }

  /**
   * Revokes a pass: deletes it with its stamps, and its QR value stops resolving.
   * @param place with a `templateId`, passes for other templates are not found.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:delete`.
   */
  async delete(passId: string, place: PassLookup & IdempotencyOptions = {}): Promise<void> {
    const { organizationId } = this.tenant;
    await this.tenant.change(["passes.delete", passId, place], function* (tx, record) {
      const pass = yield* findPass(tx, organizationId, passId, place);
      yield* tx.deletePass(organizationId, pass.id);
      record("pass.revoked", revokedPassOf(pass), { cards: -countCard(pass) });
    });
  }

  /**
   * Returns the links that add the pass to a wallet. Anyone with the links can add the pass; the links stay the same until they are
   * revoked.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:read`.
   */
  async walletLinks(passId: string): Promise<WalletLinks> {
    const { tenant } = this;
    const { storage, organizationId, engine } = tenant;
    const pass = await runStep(findPass(storage, organizationId, passId));
    await runStep(tenant.assertOwn(storage, pass.userId, "wallet_pass", passId));
    if (!engine.wallets.isOn) return buildWalletLinks(tenant, pass, null);
    const known = await runStep(storage.findWalletCard(organizationId, pass.id));
    const keys = engine.secretKeys;
    if (known !== null)
      return buildWalletLinks(tenant, pass, transformCardSecrets(keys, "open", organizationId, known));
    return tenant.change(["passes.walletLinks"], function* (tx) {
      const current = yield* findPass(tx, organizationId, passId);
      return buildWalletLinks(tenant, current, yield* ensureWalletCard(tenant, tx, current));
    });
  }

  /**
   * Revokes the pass's current wallet links and creates new ones. Devices that already have the pass keep it.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:update`.
   */
  async revokeWalletLinks(passId: string, options: IdempotencyOptions = {}): Promise<WalletLinks> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.change(["passes.revokeWalletLinks", passId, options], function* (tx) {
      const pass = yield* findPass(tx, organizationId, passId);
      const card = yield* ensureWalletCard(tenant, tx, pass);
      const renewed = { ...card, linkToken: createLinkToken() };
      const sealed = transformCardSecrets(tenant.engine.secretKeys, "seal", organizationId, renewed);
      yield* tx.updateWalletCards(organizationId, [sealed]);
      return buildWalletLinks(tenant, pass, renewed);
    });
  }

  private async setInstallation(
    passId: string,
    status: InstallationStatus,
    options: IdempotencyOptions,
  ): Promise<WalletPassDetail> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.change(["passes.setInstallation", passId, status, options], function* (tx, record) {
      const before = yield* findPass(tx, organizationId, passId);
      if (before.installationStatus === status) return yield* readPassDetail(tenant, tx, before);
      if (status === "UNINSTALLED" && before.installationStatus === null)
        throw createLoyaltyError("pass_never_installed");
      const after = yield* changeInstallation(tenant, tx, record, before, status, null);
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
  const { wallets, shortLinks } = engine;
  const { apple, google } = card === null ? { apple: null, google: null } : wallets.linksOf(card);
  return { apple, google, page: linkTo(shortLinks.current, pass.code) };
}
