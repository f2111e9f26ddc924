import type { AppleOptions, GoogleOptions, WalletsOptions } from "../../../delivery/wallets/index.js";
import { CommandError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import { readSecretFile } from "./keys.js";
import type { WalletSettings } from "./settings.js";

/**
 * Returns the wallet options from the settings, or `null` if there is no public URL and no wallet is configured.
 * @throws {CommandError} if a required setting is missing, or if a file can't be read.
 */
export function parseWalletOptions(settings: WalletSettings): WalletsOptions | null {
  const { publicUrl, walletsOperator: operator } = settings;
  const apple = buildAppleOptions(settings);
  const google = buildGoogleOptions(settings);
  if (publicUrl !== undefined) {
    return {
      publicUrl,
      ...(apple !== null && { apple }),
      ...(google !== null && { google }),
      ...(operator !== undefined && { operator }),
    };
  }
  if (apple !== null || google !== null) {
    throw missingOptionError(apple === null ? "Google Wallet cards" : "Apple Wallet passes", "--public-url");
  }
  return null;
}

function buildAppleOptions(settings: WalletSettings): AppleOptions | null {
  const { appleCertificate: certificate, appleKey: key, appleWwdr: wwdr } = settings;
  if (certificate === undefined && key === undefined && wwdr === undefined) return null;
  const feature = "Apple Wallet passes";
  if (certificate === undefined) throw missingOptionError(feature, "--apple-certificate");
  if (key === undefined) throw missingOptionError(feature, "--apple-key");
  if (wwdr === undefined) throw missingOptionError(feature, "--apple-wwdr");
  const { applePassphraseFile, appleOrganizationName, applePushUrl, applePushCa } = settings;
  return {
    ...{ certificate, key, wwdr },
    ...(applePassphraseFile !== undefined && {
      passphrase: readSecretFile(applePassphraseFile, "passphrase"),
    }),
    ...(appleOrganizationName !== undefined && { organizationName: appleOrganizationName }),
    ...(applePushUrl !== undefined && { pushUrl: applePushUrl }),
    ...(applePushCa !== undefined && { pushCa: applePushCa }),
  };
}

function buildGoogleOptions(settings: WalletSettings): GoogleOptions | null {
  const { googleIssuer: issuerId, googleServiceAccount: serviceAccount } = settings;
  if (issuerId === undefined && serviceAccount === undefined) return null;
  const feature = "Google Wallet cards";
  if (issuerId === undefined) throw missingOptionError(feature, "--google-issuer");
  if (serviceAccount === undefined) throw missingOptionError(feature, "--google-service-account");
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

function missingOptionError(feature: string, option: string): CommandError {
  return new CommandError(`${feature} also require ${option}`, USAGE_ERROR_CODE);
}
