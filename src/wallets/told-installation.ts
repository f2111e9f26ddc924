import type { Step } from "../concurrency/step.js";
import type { Recorder } from "../events/recording.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import {
  type StoredWalletCard,
  type StoredWalletDevice,
  type WalletOutcome,
  type WalletPlatform,
  walletJobs,
} from "../storage/wallets.js";
import type { Tenant } from "../tenant/tenant.js";
import { changeInstallation } from "./installation.js";
import { mayTellAt, toldUntilAfter } from "./installation-pace.js";

/**
 * Tells what the devices of a pass make of its installation, if that is new. What came too soon after the last change is left
 * to a worker, which looks again when it may be told: what has come back by then is not told at all.
 */
export function* tellInstallation(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  pass: StoredPass,
  card: StoredWalletCard,
): Step<void> {
  const { organizationId } = tenant;
  const devices = yield* tx.walletDevicesOf(organizationId, [pass.id]);
  const isHeld = devices.some(({ state }) => state === "registered");
  const isKnown = isHeld === (pass.installationStatus === "INSTALLED");
  if (isKnown) return;
  const now = tenant.now();
  const at = mayTellAt(card, pass, now);
  if (at > now) {
    if (card.installationDueAt !== null && card.installationDueAt > now) return;
    yield* tx.updateWalletCards(organizationId, [{ ...card, installationDueAt: at }]);
    // Phones are told of nothing by it, but whoever claims it looks at the installation.
    const delivery = { passId: pass.id, revision: card.revision, nextAttemptAt: at, createdAt: now };
    yield* tx.putJobs(organizationId, walletJobs, [{ ...delivery, platform: "apple" }]);
    return;
  }
  const status = isHeld ? "INSTALLED" : "UNINSTALLED";
  yield* changeInstallation(tenant, tx, record, pass, status, lastToSay(devices, isHeld));
  yield* tx.updateWalletCards(organizationId, [{ ...card, toldUntil: toldUntilAfter(card, now) }]);
}

/** Tells what was held back of a pass, as far as it is still so. It may have to be held back once more. */
export function* tellHeldBack(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  passId: string,
): Step<void> {
  const { organizationId } = tenant;
  // First the pass: what locks the organization comes before what locks its queue.
  const pass = yield* tx.findPass(organizationId, passId);
  yield* tx.lockWalletQueue(organizationId, true);
  const found = yield* tx.findWalletCard(organizationId, passId);
  if (found === null) return;
  const card = { ...found, installationDueAt: null };
  yield* tx.updateWalletCards(organizationId, [card]);
  if (pass !== null) yield* tellInstallation(tenant, tx, record, pass, card);
}

/** True when a change that was held back of a card may be told now. */
export function isTellingDue({ installationDueAt }: StoredWalletCard, now: number): boolean {
  return installationDueAt !== null && installationDueAt <= now;
}

/** When the delivery of a card is due again, in view of what is held back of the card. */
export function dueWithHeldBack(
  { installationDueAt }: Pick<StoredWalletCard, "installationDueAt">,
  { nextAttemptAt }: WalletOutcome,
): number | null {
  if (installationDueAt === null) return nextAttemptAt;
  return Math.min(installationDueAt, nextAttemptAt ?? installationDueAt);
}

/** The platform of the device whose word made it so; `null` where nothing is kept of it. */
function lastToSay(devices: readonly StoredWalletDevice[], isHeld: boolean): WalletPlatform | null {
  const sayers = devices.filter(({ state }) => (state === "registered") === isHeld);
  const [last] = sayers.sort((a, b) => b.updatedAt - a.updatedAt);
  return last?.platform ?? null;
}
