import type { Step } from "../base/concurrency/step.js";
import { findTemplate } from "../kernel/find.js";
import type { Tenant } from "../kernel/tenant.js";
import { readPointCard } from "../points/points.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { type WalletPass, type WalletPassDetail, walletPassDetailOf, walletPassOf } from "./pass-schema.js";

/** Converts a stored pass to the API's format, including its QR value. */
export function toWalletPass({ engine }: Tenant, pass: StoredPass): WalletPass {
  return walletPassOf(pass, engine.config.shortLinks.current);
}

/** Returns a pass in the API's format, together with its template and stamp card. */
export function* readPassDetail(
  tenant: Tenant,
  reader: StorageReader,
  pass: StoredPass,
): Step<WalletPassDetail> {
  const { organizationId, engine } = tenant;
  const template = yield* findTemplate(reader, organizationId, pass.templateId);
  const pointCard = yield* readPointCard(reader, pass, template, tenant.now());
  return walletPassDetailOf(pass, template, engine.config.shortLinks.current, pointCard);
}
