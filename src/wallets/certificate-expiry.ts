import { resolveActor } from "../access/actor-schema.js";
import { runStep } from "../base/concurrency/step.js";
import { hashRequest } from "../base/secrets/idempotency-seal.js";
import { timestamp } from "../base/values/clock.js";
import { tryStartCooldown } from "../kernel/cooldowns.js";
import type { BackendParts } from "../kernel/tenant.js";
import type { WalletCertificate } from "./schema.js";

const PAGE = 200;

/** Cooldown for reports, in milliseconds. It must be longer than the day that it covers. */
const REMEMBERED_MS = 48 * 3_600_000;

const worker = resolveActor({ kind: "worker", id: "wallets" });

/**
 * Records the event `wallet_certificate.expiring` for organizations that have wallet cards. Each organization receives the event at
 * most once a day, even if several processes call this function.
 * @param operator the ID of the only organization that should receive the event, or `null` for all organizations that have wallet
 *   cards.
 */
export async function reportExpiry(
  engine: Pick<BackendParts, "storage" | "clock" | "openTenant">,
  certificate: WalletCertificate,
  operator: string | null,
): Promise<void> {
  const day = timestamp(engine.clock()).slice(0, "YYYY-MM-DD".length);
  if (operator !== null) return report(engine, operator, certificate, day);
  for (let after = ""; ; ) {
    const organizations = await runStep(engine.storage.organizationsWithWallets(after, PAGE));
    for (const organizationId of organizations) await report(engine, organizationId, certificate, day);
    const last = organizations.at(-1);
    if (last === undefined || organizations.length < PAGE) return;
    after = last;
  }
}

async function report(
  engine: Pick<BackendParts, "clock" | "openTenant">,
  organizationId: string,
  certificate: WalletCertificate,
  day: string,
): Promise<void> {
  const { platform, name, expiresAt } = certificate;
  const key = hashRequest(["certificate expiring", day, platform, expiresAt, name]);
  const now = engine.clock();
  await engine
    .openTenant(organizationId, worker)
    .change(["wallets.certificateExpiring"], function* (tx, record) {
      const isNew = yield* tryStartCooldown(tx, organizationId, key, { now, until: now + REMEMBERED_MS });
      if (isNew) record("wallet_certificate.expiring", certificate);
      return null;
    });
}
