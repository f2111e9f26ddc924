import * as z from "zod";
import type { WalletPlatform } from "../storage/wallets.js";
import { wireTimestamp } from "./fields/text.js";

export const walletPlatform = z.enum(["apple", "google"] satisfies WalletPlatform[]);

/** `name` is the certificate's subject, such as `pass.com.example.loyalty`. */
export const walletCertificateSchema = z
  .object({
    object: z.literal("wallet_certificate"),
    platform: walletPlatform,
    name: z.string(),
    expiresAt: wireTimestamp,
  })
  .meta({ id: "WalletCertificate" });

/** A certificate that a host needs to put passes into a wallet. */
export type WalletCertificate = z.output<typeof walletCertificateSchema>;

/** A host's setup for wallets, without secrets. */
export interface WalletSetup {
  /** Apple's pass type identifier; `null` without Apple Wallet. */
  readonly apple: string | null;
  /** Google's issuer id; `null` without Google Wallet. */
  readonly google: string | null;
  /** The required certificates, with their expiry times. */
  readonly certificates: readonly WalletCertificate[];
  /** The problems that the last check found. */
  readonly problems: readonly string[];
}
