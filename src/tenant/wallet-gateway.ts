import type { WalletSetup } from "../resources/wallet-certificate.js";
import type { StoredWalletCard } from "../storage/wallets.js";

/** Links that add a pass to a wallet; `null` for a wallet that the host has not set up. */
export interface PlatformLinks {
  readonly apple: string | null;
  readonly google: string | null;
}

/** Creates unguessable links for a card. */
export type CreateLinks = (card: Pick<StoredWalletCard, "passId" | "linkToken">) => PlatformLinks;

/** Returns an organization's wallet setup; `null` for an organization that does not operate wallets. */
export type WalletDescription = (organizationId: string) => WalletSetup | null;

/** Google's limit on calls per second for an issuer. */
const GOOGLE_CALLS_PER_SECOND = 20;

/** Creates wallet links for passes, once the host has set up wallets. */
export class WalletGateway {
  /** True while this service accepts deliveries to wallets, even for a platform that is set up later, or was set up before. */
  isServed = false;
  /** This process's known rate of calls to Google, in calls per second. */
  googleCallsPerSecond = GOOGLE_CALLS_PER_SECOND;
  private linker: CreateLinks | null = null;
  private description: WalletDescription | null = null;

  /** True if at least one platform is set up. */
  get isOn(): boolean {
    return this.linker !== null;
  }

  /**
   * @param linker `null` if no platform is set up.
   * @throws {TypeError} if the service already has wallets.
   */
  attach(
    linker: CreateLinks | null,
    description: WalletDescription | null,
    googleCallsPerSecond = GOOGLE_CALLS_PER_SECOND,
  ): void {
    if (this.isServed) throw new TypeError("wallets are already set up for this service");
    this.isServed = true;
    this.linker = linker;
    this.description = description;
    this.googleCallsPerSecond = googleCallsPerSecond;
  }

  /** Stops creating links. Another service on the same storage may have wallets. */
  detach(): void {
    this.isServed = false;
    this.linker = null;
    this.description = null;
    this.googleCallsPerSecond = GOOGLE_CALLS_PER_SECOND;
  }

  setupFor(organizationId: string): WalletSetup | null {
    return this.description?.(organizationId) ?? null;
  }

  linksOf(card: Pick<StoredWalletCard, "passId" | "linkToken">): PlatformLinks {
    return this.linker?.(card) ?? { apple: null, google: null };
  }
}
