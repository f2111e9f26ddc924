import { buildPassContent } from "../../../adapters/delivery/wallets/apple/pass-content.js";
import { fieldsOf, generalText, listLockScreenTexts } from "../../../adapters/testing/wallets/lock-screen.js";
import type { ReadPass } from "../../../adapters/testing/wallets/verified-pass.js";
import type { WalletBackend } from "../../../src/wallets/wallet-backend.js";

const identity = { passTypeId: "pass.example", teamId: "ABCDE12345", organizationName: "Shop" };

interface PassOnPhone extends ReadPass {
  readonly changedAt: number;
}

/** Simulates a phone for deliveries: it has passes, and fetches what changed when it gets a push. */
export class SimulatedPhone {
  /** Stamps that it shows, by pass. */
  readonly shown = new Map<string, number>();
  /** Texts that its lock screen has shown, by pass, in that order. */
  readonly told = new Map<string, string[]>();
  /** True while it has no connection. Apple stores a push for it. */
  isAway = false;
  private isPushed = false;
  private readonly passes = new Map<string, PassOnPhone>();
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

  /** @returns the number of passes that had changed; `null` if it gets the push later. */
  async handlePush(backend: WalletBackend): Promise<number | null> {
    this.isPushed = this.isAway;
    if (this.isAway) return null;
    const updated = await backend.updatedPasses("apple", this.deviceId, this.tag);
    if (updated === null) return 0;
    for (const passId of updated.passIds) await this.get(backend, passId);
    this.tag = updated.tag;
    return updated.passIds.length;
  }

  /** Goes online, and handles the pushes that came in the meantime. */
  async goOnline(backend: WalletBackend): Promise<void> {
    this.isAway = false;
    if (this.isPushed) await this.handlePush(backend);
  }

  /** Returns what the back of a pass shows as its message. */
  getMessage(passId: string): unknown {
    const pass = this.passes.get(passId);
    return pass && fieldsOf(pass).get("message")?.value;
  }

  /** Passes for which it has shown only that they changed. */
  get toldInGeneral(): string[] {
    return [...this.passes].flatMap(([passId, pass]) =>
      this.told.get(passId)?.includes(generalText(pass)) ? [passId] : [],
    );
  }

  private async get(backend: WalletBackend, passId: string): Promise<void> {
    const issuedCard = await backend.card(passId);
    const before = this.passes.get(passId);
    // It has this state already, as If-Modified-Since would say.
    if (issuedCard === null || (before !== undefined && issuedCard.card.changedAt <= before.changedAt))
      return;
    this.shown.set(passId, issuedCard.stamps?.totalStampsCollected ?? -1);
    const { pass } = buildPassContent(issuedCard, identity, "https://shop.example");
    const after = { pass: { ...pass }, files: new Map(), changedAt: issuedCard.card.changedAt };
    const texts = before === undefined ? [] : listLockScreenTexts(before, after, "en");
    this.told.set(passId, [...(this.told.get(passId) ?? []), ...texts]);
    this.passes.set(passId, after);
  }
}
