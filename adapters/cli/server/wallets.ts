import type { AppleOptions, GoogleOptions, WalletsOptions } from "../../wallets/index.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";
import { secretIn } from "./secret-file.js";
import type { WalletSettings } from "./settings.js";

/**
 * The wallets that the settings ask for; `null` when they ask for none.
 * @throws {CommandError} when one lacks another, or a file can't be read.
 */
export function walletOptions(settings: WalletSettings): WalletsOptions | null {
  const { publicUrl, walletsOperator: operator } = settings;
  const apple = appleOptions(settings);
  const google = googleOptions(settings);
  if (publicUrl !== undefined) {
    return {
      publicUrl,
      ...(apple !== null && { apple }),
      ...(google !== null && { google }),
      ...(operator !== undefined && { operator }),
    };
  }
  if (apple !== null || google !== null) {
    throw lacking(apple === null ? "cards for Google Wallet" : "passes for Apple's Wallet", "--public-url");
  }
  return null;
}

function appleOptions(settings: WalletSettings): AppleOptions | null {
  const { appleCertificate: certificate, appleKey: key, appleWwdr: wwdr } = settings;
  if (certificate === undefined && key === undefined && wwdr === undefined) return null;
  const what = "passes for Apple's Wallet";
  if (certificate === undefined) throw lacking(what, "--apple-certificate");
  if (key === undefined) throw lacking(what, "--apple-key");
  if (wwdr === undefined) throw lacking(what, "--apple-wwdr");
  const { applePassphraseFile, appleOrganizationName, applePushUrl, applePushCa } = settings;
  return {
    ...{ certificate, key, wwdr },
    ...(applePassphraseFile !== undefined && { passphrase: secretIn(applePassphraseFile, "passphrase") }),
    ...(appleOrganizationName !== undefined && { organizationName: appleOrganizationName }),
    ...(applePushUrl !== undefined && { pushUrl: applePushUrl }),
    ...(applePushCa !== undefined && { pushCa: applePushCa }),
  };
}

function googleOptions(settings: WalletSettings): GoogleOptions | null {
  const { googleIssuer: issuerId, googleServiceAccount: serviceAccount } = settings;
  if (issuerId === undefined && serviceAccount === undefined) return null;
  const what = "cards for Google Wallet";
  if (issuerId === undefined) throw lacking(what, "--google-issuer");
  if (serviceAccount === undefined) throw lacking(what, "--google-service-account");
  const { googleIssuerName, googleCallsPerSecond, googleApiUrl, googleTokenUrl, googleKeysUrl } = settings;
  return {
    ...{ issuerId, serviceAccount },
    ...(googleIssuerName !== undefined && { issuerName: googleIssuerName }),
    ...(googleCallsPerSecond !== undefined && { callsPerSecond: googleCallsPerSecond }),
    ...(googleApiUrl !== undefined && { apiUrl: googleApiUrl }),
    ...(googleTokenUrl !== undefined && { tokenUrl: googleTokenUrl }),
    ...(googleKeysUrl !== undefined && { keysUrl: googleKeysUrl }),
  };
}

function lacking(what: string, option: string): CommandError {
  return new CommandError(`${what} need ${option} too`, WRONG_USAGE);
}
