import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import type { WalletsOptions } from "../../wallets/index.js";
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
}

/** Each flag, its environment variable and what it is for. */
const options: readonly (readonly [flags: string, variable: string, description: string])[] = [
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
];

/** Adds the options about wallets to a command. */
export function withWalletOptions(command: Command): Command {
  for (const [flags, variable, description] of options) {
    command.addOption(new Option(flags, description).env(variable));
  }
  return command;
}

/**
 * The wallets that the flags ask for; `null` when they ask for none.
 * @throws {CommandError} when one lacks another, or a file can't be read.
 */
export function walletPlan(flags: WalletFlags): WalletsOptions | null {
  const { publicUrl, appleCertificate: certificate, appleKey: key, appleWwdr: wwdr } = flags;
  const isWithApple = certificate !== undefined || key !== undefined || wwdr !== undefined;
  if (!isWithApple) return publicUrl === undefined ? null : { publicUrl };
  const missing = {
    "--public-url": publicUrl,
    "--apple-certificate": certificate,
    "--apple-key": key,
    "--apple-wwdr": wwdr,
  };
  for (const [flag, value] of Object.entries(missing)) {
    if (value === undefined)
      throw new CommandError(`passes for Apple's Wallet need ${flag} too`, WRONG_USAGE);
  }
  const { applePassphraseFile, appleOrganizationName, applePushUrl, applePushCa } = flags;
  return {
    publicUrl: publicUrl ?? "",
    apple: {
      certificate: certificate ?? "",
      key: key ?? "",
      wwdr: wwdr ?? "",
      ...(applePassphraseFile !== undefined && { passphrase: firstLineOf(applePassphraseFile) }),
      ...(appleOrganizationName !== undefined && { organizationName: appleOrganizationName }),
      ...(applePushUrl !== undefined && { pushUrl: applePushUrl }),
      ...(applePushCa !== undefined && { pushCa: applePushCa }),
    },
  };
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
