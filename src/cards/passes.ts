import { run, type Step } from "../concurrency/step.js";
import type { ExtendRows } from "../customers/import/batch.js";
import { type ImportOptions, importUsers } from "../customers/import/import.js";
import type { ImportResult } from "../customers/import/total.js";
import { findKnownUser } from "../customers/known-user.js";
import { insertUser, type NewUser } from "../customers/user-changes.js";
import { failure, isLoyaltyError, notFound } from "../errors.js";
import type { Recorder } from "../events/recording.js";
import type { Once, OnceRequest } from "../idempotency/idempotent-call.js";
import { type ImportPass, importCustomerSchema } from "../resources/import.js";
import { parseNew } from "../resources/parse.js";
import {
  type CreatePass,
  createPassSchema,
  revokedPassOf,
  type WalletLinks,
  type WalletPass,
  type WalletPassDetail,
  walletPassDetailOf,
} from "../resources/pass.js";
import { type CreateUser, createUserSchema, type ImportUser } from "../resources/user.js";
import { cardSecrets } from "../sealing/sealed-rows.js";
import { cardsOf } from "../statistics/counted.js";
import type { InstallationStatus, StoredPass } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import { findUser } from "../tenant/find.js";
import type { Tenant } from "../tenant/tenant.js";
import { type CallsOf, type SyncCallsOf, UseCases } from "../tenant/use-cases.js";
import { codeIn } from "../values/short-link.js";
import { fold, isStorable } from "../values/text.js";
import { cardOfPass, newLinkToken } from "../wallets/card-issue.js";
import { changeInstallation } from "../wallets/installation.js";
import { detailedPass, findPass, type PassPlace, shownPass } from "./find-pass.js";
import { ImportPasses } from "./import.js";
import { issue } from "./issue.js";
import { findTemplate } from "./templates.js";

/** A customer of another programme: a user to import, since when it is one, and its cards, at most 20. */
export type ImportCustomer = ImportUser & {
  /** A day such as `2024-05-31`, or a time with its zone. */
  readonly createdAt?: string;
  readonly passes?: readonly ImportPass[];
};

export type ImportCustomers = Iterable<ImportCustomer> | AsyncIterable<ImportCustomer>;

export interface ImportPassesOptions extends ImportOptions {
  /** `true` sends an event for each change, `"summary"` one `import.completed` at the end, `false` none; `true` unless given. */
  readonly tells?: boolean | "summary";
}

export interface IssueOptions {
  /** A preview pass is only for looking at; `false` unless given. */
  readonly isPreviewPass?: boolean;
  /**
   * Returns what a new user gets in place of an email that somebody has. Unless given, such a call throws
   * `user_already_exists`. Both take the same steps, so how long it takes tells nobody whether the email is known.
   * @param ownerId the id of who has the email.
   */
  readonly whenTaken?: (ownerId: string) => Pick<CreateUser, "email" | "metadata">;
}

/** The calls of {@link Passes}. */
export type PassCalls = CallsOf<Passes>;

/** The calls of {@link Passes} in a transaction that is answered at once. */
export type SyncPasses = SyncCallsOf<Passes>;

/** Digital cards of one template and one user. */
export class Passes extends UseCases {
  /**
   * Issues a pass to a user, who is given by service id or external id, or created with it in one transaction.
   * @param options see {@link IssueOptions}.
   * @throws {LoyaltyError} `resource_not_found` for the template or the user; `user_already_exists`;
   *   `validation_failed`; `access_denied` without `pass:create`.
   */
  *create(
    templateId: string,
    input: CreatePass & Once,
    { isPreviewPass = false, whenTaken }: IssueOptions = {},
  ): Step<WalletPass> {
    const { tenant } = this;
    const owner = parseNew(createPassSchema, input);
    const { organizationId } = tenant;
    const request: OnceRequest = ["passes.create", templateId, isPreviewPass, input];
    return yield* tenant.changing(request, function* (tx, record) {
      const template = yield* findTemplate(tx, organizationId, templateId);
      const user =
        owner.user === undefined
          ? yield* findUser(tx, organizationId, owner.userId ?? "")
          : yield* whenTaken === undefined
              ? insertUser(tenant, tx, record, owner.user)
              : insertJoiner(tenant, tx, record, owner.user, whenTaken);
      return shownPass(tenant, yield* issue(tenant, tx, record, template, user, { isPreviewPass }));
    });
  }

  /**
   * The oldest pass of a template that a user has, or else a new one: of several calls at once one issues it. Previews don't
   * count. A `user` is whoever has its `externalId`, else its email and no other `externalId`, and stays as it is; when
   * nobody has, it is created.
   * @throws {LoyaltyError} `resource_not_found` for the template or the `userId`; `user_already_exists`;
   *   `validation_failed`; `access_denied` without `pass:create` and `pass:read`.
   */
  *ensure(templateId: string, input: CreatePass & Once): Step<WalletPassDetail> {
    const { tenant } = this;
    const owner = parseNew(createPassSchema, input);
    const { organizationId, engine } = tenant;
    return yield* tenant.changing(["passes.ensure", templateId, input], function* (tx, record) {
      const template = yield* findTemplate(tx, organizationId, templateId);
      const user =
        owner.user === undefined
          ? yield* findUser(tx, organizationId, owner.userId ?? "")
          : ((yield* findKnownUser(tx, organizationId, owner.user)) ??
            (yield* insertUser(tenant, tx, record, owner.user)));
      const passes = yield* tx.passesOfUsers(organizationId, [user]);
      const known = passes.find((pass) => pass.templateId === template.id && !pass.isPreviewPass);
      const pass = known ?? (yield* issue(tenant, tx, record, template, user));
      return walletPassDetailOf(pass, template, engine.shortLinks.current);
    });
  }

  /**
   * Brings the customers of another programme over, with the cards that they have: their codes, balances or dated histories.
   * Users and tags are taken as {@link Users.import} takes them; `createdAt` of a new user must not be before that of the
   * newest one there is, so such rows come oldest first. A card whose code the user has already on a pass of the template is
   * there from an import before, and stays as it is; so does any pass of the template for a card without a code. A ledger
   * begins with the balance, so its sums hold. The numbers of the statistics count users and cards on the day of the import,
   * and none of the stamps.
   * @param options `tells` is `false` for no events at all, and `summary` for one in the end; else each user and pass is told, and a card with a balance by one
   *   `stamp.added`.
   * @returns as {@link Users.import}; what is wrong with a card by its path, such as `passes.0.code`.
   * @throws {LoyaltyError} `access_denied` without `user:create`, `user:update`, `user_tag:write`, `pass:create` and
   *   `loyalty:manage`.
   * @throws what `rows` or `onProgress` throws, or the storage; what was imported until then stays.
   */
  async import(rows: ImportCustomers, options: ImportPassesOptions = {}): Promise<ImportResult> {
    const { tenant } = this;
    const { tells = true, ...rest } = options;
    const extendRows: ExtendRows = (tx, record) => new ImportPasses(tenant, tx, record);
    return importUsers(tenant, rows, rest, { extendRows, tells, schema: importCustomerSchema });
  }

  /**
   * @param place with a `templateId`, a pass of another template is not found.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:read`.
   */
  async get(passId: string, place: PassPlace = {}): Promise<WalletPass> {
    const { tenant } = this;
    const pass = await run(findPass(tenant.storage, tenant.organizationId, passId, place));
    await run(tenant.assertOwn(tenant.storage, pass.userId, "wallet_pass"));
    return shownPass(tenant, pass);
  }

  /**
   * The passes of a user, oldest first, with template, installation status and stamp progress.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:read`.
   */
  async ofUser(userId: string): Promise<WalletPassDetail[]> {
    const { tenant } = this;
    const { storage, organizationId } = tenant;
    return storage.snapshot(function* (reader) {
      const user = yield* findUser(reader, organizationId, userId);
      yield* tenant.assertOwn(reader, user.id, "user");
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
   * Finds the pass of a scanned QR value.
   * @param qrCodeValue the whole value, under the present link base or a former one, or its code alone; with spaces and
   *   line ends around it, a slash, a query or a fragment behind it.
   * @throws {LoyaltyError} `resource_not_found` when it is unknown, revoked or under a link base that is not ours;
   *   `access_denied` without `pass:read`.
   */
  *lookup(qrCodeValue: string): Step<WalletPassDetail> {
    const { tenant } = this;
    const { organizationId, engine } = tenant;
    const code = codeIn(qrCodeValue, engine.shortLinks);
    if (code === null || !isStorable(code)) throw notFound("wallet_pass");
    return yield* tenant.reading(function* (reader) {
      const pass = yield* reader.findPassByCode(organizationId, code);
      if (pass === null) throw notFound("wallet_pass");
      yield* tenant.assertOwn(reader, pass.userId, "wallet_pass");
      return yield* detailedPass(tenant, reader, pass);
    });
  }

  /**
   * Notes that the pass was added to a wallet. Doing it again changes nothing and tells nobody.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:update`.
   */
  async markInstalled(passId: string, options: Once = {}): Promise<WalletPassDetail> {
    return this.setInstallation(passId, "INSTALLED", options);
  }

  /**
   * Notes that the pass was removed from the wallet. Doing it again changes nothing and tells nobody.
   * @throws {LoyaltyError} `resource_not_found`; `pass_never_installed`; `access_denied` without `pass:update`.
   */
  async markUninstalled(passId: string, options: Once = {}): Promise<WalletPassDetail> {
    return this.setInstallation(passId, "UNINSTALLED", options);
  }

  /**
   * Revokes a pass: it is removed with its stamps, and its QR value stops resolving.
   * @param place with a `templateId`, a pass of another template is not found.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:delete`.
   */
  async delete(passId: string, place: PassPlace & Once = {}): Promise<void> {
    const { organizationId } = this.tenant;
    await this.tenant.change(["passes.delete", passId, place], function* (tx, record) {
      const pass = yield* findPass(tx, organizationId, passId, place);
      yield* tx.deletePass(organizationId, pass.id);
      record("pass.revoked", revokedPassOf(pass), { cards: -cardsOf(pass) });
    });
  }

  /**
   * Returns the links that add the pass to a wallet. Who has the links has the pass; they stay the same until they are revoked.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:read`.
   */
  async walletLinks(passId: string): Promise<WalletLinks> {
    const { tenant } = this;
    const { storage, organizationId, engine } = tenant;
    const pass = await run(findPass(storage, organizationId, passId));
    await run(tenant.assertOwn(storage, pass.userId, "wallet_pass"));
    if (!engine.wallets.isOn) return linksOf(tenant, pass, null);
    const known = await run(storage.findWalletCard(organizationId, pass.id));
    const keys = engine.secretKeys;
    if (known !== null) return linksOf(tenant, pass, cardSecrets(keys, "open", organizationId, known));
    return tenant.change(["passes.walletLinks"], function* (tx) {
      const current = yield* findPass(tx, organizationId, passId);
      return linksOf(tenant, current, yield* cardOfPass(tenant, tx, current));
    });
  }

  /**
   * Ends the links that the pass has had, and gives it others. Devices that have the pass keep it.
   * @throws {LoyaltyError} `resource_not_found`; `access_denied` without `pass:update`.
   */
  async revokeWalletLinks(passId: string, options: Once = {}): Promise<WalletLinks> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.change(["passes.revokeWalletLinks", passId, options], function* (tx) {
      const pass = yield* findPass(tx, organizationId, passId);
      const card = yield* cardOfPass(tenant, tx, pass);
      const renewed = { ...card, linkToken: newLinkToken() };
      const sealed = cardSecrets(tenant.engine.secretKeys, "seal", organizationId, renewed);
      yield* tx.updateWalletCards(organizationId, [sealed]);
      return linksOf(tenant, pass, renewed);
    });
  }

  private async setInstallation(
    passId: string,
    status: InstallationStatus,
    options: Once,
  ): Promise<WalletPassDetail> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.change(["passes.setInstallation", passId, status, options], function* (tx, record) {
      const before = yield* findPass(tx, organizationId, passId);
      if (before.installationStatus === status) return yield* detailedPass(tenant, tx, before);
      if (status === "UNINSTALLED" && before.installationStatus === null)
        throw failure("pass_never_installed");
      const after = yield* changeInstallation(tenant, tx, record, before, status, null);
      return yield* detailedPass(tenant, tx, after);
    });
  }
}

function linksOf({ engine }: Tenant, pass: StoredPass, card: StoredWalletCard | null): WalletLinks {
  const { wallets, shortLinks } = engine;
  const { apple, google } = card === null ? { apple: null, google: null } : wallets.linksOf(card);
  return { apple, google, page: `${shortLinks.current}/${pass.code}` };
}

/** Adds a user with the email, or with another one where somebody has it. */
function* insertJoiner(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  user: NewUser,
  whenTaken: NonNullable<IssueOptions["whenTaken"]>,
): Step<StoredUser> {
  const instead = (ownerId: string) => parseNew(createUserSchema, { ...user, ...whenTaken(ownerId) });
  const find = () => tx.findUserByEmail(tenant.organizationId, fold(user.email));
  const owner = yield* find();
  try {
    return yield* insertUser(tenant, tx, record, owner === null ? user : instead(owner.id));
  } catch (error) {
    // Somebody has taken it in between.
    const taker = owner === null && isLoyaltyError(error, "user_already_exists") ? yield* find() : null;
    if (taker === null) throw error;
    return yield* insertUser(tenant, tx, record, instead(taker.id));
  }
}
