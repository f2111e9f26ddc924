import { X509Certificate } from "node:crypto";
import { checkMail } from "../../../delivery/mail/index.js";
import { readPem } from "../../../delivery/wallets/apple/identity.js";
import { checkWallets } from "../../../delivery/wallets/index.js";
import { readServedMail } from "../server/mail.js";
import type { ServerSettings } from "../server/settings.js";
import { walletOptions } from "../server/wallets.js";
import { type Diagnosis, off, ok, toDiagnoses } from "./diagnosis.js";

/**
 * Checks the wallet setup and reports when Apple's certificate expires. If Google Wallet is set up, this sends requests to Google.
 */
export async function walletDiagnoses(settings: ServerSettings, now: () => number): Promise<Diagnosis[]> {
  const options = walletOptions(settings);
  if (options === null || (options.apple === undefined && options.google === undefined))
    return [off("wallets", "not configured")];
  const found = toDiagnoses("wallets", await checkWallets(options, now), "no problems found");
  if (options.apple === undefined) return found;
  const { validTo } = new X509Certificate(readPem(options.apple.certificate, "certificate"));
  const end = new Date(validTo).toISOString().slice(0, 10);
  return Date.parse(validTo) > now()
    ? [...found, ok("wallets", `the Apple certificate is valid until ${end}`)]
    : found;
}

/** Checks the mail setup by connecting to the mail server, without sending any email. */
export async function mailDiagnoses(settings: ServerSettings): Promise<Diagnosis[]> {
  const options = readServedMail(settings);
  if (options === null) return [off("mail", "not configured")];
  if (options.deliver === false) return [off("mail", "emails are sent by another process")];
  return toDiagnoses(
    "mail",
    await checkMail(options),
    "the mail server accepts emails, and they are signed with DKIM",
  );
}
