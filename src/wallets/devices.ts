import { resolveActor } from "../access/actor-schema.js";
import { runStep, type Step } from "../base/concurrency/step.js";
import { recordSilentChange } from "../kernel/events/recording.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import type { BackendParts, Tenant } from "../kernel/tenant.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import {
  type StoredWalletDevice,
  type WalletDeviceKey,
  type WalletDeviceState,
  type WalletPlatform,
  walletJobs,
} from "../storage/wallets.js";
import { applyDeferred, type ClaimedInstallation, syncWithDevices } from "./installation.js";
import { mayStillBeFetched } from "./revoked-cards.js";

/** Maximum number of devices stored per pass. To make room for a new device, devices that no longer have the pass are removed. */
export const MAX_DEVICES_PER_PASS = 50;

/** Maximum number of registrations that are invalidated at a time for an expired push token. */
const MAX_REGISTRATIONS_PER_TOKEN = 1_000;

const customerActor = resolveActor({ kind: "customer" });

export interface DeviceRegistration extends WalletDeviceKey {
  readonly pushToken: string | null;
}

/**
 * Records which devices have each pass. Registrations take effect immediately, but changes to a pass's installation status are
 * rate-limited.
 */
export class WalletDevices {
  constructor(private readonly engine: Pick<BackendParts, "storage" | "openTenant">) {}

  /**
   * Records that a device has a pass. If the card has changed, a new or returning device receives a push, because it might have
   * just fetched an older version.
   * @param options options that can contain an idempotency key, which ensures that a request is handled only once across all
   *   processes.
   * @returns `"new"` if the device wasn't registered before, `"known"` if it was, `"full"` if the pass already has the maximum
   *   number of devices, or `null` if the pass or its card doesn't exist.
   */
  register(
    organizationId: string,
    { passId, platform, deviceId, pushToken }: DeviceRegistration,
    options: IdempotencyOptions = {},
  ): Promise<"new" | "known" | "full" | null> {
    const tenant = this.openTenant(organizationId);
    const request = ["wallets.register", passId, platform, deviceId, options] as const;
    return tenant.change(request, function* (change) {
      const { tx } = change;
      const pass = yield* tx.findPass(passId);
      yield* tx.lockQueue(walletJobs);
      const card = yield* tx.findWalletCard(passId);
      if (pass === null || card === null) return null;
      const devices = yield* tx.walletDevicesOf([passId]);
      const existingDevice = devices.find(
        (device) => device.platform === platform && device.deviceId === deviceId,
      );
      const isRegistered = existingDevice?.state === "registered";
      const now = tenant.now();
      if (isRegistered && existingDevice.pushToken === pushToken) {
        // The registration proves that the token is valid now, which overrides earlier reports that it has expired.
        yield* tx.putWalletDevice({ ...existingDevice, updatedAt: now });
        return "known";
      }
      if (existingDevice === undefined && !(yield* makeRoom(tx, devices))) return "full";
      const notifiedRevision = isRegistered ? existingDevice.notifiedRevision : 0;
      yield* tx.putWalletDevice({
        ...{ passId, platform, deviceId, pushToken, notifiedRevision },
        state: "registered",
        createdAt: now,
        updatedAt: now,
      });
      // Note the change even without an event, because only a pass's first device causes one.
      yield* recordSilentChange(tx, [passId]);
      const { revision } = card;
      if (revision > notifiedRevision && pushToken !== null) {
        const delivery = { passId, platform, revision, nextAttemptAt: now, createdAt: now };
        yield* tx.putJobs(walletJobs, [delivery]);
      }
      yield* syncWithDevices(change, pass, card);
      return isRegistered ? "known" : "new";
    });
  }

  /**
   * Records that a device no longer has a pass.
   * @param options options that can contain an idempotency key, as in {@link register}.
   * @returns `false` if the device wasn't registered.
   */
  unregister(
    organizationId: string,
    key: WalletDeviceKey,
    options: IdempotencyOptions = {},
  ): Promise<boolean> {
    return this.removeDevice(organizationId, key, "gone", () => true, options);
  }

  /**
   * Records whether a device has a pass, as reported by the device's platform.
   * @param reportedAt the time of the report. The report is ignored if a later change to the device has already been recorded.
   */
  async syncDevice(
    organizationId: string,
    key: WalletDeviceKey,
    hasPass: boolean,
    reportedAt: number,
  ): Promise<void> {
    const isUnchangedSinceReport = ({ updatedAt }: StoredWalletDevice) => updatedAt <= reportedAt;
    if (!hasPass) {
      await this.removeDevice(organizationId, key, "gone", isUnchangedSinceReport);
      return;
    }
    const devices = await runStep(this.engine.storage.reader(organizationId).walletDevicesOf([key.passId]));
    const device = devices.find(
      ({ platform, deviceId }) => platform === key.platform && deviceId === key.deviceId,
    );
    if (device !== undefined && !isUnchangedSinceReport(device)) return;
    await this.register(organizationId, { ...key, pushToken: device?.pushToken ?? null });
  }

  /**
   * Marks a push token as invalid after the platform has reported it. This applies to all passes that were registered with the
   * token at the time of the report.
   * @param reportedAt the time of the report. Registrations that were updated later keep the token.
   * @returns `false` if a registration still uses the token, which means that it has become valid again.
   */
  async invalidatePushToken(
    platform: WalletPlatform,
    pushToken: string,
    reportedAt: number,
  ): Promise<boolean> {
    const { storage } = this.engine;
    const registrations = await runStep(
      storage.all.walletDevicesOfToken(platform, pushToken, MAX_REGISTRATIONS_PER_TOKEN),
    );
    for (const { organizationId, device } of registrations) {
      const isAffected = (current: StoredWalletDevice) =>
        current.pushToken === pushToken && current.updatedAt <= reportedAt;
      await this.removeDevice(organizationId, device, "token_dead", isAffected);
    }
    return (await runStep(storage.all.walletDevicesOfToken(platform, pushToken, 1))).length === 0;
  }

  /**
   * Applies a deferred change to a pass's installation status, unless later changes to the pass's devices have made it unnecessary.
   */
  applyDeferred(organizationId: string, claimed: ClaimedInstallation): Promise<void> {
    const tenant = this.openTenant(organizationId);
    const request = ["wallets.applyDeferred", claimed.passId] as const;
    return tenant.change(request, (change) => applyDeferred(change, claimed));
  }

  /** @param isAffected receives the device's current state within the transaction. If it returns false, nothing changes. */
  private removeDevice(
    organizationId: string,
    key: WalletDeviceKey,
    state: WalletDeviceState,
    isAffected: (device: StoredWalletDevice) => boolean,
    options: IdempotencyOptions = {},
  ): Promise<boolean> {
    const tenant = this.openTenant(organizationId);
    const { passId, platform, deviceId } = key;
    return tenant.change(["wallets.end", passId, platform, deviceId, options], function* (change) {
      const { tx } = change;
      // Read the pass first, because the organization must be locked before its queue.
      const pass = yield* tx.findPass(key.passId);
      yield* tx.lockQueue(walletJobs);
      const devices = yield* tx.walletDevicesOf([key.passId]);
      const registeredDevices = devices.filter((device) => device.state === "registered");
      const device = registeredDevices.find(
        ({ platform, deviceId }) => platform === key.platform && deviceId === key.deviceId,
      );
      if (device === undefined || !isAffected(device)) return false;
      yield* tx.putWalletDevice({ ...device, state, updatedAt: tenant.now() });
      yield* recordSilentChange(tx, [passId]);
      const card = yield* tx.findWalletCard(key.passId);
      if (registeredDevices.length > 1 || card === null) return true;
      if (pass !== null) yield* syncWithDevices(change, pass, card);
      // A revoked pass that is in no wallet won't be fetched again.
      else if (!mayStillBeFetched(card, tenant.now())) yield* tx.deleteWalletCard(key.passId);
      return true;
    });
  }

  private openTenant(organizationId: string): Tenant {
    return this.engine.openTenant(organizationId, customerActor);
  }
}

/**
 * Makes room for a new device. If the limit is reached, removes the device that was unregistered longest ago.
 * @returns `false` if all stored devices still have the pass.
 */
function* makeRoom(tx: StorageTransaction, devices: readonly StoredWalletDevice[]): Step<boolean> {
  if (devices.length < MAX_DEVICES_PER_PASS) return true;
  const [oldest] = devices
    .filter(({ state }) => state !== "registered")
    .sort((a, b) => a.updatedAt - b.updatedAt);
  if (oldest === undefined) return false;
  return yield* tx.deleteWalletDevice(oldest);
}
