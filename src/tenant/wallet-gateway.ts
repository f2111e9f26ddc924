import type { WalletSetup } from "../resources/wallet-certificate.js";
import type { StoredWalletCard } from "../storage/wallets.js";

/** Links that add a pass to a wallet; `null` for a wallet that the host has not set up. */
export interface PlatformLinks {
  readonly apple: string | null;
  readonly google: string | null;
}

/** Makes links that only who has them can know. */
export type CreateLinks = (card: Pick<StoredWalletCard, "passId" | "linkToken">) => PlatformLinks;

/** Describes the wallets; `null` for an organization that does not operate them. */
export type WalletDescription = (organizationId: string) => WalletSetup | null;

/** Google accepts this many calls a second from an issuer. */
const GOOGLE_CALLS_PER_SECOND = 20;

/** Makes the links of passes once the host has wallets. */
export class WalletGateway {
  /** True while deliveries to wallets wait in this service, also for a platform that is set up later, or was before. */
  isServed = false;
  /** The rate of calls to Google that this process knows of, in calls a second. */
  googleCallsPerSecond = GOOGLE_CALLS_PER_SECOND;
  private linker: CreateLinks | null = null;
  private description: WalletDescription | null = null;

  /** True when a platform is set up. */
  get isOn(): boolean {
    return this.linker !== null;
  }

  /**
   * @param linker `null` if no platform is set up.
   * @throws {TypeError} if there are wallets already: a service has one.
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

  /** The links end with this: another service of the storage may have wallets. */
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
