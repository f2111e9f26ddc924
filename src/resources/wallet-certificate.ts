import * as z from "zod";
import type { WalletPlatform } from "../storage/wallets.js";
import { wireTimestamp } from "./fields/text.js";

export const walletPlatform = z.enum(["apple", "google"] satisfies WalletPlatform[]);

/** `name` is whose it is, such as `pass.com.example.loyalty`. */
export const walletCertificateSchema = z
  .object({
    object: z.literal("wallet_certificate"),
    platform: walletPlatform,
    name: z.string(),
    expiresAt: wireTimestamp,
  })
  .meta({ id: "WalletCertificate" });

/** A certificate lets a host put passes into a wallet. */
export type WalletCertificate = z.output<typeof walletCertificateSchema>;

/** What a host has set up to put passes into wallets. It has no secret in it. */
export interface WalletSetup {
  /** The pass type at Apple; `null` without Apple's wallet. */
  readonly apple: string | null;
  /** The issuer at Google; `null` without Google's wallet. */
  readonly google: string | null;
  /** The certificates that it takes, with the times when they end. */
  readonly certificates: readonly WalletCertificate[];
  /** What was wrong when it was last looked at, in words. */
  readonly problems: readonly string[];
}
