import * as z from "zod";
import { wireTimestamp } from "../base/fields/text.js";
import type { WalletPlatform } from "../storage/wallets.js";

export const walletPlatform = z.enum(["apple", "google"] satisfies WalletPlatform[]);

/** The schema for a wallet certificate. `name` is the certificate's subject, such as `pass.com.example.loyalty`. */
export const walletCertificateSchema = z
  .object({
    object: z.literal("wallet_certificate"),
    platform: walletPlatform,
    name: z.string(),
    expiresAt: wireTimestamp,
  })
  .meta({ id: "WalletCertificate" });

/** A certificate that a host needs for adding passes to a wallet. */
export type WalletCertificate = z.output<typeof walletCertificateSchema>;

/** A host's wallet setup, without its secrets. */
export interface WalletSetup {
  /** Apple's pass type identifier, or `null` if Apple Wallet isn't set up. */
  readonly apple: string | null;
  /** Google's issuer ID, or `null` if Google Wallet isn't set up. */
  readonly google: string | null;
  /** The certificates that are in use, with their expiration times. */
  readonly certificates: readonly WalletCertificate[];
  /** The problems found by the most recent check of the setup, as messages. */
  readonly problems: readonly string[];
}
