import type { Step } from "../concurrency/step.js";
import { findKnownUser } from "../customers/known-user.js";
import { insertUser } from "../customers/user-changes.js";
import { notFound } from "../errors.js";
import type { Once, OnceRequest } from "../idempotency/idempotent-call.js";
import { parseNew } from "../resources/parse.js";
import {
  type CreatePass,
  createPassSchema,
  type WalletPass,
  type WalletPassDetail,
  walletPassDetailOf,
} from "../resources/pass.js";
import { findUser } from "../tenant/find.js";
import type { Tenant } from "../tenant/tenant.js";
import { codeIn } from "../values/short-link.js";
import { isStorable } from "../values/text.js";
import { detailedPass, shownPass } from "./found-pass.js";
import { issue } from "./issue.js";
import { findTemplate } from "./templates.js";

/** What is needed of passes in a transaction of a host, as steps. */
export const passSteps = {
  *create(
    tenant: Tenant,
    templateId: string,
    input: CreatePass & Once,
    { isPreviewPass = false }: { readonly isPreviewPass?: boolean } = {},
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
          : yield* insertUser(tenant, tx, record, owner.user);
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
