import { X509Certificate } from "node:crypto";
import { checkMail } from "../../../delivery/mail/index.js";
import { readPem } from "../../../delivery/wallets/apple/identity.js";
import { checkWallets, type WalletsOptions } from "../../../delivery/wallets/index.js";
import { readServerMailOptions } from "../server/mail.js";
import type { ServerSettings } from "../server/settings.js";
import { parseWalletOptions } from "../server/wallets.js";
import { type Diagnosis, off, ok, runCheck, toDiagnoses } from "./diagnosis.js";

/**
 * Checks each wallet and what both share, and reports when Apple's certificate expires. If Google Wallet is set up, this sends
 * requests to Google.
 */
export async function diagnoseWallets(settings: ServerSettings, now: () => number): Promise<Diagnosis[]> {
  const { publicUrl = "", apple, google } = parseWalletOptions(settings) ?? {};
  const diagnosePart = async (
    part: "wallets" | "apple" | "google",
    wallet: Pick<WalletsOptions, "apple" | "google">,
  ) => {
    const findings = await checkWallets({ publicUrl, ...wallet }, now);
    const getPart = ({ code }: { readonly code: string }) =>
      /^(?:apple|google)(?=_)/.exec(code)?.[0] ?? "wallets";
    return toDiagnoses(
      part,
      findings.filter((each) => getPart(each) === part),
      "no problems found",
    );
  };
  const isOff = apple === undefined && google === undefined;
  return [
    ...(isOff ? [] : await diagnosePart("wallets", {})),
    ...(await runCheck("apple", async () =>
      apple === undefined
        ? [off("apple", "not configured")]
        : [...(await diagnosePart("apple", { apple })), ...diagnoseExpiry(apple.certificate, now())],
    )),
    ...(await runCheck("google", async () =>
      google === undefined ? [off("google", "not configured")] : diagnosePart("google", { google }),
    )),
  ];
}

/** Reports when Apple's certificate expires. Returns nothing if it has expired, because that is a problem of its own. */
function diagnoseExpiry(certificate: string, now: number): Diagnosis[] {
  const { validTo } = new X509Certificate(readPem(certificate, "certificate"));
  const expiryDate = new Date(validTo).toISOString().slice(0, 10);
  return Date.parse(validTo) > now ? [ok("apple", `the certificate is valid until ${expiryDate}`)] : [];
}

/** Checks the mail setup by connecting to the mail server, without sending any email. */
export async function diagnoseMail(settings: ServerSettings): Promise<Diagnosis[]> {
  const options = readServerMailOptions(settings);
  if (options === null) return [off("mail", "not configured")];
  if (options.deliver === false) return [ok("mail", "emails are sent by another process")];
  return toDiagnoses(
    "mail",
    await checkMail(options),
    "the mail server accepts emails, and they are signed with DKIM",
  );
}
