import type { WalletDesk } from "../../../src/wallets/wallet-desk.js";

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
  async add(desk: WalletDesk, passId: string): Promise<void> {
    await this.get(desk, passId);
    const { deviceId, pushToken } = this;
    await desk.register("acme", { passId, platform: "apple", deviceId, pushToken });
  }

  /** @returns how many passes had changed. */
  async pushed(desk: WalletDesk): Promise<number> {
    const updated = await desk.updatedPasses("apple", this.deviceId, this.tag);
    if (updated === null) return 0;
    for (const passId of updated.passIds) await this.get(desk, passId);
    this.tag = updated.tag;
    return updated.passIds.length;
  }

  private async get(desk: WalletDesk, passId: string): Promise<void> {
    const issued = await desk.card(passId);
    this.shown.set(passId, issued?.stamps?.totalStampsCollected ?? -1);
  }
}
