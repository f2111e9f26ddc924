import * as z from "zod";
import { parse } from "../base/parse.js";
import type { Scope } from "../base/scopes.js";
import { createKeyChecker } from "../base/unknown-keys.js";
import type { PassLookup } from "../kernel/find.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { defineChange, idempotencyOptions, importOptions, type Operations } from "../kernel/operation.js";
import { optionsArgument, rowsArgument, textArgument } from "../kernel/operation-arguments.js";
import {
  messageDeliveryPageSchema,
  messageDeliveryQuerySchema,
  messageDeliverySchema,
  notifyPassSchema,
} from "../messages/delivery-schema.js";
import type { IssueOptions } from "./issue-pass.js";
import {
  createdPassSchema,
  createPassSchema,
  ensuredPassSchema,
  passLookupSchema,
  setInstallationSchema,
  walletLinksSchema,
  walletPassDetailSchema,
  walletPassSchema,
} from "./pass-schema.js";
import type { ImportPassesOptions } from "./passes.js";

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
    summary: "Create a pass",
    description:
      "Provide either `userId` (the ID or external ID of an existing user) or `user`, to create a user " +
      "along with the pass. With `notify: true`, the user is emailed a link to the card, and the response " +
      "includes the result. This also requires the `pass:notify` scope.",
    answer: "The new pass.",
    scope: "pass:create",
    scopesFor: scopesToNotify,
    body: createPassSchema,
    status: 201,
    result: createdPassSchema,
    errors: ["resource_not_found", "user_already_exists", "mail_not_configured"],
    arguments: [
      defineChange(createPassSchema, createdPassSchema),
      optionsArgument(
        createKeyChecker<IssueOptions>({ isPreviewPass: true, whenTaken: true, joining: true }),
      ),
    ],
  },
  ensure: {
    operationId: "ensureWalletPass",
    summary: "Get or create a user's pass",
    description:
      "Provide either `userId` (the ID or external ID of an existing user) or `user`. If a user with the " +
      "same `externalId` or email address exists, that user is used unchanged; otherwise, a user is " +
      "created. Preview passes are ignored. Also requires the `pass:read` scope. With `notify: true`, the " +
      "user is emailed a link to the card, which also requires the `pass:notify` scope.",
    answer: "The user's oldest pass from this template, or a new one.",
    scope: ["pass:create", "pass:read"],
    scopesFor: scopesToNotify,
    body: createPassSchema,
    result: ensuredPassSchema,
    errors: ["resource_not_found", "user_already_exists", "mail_not_configured"],
  },
  getOfTemplate: {
    call: "get",
    operationId: "getWalletPassOfTemplate",
    summary: "Get a template's pass",
    description: "Fails with `resource_not_found` if the pass belongs to another template.",
    answer: "The pass.",
    result: walletPassSchema,
    errors: ["resource_not_found"],
    handle: ({ passes }, { params }) => passes.get(params.walletPassId, params),
  },
  deleteOfTemplate: {
    call: "delete",
    operationId: "deleteWalletPassOfTemplate",
    summary: "Delete a template's pass",
    description: "Fails with `resource_not_found` if the pass belongs to another template.",
    answer: "The pass was revoked.",
    result: null,
    errors: ["resource_not_found"],
    handle: ({ passes }, { params }) => passes.delete(params.walletPassId, params),
  },
  getByCode: {
    call: "lookup",
    operationId: "lookUpWalletPass",
    summary: "Look up a scanned pass",
    answer: "The pass with this QR code, along with its template and stamp progress.",
    query: passLookupSchema,
    result: walletPassDetailSchema,
    errors: ["resource_not_found"],
    handle: async ({ passes }, { query }) => passes.lookup(parse(passLookupSchema, query).qrCodeValue),
  },
  get: {
    operationId: "getWalletPass",
    summary: "Get a pass",
    answer: "The pass.",
    scope: "pass:read",
    isForUsers: true,
    result: walletPassSchema,
    errors: ["resource_not_found"],
    arguments: [optionsArgument(createKeyChecker<PassLookup>({ templateId: true }), "place")],
  },
  delete: {
    operationId: "deleteWalletPass",
    summary: "Delete a pass",
    answer: "The pass was revoked.",
    scope: "pass:delete",
    result: null,
    errors: ["resource_not_found"],
    arguments: [
      optionsArgument(
        createKeyChecker<PassLookup & IdempotencyOptions>({ templateId: true, idempotencyKey: true }),
        "place",
      ),
    ],
  },
  walletLinks: {
    operationId: "getWalletLinks",
    summary: "Get a pass's wallet links",
    description:
      "A link is `null` if its wallet isn't configured. Anyone with a link can add the pass to their " +
      "wallet.",
    answer: "The links for each wallet, and the link to the card page.",
    scope: "pass:read",
    isForUsers: true,
    result: walletLinksSchema,
    errors: ["resource_not_found"],
  },
  revokeWalletLinks: {
    operationId: "revokeWalletLinks",
    summary: "Revoke a pass's wallet links",
    description:
      "Revokes the current links and creates new ones. Devices that already have the pass keep it.",
    answer: "The new links.",
    scope: "pass:update",
    result: walletLinksSchema,
    errors: ["resource_not_found"],
  },
  setInstallation: {
    call: "markInstalled",
    operationId: "setWalletPassInstallation",
    summary: "Set a pass's installation status",
    description: "Setting the same status again has no effect.",
    answer: "The updated pass, along with its template and stamp progress.",
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
    summary: "Email a user a link to their pass",
    description:
      "A pass can be emailed at most once per minute and three times in 24 hours, and a customer can " +
      "receive at most ten of these emails in 24 hours. These emails are transactional, so they don't " +
      "require consent. The request body is optional.",
    answer: "The pending email.",
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
    summary: "List emails about a pass",
    answer: "A page of emails, newest first.",
    scope: "pass:read",
    query: messageDeliveryQuerySchema,
    result: messageDeliveryPageSchema,
    errors: ["resource_not_found"],
  },
  lookup: { scope: "pass:read", isForUsers: true, arguments: [textArgument("qrCodeValue")] },
  markInstalled: { scope: "pass:update", arguments: [textArgument("passId"), idempotencyOptions] },
  markUninstalled: { scope: "pass:update", arguments: [textArgument("passId"), idempotencyOptions] },
  import: {
    scope: ["user:create", "user:update", "user_tag:write", "pass:create", "loyalty:manage"],
    arguments: [
      rowsArgument,
      optionsArgument(createKeyChecker<ImportPassesOptions>({ ...importOptions, emit: true, notify: true })),
    ],
  },
} satisfies Operations<"passes">;

function scopesToNotify(body: unknown): readonly Scope[] {
  const notify = typeof body === "object" && body !== null && "notify" in body && body.notify === true;
  return notify ? ["pass:notify"] : [];
}
