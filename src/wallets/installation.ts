import type { Step } from "../concurrency/step.js";
import type { Recorder } from "../events/recording.js";
import { walletPassOf } from "../resources/pass.js";
import { installsOn } from "../statistics/counted.js";
import type { InstallationStatus, StoredPass } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { WalletPlatform } from "../storage/wallets.js";
import type { Tenant } from "../tenant/tenant.js";
import { laterThan } from "../values/clock.js";

/**
 * Sets the installation status of a pass, which has another one, and tells of it.
 * @param platform whose wallet it is about; `null` where the host says so.
 */
export function* changeInstallation(
  tenant: Tenant,
  tx: StorageTransaction,
  record: Recorder,
  before: StoredPass,
  installationStatus: InstallationStatus,
  platform: WalletPlatform | null,
): Step<StoredPass> {
  const updatedAt = laterThan(before.updatedAt, tenant.now());
  yield* tx.updateInstallation(tenant.organizationId, before.id, installationStatus, updatedAt);
  const after = { ...before, installationStatus, updatedAt };
  const data = { ...walletPassOf(after, tenant.engine.shortLinks.current), platform };
  if (installationStatus === "INSTALLED") record("pass.installed", data, installsOn(platform));
  else record("pass.uninstalled", data, {});
  return after;
}
