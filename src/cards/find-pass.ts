import type { Step } from "../base/concurrency/step.js";
import { notFound } from "../base/errors.js";
import { isStorable } from "../base/values/text.js";
import { linkUserToCall } from "../kernel/idempotency/call-outcome.js";
import type { Tenant } from "../kernel/tenant.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { type WalletPass, type WalletPassDetail, walletPassDetailOf, walletPassOf } from "./pass-schema.js";
import { findTemplate } from "./templates.js";

/** Options that restrict a pass lookup to one template's passes. */
export interface PassLookup {
  readonly templateId?: string;
}

/** Converts a stored pass to the API's format, including its QR value. */
export function toWalletPass({ engine }: Tenant, pass: StoredPass): WalletPass {
  return walletPassOf(pass, engine.config.shortLinks.current);
}

/** Returns a pass in the API's format, together with its template and stamp card. */
export function* readPassDetail(
  { organizationId, engine }: Tenant,
  reader: StorageReader,
  pass: StoredPass,
): Step<WalletPassDetail> {
  const template = yield* findTemplate(reader, organizationId, pass.templateId);
  return walletPassDetailOf(pass, template, engine.config.shortLinks.current);
}

/**
 * Finds a pass by its ID. `templateId` restricts the lookup to one template's passes.
 * @throws {LoyaltyError} `resource_not_found` if the pass doesn't exist or wasn't issued from the given template.
 */
export function* findPass(
  reader: StorageReader,
  organizationId: string,
  passId: string,
  { templateId }: PassLookup = {},
): Step<StoredPass> {
  const pass = isStorable(passId) ? yield* reader.findPass(passId) : null;
  if (pass === null || (templateId !== undefined && pass.templateId !== templateId))
    throw notFound("wallet_pass", passId, organizationId);
  linkUserToCall(reader, pass.userId);
  return pass;
}
