import { readFileSync } from "node:fs";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Badges } from "../../pages/index.js";
import type { AppleOptions, GoogleOptions, WalletsOptions } from "../../wallets/index.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";

/** What the command line says about wallets. */
export interface WalletFlags {
  readonly publicUrl?: string;
  readonly appleCertificate?: string;
  readonly appleKey?: string;
  readonly appleWwdr?: string;
  readonly applePassphraseFile?: string;
  readonly appleOrganizationName?: string;
  readonly applePushUrl?: string;
  readonly applePushCa?: string;
  readonly googleIssuer?: string;
  readonly googleServiceAccount?: string;
  readonly googleIssuerName?: string;
  readonly googleCallsPerSecond?: number;
  readonly googleApiUrl?: string;
  readonly googleTokenUrl?: string;
  readonly googleKeysUrl?: string;
  readonly walletsOperator?: string;
}

export interface BadgeFlags {
  readonly appleBadge?: string;
  readonly googleBadge?: string;
}

/** Each flag, its environment variable, what it is for, and how it is read when it is no text. */
const options: readonly (readonly [
  flags: string,
  variable: string,
  description: string,
  read?: (value: string) => number,
])[] = [
  ["--public-url <url>", "LOYALTY_PUBLIC_URL", "where phones and wallets reach this server, https"],
  ["--apple-certificate <file>", "LOYALTY_APPLE_CERTIFICATE", "Apple's certificate of a pass type, in PEM"],
  ["--apple-key <file>", "LOYALTY_APPLE_KEY", "its private key, in PEM"],
  ["--apple-wwdr <file>", "LOYALTY_APPLE_WWDR", "Apple's intermediate certificate (WWDR G4), in PEM"],
  ["--apple-passphrase-file <file>", "LOYALTY_APPLE_PASSPHRASE_FILE", "holds the passphrase of the key"],
  [
    "--apple-organization-name <text>",
    "LOYALTY_APPLE_ORGANIZATION_NAME",
    "whose passes these are; the name in the certificate unless given",
  ],
  ["--apple-push-url <url>", "LOYALTY_APPLE_PUSH_URL", "another push service than Apple's, for tests"],
  ["--apple-push-ca <file>", "LOYALTY_APPLE_PUSH_CA", "the certificate that it is trusted by, in PEM"],
  ["--google-issuer <id>", "LOYALTY_GOOGLE_ISSUER", "the number of an issuer of Google Wallet"],
  [
    "--google-service-account <file>",
    "LOYALTY_GOOGLE_SERVICE_ACCOUNT",
    "the key of a service account that speaks for it, in JSON",
  ],
  [
    "--google-issuer-name <text>",
    "LOYALTY_GOOGLE_ISSUER_NAME",
    "whose cards these are; the title of a card unless given",
  ],
  [
    "--google-calls-per-second <n>",
    "LOYALTY_GOOGLE_CALLS_PER_SECOND",
    "how often this process calls Google; 20 unless given, which is for all processes together",
    callsPerSecond,
  ],
  ["--google-api-url <url>", "LOYALTY_GOOGLE_API_URL", "another REST interface than Google's, for tests"],
  ["--google-token-url <url>", "LOYALTY_GOOGLE_TOKEN_URL", "where its access tokens are had, for tests"],
  ["--google-keys-url <url>", "LOYALTY_GOOGLE_KEYS_URL", "where the keys of its callbacks are, for tests"],
  [
    "--wallets-operator <organization>",
    "LOYALTY_WALLETS_OPERATOR",
    "gets the events of certificates that expire; every organization with cards unless given",
  ],
];

/** What only a server shows. */
const badges: typeof options = [
  ["--apple-badge <file>", "LOYALTY_APPLE_BADGE", "Apple's badge for links on the card page, PNG or SVG"],
  ["--google-badge <file>", "LOYALTY_GOOGLE_BADGE", "Google's button for links on the card page, PNG or SVG"],
];

/** Adds the options about wallets to a command. */
export function withWalletOptions(command: Command): Command {
  return withOptions(command, options);
}

/** Adds the options about the pictures of links to wallets. */
export function withBadgeOptions(command: Command): Command {
  return withOptions(command, badges);
}

function withOptions(command: Command, all: typeof options): Command {
  for (const [flags, variable, description, read] of all) {
    const option = new Option(flags, description).env(variable);
    command.addOption(read === undefined ? option : option.argParser(read));
  }
  return command;
}

/** The badges that the flags name. */
export function badgesIn({ appleBadge: apple, googleBadge: google }: BadgeFlags): Badges {
  return { ...(apple !== undefined && { apple }), ...(google !== undefined && { google }) };
}

/**
 * The wallets that the flags ask for; `null` when they ask for none.
 * @throws {CommandError} when one lacks another, or a file can't be read.
 */
export function walletPlan(flags: WalletFlags): WalletsOptions | null {
  const { publicUrl, walletsOperator: operator } = flags;
  const apple = applePlan(flags);
  const google = googlePlan(flags);
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

function applePlan(flags: WalletFlags): AppleOptions | null {
  const { appleCertificate: certificate, appleKey: key, appleWwdr: wwdr } = flags;
  if (certificate === undefined && key === undefined && wwdr === undefined) return null;
  const what = "passes for Apple's Wallet";
  if (certificate === undefined) throw lacking(what, "--apple-certificate");
  if (key === undefined) throw lacking(what, "--apple-key");
  if (wwdr === undefined) throw lacking(what, "--apple-wwdr");
  const { applePassphraseFile, appleOrganizationName, applePushUrl, applePushCa } = flags;
  return {
    ...{ certificate, key, wwdr },
    ...(applePassphraseFile !== undefined && { passphrase: firstLineOf(applePassphraseFile) }),
    ...(appleOrganizationName !== undefined && { organizationName: appleOrganizationName }),
    ...(applePushUrl !== undefined && { pushUrl: applePushUrl }),
    ...(applePushCa !== undefined && { pushCa: applePushCa }),
  };
}

function googlePlan(flags: WalletFlags): GoogleOptions | null {
  const { googleIssuer: issuerId, googleServiceAccount: serviceAccount } = flags;
  if (issuerId === undefined && serviceAccount === undefined) return null;
  const what = "cards for Google Wallet";
  if (issuerId === undefined) throw lacking(what, "--google-issuer");
  if (serviceAccount === undefined) throw lacking(what, "--google-service-account");
  const { googleIssuerName, googleCallsPerSecond, googleApiUrl, googleTokenUrl, googleKeysUrl } = flags;
  return {
    ...{ issuerId, serviceAccount },
    ...(googleIssuerName !== undefined && { issuerName: googleIssuerName }),
    ...(googleCallsPerSecond !== undefined && { callsPerSecond: googleCallsPerSecond }),
    ...(googleApiUrl !== undefined && { apiUrl: googleApiUrl }),
    ...(googleTokenUrl !== undefined && { tokenUrl: googleTokenUrl }),
    ...(googleKeysUrl !== undefined && { keysUrl: googleKeysUrl }),
  };
}

/** @throws {InvalidArgumentError} for what is no number above 0. */
function callsPerSecond(value: string): number {
  const calls = Number(value);
  if (Number.isFinite(calls) && calls > 0) return calls;
  throw new InvalidArgumentError("It must be a number above 0.");
}

function lacking(what: string, flag: string): CommandError {
  return new CommandError(`${what} need ${flag} too`, WRONG_USAGE);
}

/** What can't be a part of wallets, in one line. */
export function asCommandError(error: unknown): unknown {
  return error instanceof TypeError ? new CommandError(error.message, WRONG_USAGE, { cause: error }) : error;
}

function firstLineOf(file: string): string {
  try {
    return readFileSync(file, "utf8").split(/\r?\n/, 1)[0] ?? "";
  } catch (cause) {
    throw new CommandError(`the file of the passphrase, ${file}, can't be read`, WRONG_USAGE, { cause });
  }
}
