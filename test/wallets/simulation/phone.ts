import type { WalletBackend } from "../../../src/wallets/wallet-backend.js";

/** A phone as far as deliveries go: it has passes, and asks what changed when it is pushed to. */
export class SimulatedPhone {
  /** The stamps that it shows, by pass. */
  readonly shown = new Map<string, number>();
  private tag: string | null = null;

  constructor(
    readonly deviceId: string,
    readonly pushToken: string,
  ) {}

  /** Gets a pass and registers for it. */
  async add(backend: WalletBackend, passId: string): Promise<void> {
    await this.get(backend, passId);
    const { deviceId, pushToken } = this;
    await backend.devices.register("acme", { passId, platform: "apple", deviceId, pushToken });
  }

  /** @returns how many passes had changed. */
  async pushed(backend: WalletBackend): Promise<number> {
    const updated = await backend.updatedPasses("apple", this.deviceId, this.tag);
    if (updated === null) return 0;
    for (const passId of updated.passIds) await this.get(backend, passId);
    this.tag = updated.tag;
    return updated.passIds.length;
  }

  private async get(backend: WalletBackend, passId: string): Promise<void> {
    const issued = await backend.card(passId);
    this.shown.set(passId, issued?.stamps?.totalStampsCollected ?? -1);
  }
}
