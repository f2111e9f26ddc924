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
