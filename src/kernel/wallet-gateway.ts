import type { StoredWalletCard } from "../storage/wallets.js";
import type { WalletSetup } from "../wallets/schema.js";

/** The links for adding a pass to a wallet. A link is `null` if the host hasn't set up that wallet. */
export interface PlatformLinks {
  readonly apple: string | null;
  readonly google: string | null;
}

/** A function that creates the links for adding a card to a wallet. The links can't be guessed. */
export type CreateLinks = (card: Pick<StoredWalletCard, "passId" | "linkToken">) => PlatformLinks;

/** A function that returns the wallet setup to show to an organization, or `null` if there is none to show. */
export type WalletDescription = (organizationId: string) => WalletSetup | null;

/** Google's limit on calls per second for an issuer. */
const GOOGLE_CALLS_PER_SECOND = 20;

/** Creates the links that customers use to add passes to their wallets. Until the host sets up wallets, all links are `null`. */
export class WalletGateway {
  /** Whether wallets are connected to this service, even if neither platform is set up. */
  isServed = false;
  /** Maximum number of calls that this process makes to Google per second. */
  googleCallsPerSecond = GOOGLE_CALLS_PER_SECOND;
  private linker: CreateLinks | null = null;
  private describeSetup: WalletDescription | null = null;

  /** Whether at least one platform is set up. */
  get isOn(): boolean {
    return this.linker !== null;
  }

  /**
   * Connects wallets to this service.
   * @param linker a function that creates links, or `null` if no platform is set up.
   * @throws {TypeError} if wallets are already connected.
   */
  attach(
    linker: CreateLinks | null,
    description: WalletDescription | null,
    googleCallsPerSecond = GOOGLE_CALLS_PER_SECOND,
  ): void {
    if (this.isServed) throw new TypeError("wallets are already set up for this service");
    this.isServed = true;
    this.linker = linker;
    this.describeSetup = description;
    this.googleCallsPerSecond = googleCallsPerSecond;
  }

  /**
   * Disconnects wallets from this service, so that it stops creating links. Doesn't affect other services that share the storage.
   */
  detach(): void {
    this.isServed = false;
    this.linker = null;
    this.describeSetup = null;
    this.googleCallsPerSecond = GOOGLE_CALLS_PER_SECOND;
  }

  setupFor(organizationId: string): WalletSetup | null {
    return this.describeSetup?.(organizationId) ?? null;
  }

  linksOf(card: Pick<StoredWalletCard, "passId" | "linkToken">): PlatformLinks {
    return this.linker?.(card) ?? { apple: null, google: null };
  }
}
