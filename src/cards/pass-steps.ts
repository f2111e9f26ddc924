import type { Step } from "../concurrency/step.js";
import { findKnownUser } from "../customers/known-user.js";
import { insertUser, type NewUser } from "../customers/user-changes.js";
import { isLoyaltyError, notFound } from "../errors.js";
import type { Recorder } from "../events/recording.js";
import type { Once, OnceRequest } from "../idempotency/idempotent-call.js";
import { parseNew } from "../resources/parse.js";
import {
  type CreatePass,
  createPassSchema,
  type WalletPass,
  type WalletPassDetail,
  walletPassDetailOf,
} from "../resources/pass.js";
import { type CreateUser, createUserSchema } from "../resources/user.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import { findUser } from "../tenant/find.js";
import type { Tenant } from "../tenant/tenant.js";
import { codeIn } from "../values/short-link.js";
import { fold, isStorable } from "../values/text.js";
import { detailedPass, shownPass } from "./found-pass.js";
import { issue } from "./issue.js";
import { findTemplate } from "./templates.js";

/** How a pass is issued. */
export interface IssueOptions {
  /** Whether it is only for looking at; false unless given. */
  readonly isPreviewPass?: boolean;
  /**
   * For a new user whose email somebody has: what the new user gets in place of it. Unless given, that is
   * `user_already_exists`. Both take the same steps, so how long it takes tells nobody whether the email is known.
   * @param ownerId the id of who has the email.
   */
  readonly whenTaken?: (ownerId: string) => Pick<CreateUser, "email" | "metadata">;
}

/** What is needed of passes in a transaction of a host, as steps. */
export const passSteps = {
  *create(
    tenant: Tenant,
    templateId: string,
    input: CreatePass & Once,
    { isPreviewPass = false, whenTaken }: IssueOptions = {},
  ): Step<WalletPass> {
    tenant.require("pass:create");
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
  },

  *ensure(tenant: Tenant, templateId: string, input: CreatePass & Once): Step<WalletPassDetail> {
    for (const scope of ["pass:create", "pass:read"] as const) tenant.require(scope);
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
  },

  *lookup(tenant: Tenant, qrCodeValue: string): Step<WalletPassDetail> {
    tenant.requireOwn("pass:read");
    const { organizationId, engine } = tenant;
    const code = codeIn(qrCodeValue, engine.shortLinks);
    if (code === null || !isStorable(code)) throw notFound("wallet_pass");
    return yield* tenant.reading(function* (reader) {
      const pass = yield* reader.findPassByCode(organizationId, code);
      if (pass === null) throw notFound("wallet_pass");
      yield* tenant.assertOwn(reader, pass.userId, "wallet_pass");
      return yield* detailedPass(tenant, reader, pass);
    });
  },
};

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
