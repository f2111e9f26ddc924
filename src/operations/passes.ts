import * as z from "zod";
import type { PassLookup } from "../cards/find-pass.js";
import type { IssueOptions } from "../cards/joiners.js";
import type { ImportPassesOptions } from "../cards/passes.js";
import type { Once } from "../idempotency/idempotent-call.js";
import {
  messageDeliveryPageSchema,
  messageDeliveryQuerySchema,
  messageDeliverySchema,
  notifyPassSchema,
} from "../resources/message-delivery.js";
import { parse } from "../resources/parse.js";
import {
  createdPassSchema,
  createPassSchema,
  ensuredPassSchema,
  passLookupSchema,
  setInstallationSchema,
  walletLinksSchema,
  walletPassDetailSchema,
  walletPassSchema,
} from "../resources/pass.js";
import { keysBeside } from "../resources/unknown-keys.js";
import type { Scope } from "../scopes.js";
import { options, rows, text } from "./arguments.js";
import { change, importOptions, type Operations, once } from "./operation.js";

/** The operations on wallet passes. */
export const passOperations = {
  ofUser: {
    operationId: "listPassesOfUser",
    tag: "Users",
    summary: "List a user's passes",
    answer: "The user's passes, oldest first, each with its template and stamp progress.",
    scope: "pass:read",
    isForUsers: true,
    result: z.array(walletPassDetailSchema),
    errors: ["resource_not_found"],
  },
  create: {
    operationId: "createWalletPass",
    summary: "Create a wallet pass",
    description: [
      "Takes exactly one of `userId` (service id or external id of an existing user) and `user`,",
      "who is created together with the pass. `notify: true` mails the user the link to the card, for which the scope",
      "`pass:notify` is needed too; the answer then tells what became of that.",
    ].join(" "),
    answer: "The new pass.",
    scope: "pass:create",
    scopesFor: scopesToNotify,
    body: createPassSchema,
    status: 201,
    result: createdPassSchema,
    errors: ["resource_not_found", "user_already_exists", "mail_not_configured"],
    arguments: [
      change(createPassSchema, createdPassSchema),
      options(keysBeside<IssueOptions>({ isPreviewPass: true, whenTaken: true, joining: true })),
    ],
  },
  ensure: {
    operationId: "ensureWalletPass",
    summary: "Get a user's pass of a template, or create it",
    description: [
      "Takes exactly one of `userId` (service id or external id of an existing user) and `user`, who is looked for by",
      "`externalId` and email, stays as it is when it is known, and is created when it is not. Previews don't count.",
      "The scope `pass:read` is needed too, and `pass:notify` for `notify: true`, which mails the user the link to the card.",
    ].join(" "),
    answer: "The user's oldest pass of the template, which may be new.",
    scope: ["pass:create", "pass:read"],
    scopesFor: scopesToNotify,
    body: createPassSchema,
    result: ensuredPassSchema,
    errors: ["resource_not_found", "user_already_exists", "mail_not_configured"],
  },
  getOfTemplate: {
    call: "get",
    operationId: "getWalletPassOfTemplate",
    summary: "Get a pass (with template)",
    description: "A pass of another template is not found.",
    answer: "The pass.",
    result: walletPassSchema,
    errors: ["resource_not_found"],
    handle: ({ passes }, { params }) => passes.get(params.walletPassId, params),
  },
  deleteOfTemplate: {
    call: "delete",
    operationId: "deleteWalletPassOfTemplate",
    summary: "Delete a pass (with template)",
    description: "A pass of another template is not found.",
    answer: "The pass is revoked.",
    result: null,
    errors: ["resource_not_found"],
    handle: ({ passes }, { params }) => passes.delete(params.walletPassId, params),
  },
  getByCode: {
    call: "lookup",
    operationId: "lookUpWalletPass",
    summary: "Look up a scanned pass",
    answer: "The pass with this QR code value, with its template and stamp progress.",
    query: passLookupSchema,
    result: walletPassDetailSchema,
    errors: ["resource_not_found"],
    handle: async ({ passes }, { query }) => passes.lookup(parse(passLookupSchema, query).qrCodeValue),
  },
  get: {
    operationId: "getWalletPass",
    summary: "Get a pass (direct)",
    answer: "The pass.",
    scope: "pass:read",
    isForUsers: true,
    result: walletPassSchema,
    errors: ["resource_not_found"],
    arguments: [options(keysBeside<PassLookup>({ templateId: true }), "place")],
  },
  delete: {
    operationId: "deleteWalletPass",
    summary: "Delete a pass (direct)",
    answer: "The pass is revoked.",
    scope: "pass:delete",
    result: null,
    errors: ["resource_not_found"],
    arguments: [options(keysBeside<PassLookup & Once>({ templateId: true, idempotencyKey: true }), "place")],
  },
  walletLinks: {
    operationId: "getWalletLinks",
    summary: "Get the links by which a pass is added to a wallet",
    description: "`null` stands for a wallet that the server does not have. Who has the links has the pass.",
    answer: "The links, and the page of the card.",
    scope: "pass:read",
    isForUsers: true,
    result: walletLinksSchema,
    errors: ["resource_not_found"],
  },
  revokeWalletLinks: {
    operationId: "revokeWalletLinks",
    summary: "Revoke the links by which a pass is added to a wallet",
    description: "The pass has others from then on. Devices that have the pass keep it.",
    answer: "The new links.",
    scope: "pass:update",
    result: walletLinksSchema,
    errors: ["resource_not_found"],
  },
  setInstallation: {
    call: "markInstalled",
    operationId: "setWalletPassInstallation",
    summary: "Note that a pass was added to a wallet or removed from it",
    description: "Setting the status that the pass has already changes nothing.",
    answer: "The pass as it is now, with its template and stamp progress.",
    body: setInstallationSchema,
    result: walletPassDetailSchema,
    errors: ["resource_not_found", "pass_never_installed"],
    handle: async ({ passes }, { params, body }) =>
      parse(setInstallationSchema, body).status === "INSTALLED"
        ? passes.markInstalled(params.walletPassId)
        : passes.markUninstalled(params.walletPassId),
  },
  notify: {
    operationId: "notifyWalletPass",
    summary: "Mail a user the link to a pass",
    description: [
      "It needs no body. A pass is mailed at most once a minute and three times in 24 hours, and a customer gets at most ten such",
      "mails in 24 hours. It is a service mail: nobody has to have agreed to it.",
    ].join(" "),
    answer: "The mail, which is still to be sent.",
    scope: "pass:notify",
    body: notifyPassSchema,
    needsNoBody: true,
    status: 202,
    location: "/v1/message-deliveries",
    result: messageDeliverySchema,
    errors: [
      "resource_not_found",
      "mail_not_configured",
      "no_mail_address",
      "address_suppressed",
      "pass_notified_recently",
      "too_many_pending_deliveries",
    ],
  },
  deliveries: {
    operationId: "listDeliveriesOfWalletPass",
    summary: "List the mails about a pass",
    answer: "One page of mails, newest first.",
    scope: "pass:read",
    query: messageDeliveryQuerySchema,
    result: messageDeliveryPageSchema,
    errors: ["resource_not_found"],
  },
  lookup: { scope: "pass:read", isForUsers: true, arguments: [text("qrCodeValue")] },
  markInstalled: { scope: "pass:update", arguments: [text("passId"), once] },
  markUninstalled: { scope: "pass:update", arguments: [text("passId"), once] },
  import: {
    scope: ["user:create", "user:update", "user_tag:write", "pass:create", "loyalty:manage"],
    arguments: [
      rows,
      options(keysBeside<ImportPassesOptions>({ ...importOptions, emit: true, notify: true })),
    ],
  },
} satisfies Operations<"passes">;

function scopesToNotify(body: unknown): readonly Scope[] {
  const notifies = typeof body === "object" && body !== null && "notify" in body && body.notify === true;
  return notifies ? ["pass:notify"] : [];
}
