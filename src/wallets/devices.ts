import { runStep, type Step } from "../concurrency/step.js";
import { noteSilentChange } from "../events/silent-changes.js";
import type { IdempotencyOptions } from "../idempotency/idempotent-call.js";
import { resolveActor } from "../resources/actor.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import {
  type StoredWalletDevice,
  type WalletDeviceKey,
  type WalletDeviceState,
  type WalletPlatform,
  walletJobs,
} from "../storage/wallets.js";
import type { Engine } from "../tenant/engine.js";
import { createCallContext, Tenant } from "../tenant/tenant.js";
import { applyDeferred, type ClaimedInstallation, syncWithDevices } from "./installation.js";
import { mayStillBeFetched } from "./revoked-cards.js";

/** The most devices of a pass that are kept; those that are gone make room. */
export const MAX_DEVICES = 50;

/** The most registrations that one expired push token ends in a transaction. */
const MAX_OF_TOKEN = 1_000;

const withPhone = resolveActor({ kind: "customer" });

export interface DeviceRegistration extends WalletDeviceKey {
  readonly pushToken: string | null;
}

/**
 * Stores the devices of each pass. Registrations change immediately; the installation status of the pass follows at a limited rate.
 */
export class WalletDevices {
  constructor(private readonly engine: Engine) {}

  /**
   * Notes that a device has a pass. A device that is new, or back again, gets a push, because it may have fetched an older
   * state just before.
   * @param once with the key of a message, which is then heeded once in all processes.
   * @returns `null` if there is no such pass; "full" when as many devices have it as may.
   */
  register(
    organizationId: string,
    { passId, platform, deviceId, pushToken }: DeviceRegistration,
    once: IdempotencyOptions = {},
  ): Promise<"new" | "known" | "full" | null> {
    const tenant = this.tenant(organizationId);
    const request = ["wallets.register", passId, platform, deviceId, once] as const;
    return tenant.change(request, function* (tx, record) {
      const pass = yield* tx.findPass(organizationId, passId);
      yield* tx.lockWalletQueue(organizationId, true);
      const card = yield* tx.findWalletCard(organizationId, passId);
      if (pass === null || card === null) return null;
      const devices = yield* tx.walletDevicesOf(organizationId, [passId]);
      const before = devices.find((device) => device.platform === platform && device.deviceId === deviceId);
      const isRegistered = before?.state === "registered";
      const now = tenant.now();
      if (isRegistered && before.pushToken === pushToken) {
        // The token is alive now, whatever is said of it as it was before.
        yield* tx.putWalletDevice(organizationId, { ...before, updatedAt: now });
        return "known";
      }
      if (before === undefined && !(yield* makeRoom(tx, organizationId, devices))) return "full";
      const notifiedRevision = isRegistered ? before.notifiedRevision : 0;
      yield* tx.putWalletDevice(organizationId, {
        ...{ passId, platform, deviceId, pushToken, notifiedRevision },
        state: "registered",
        createdAt: now,
        updatedAt: now,
      });
      // Only the first device of a pass has an event.
      yield* noteSilentChange(tx, organizationId, [passId]);
      const { revision } = card;
      if (revision > notifiedRevision && pushToken !== null) {
        const delivery = { passId, platform, revision, nextAttemptAt: now, createdAt: now };
        yield* tx.putJobs(organizationId, walletJobs, [delivery]);
      }
      yield* syncWithDevices(tenant, tx, record, pass, card);
      return isRegistered ? "known" : "new";
    });
  }

  /**
   * Records that a device no longer has a pass.
   * @param once as for {@link register}.
   * @returns false if it was not registered.
   */
  unregister(organizationId: string, key: WalletDeviceKey, once: IdempotencyOptions = {}): Promise<boolean> {
    return this.removeDevice(organizationId, key, "gone", () => true, once);
  }

  /**
   * Records whether a device has a pass, as its platform reports.
   * @param before a change of the device recorded after this time takes precedence.
   */
  async syncDevice(
    organizationId: string,
    key: WalletDeviceKey,
    has: boolean,
    before: number,
  ): Promise<void> {
    const isOlder = ({ updatedAt }: StoredWalletDevice) => updatedAt <= before;
    if (!has) {
      await this.removeDevice(organizationId, key, "gone", isOlder);
      return;
    }
    const devices = await runStep(this.engine.storage.walletDevicesOf(organizationId, [key.passId]));
    const known = devices.find(
      ({ platform, deviceId }) => platform === key.platform && deviceId === key.deviceId,
    );
    if (known !== undefined && !isOlder(known)) return;
    await this.register(organizationId, { ...key, pushToken: known?.pushToken ?? null });
  }

  /**
   * Notes that a push token was dead at a time, for all passes for which it was registered then or before.
   * @returns false if a pass has been registered with the token since then, so that it is alive again.
   */
  async invalidatePushToken(platform: WalletPlatform, pushToken: string, until: number): Promise<boolean> {
    const { storage } = this.engine;
    const registrations = await runStep(storage.walletDevicesOfToken(platform, pushToken, MAX_OF_TOKEN));
    for (const { organizationId, device } of registrations) {
      const isMeant = (current: StoredWalletDevice) =>
        current.pushToken === pushToken && current.updatedAt <= until;
      await this.removeDevice(organizationId, device, "token_dead", isMeant);
    }
    return (await runStep(storage.walletDevicesOfToken(platform, pushToken, 1))).length === 0;
  }

  /** Applies the deferred change of the installation of a pass, unless its devices have undone it. */
  applyDeferred(organizationId: string, claimed: ClaimedInstallation): Promise<void> {
    const tenant = this.tenant(organizationId);
    const request = ["wallets.tell", claimed.passId] as const;
    return tenant.change(request, (tx, record) => applyDeferred(tenant, tx, record, claimed));
  }

  /** @param isMeant gets the device as it is in the transaction. */
  private removeDevice(
    organizationId: string,
    key: WalletDeviceKey,
    state: WalletDeviceState,
    isMeant: (device: StoredWalletDevice) => boolean,
    once: IdempotencyOptions = {},
  ): Promise<boolean> {
    const tenant = this.tenant(organizationId);
    const { passId, platform, deviceId } = key;
    return tenant.change(["wallets.end", passId, platform, deviceId, once], function* (tx, record) {
      // First the pass: what locks the organization comes before what locks its queue.
      const pass = yield* tx.findPass(organizationId, key.passId);
      yield* tx.lockWalletQueue(organizationId, true);
      const devices = yield* tx.walletDevicesOf(organizationId, [key.passId]);
      const registered = devices.filter((device) => device.state === "registered");
      const device = registered.find(
        ({ platform, deviceId }) => platform === key.platform && deviceId === key.deviceId,
      );
      if (device === undefined || !isMeant(device)) return false;
      yield* tx.putWalletDevice(organizationId, { ...device, state, updatedAt: tenant.now() });
      yield* noteSilentChange(tx, organizationId, [passId]);
      const card = yield* tx.findWalletCard(organizationId, key.passId);
      if (registered.length > 1 || card === null) return true;
      if (pass !== null) yield* syncWithDevices(tenant, tx, record, pass, card);
      // No device fetches a revoked pass that is in no wallet.
      else if (!mayStillBeFetched(card, tenant.now())) yield* tx.deleteWalletCard(organizationId, key.passId);
      return true;
    });
  }

  private tenant(organizationId: string): Tenant {
    return new Tenant(this.engine, organizationId, "all", createCallContext({ actor: withPhone }));
  }
}

/** Takes away the device that has been gone longest, when there are as many as are kept. False when all have the pass. */
function* makeRoom(
  tx: StorageTransaction,
  organizationId: string,
  devices: readonly StoredWalletDevice[],
): Step<boolean> {
  if (devices.length < MAX_DEVICES) return true;
  const [oldest] = devices
    .filter(({ state }) => state !== "registered")
    .sort((a, b) => a.updatedAt - b.updatedAt);
  if (oldest === undefined) return false;
  return yield* tx.deleteWalletDevice(organizationId, oldest);
}
