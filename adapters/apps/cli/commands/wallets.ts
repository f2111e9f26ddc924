import type { Command } from "commander";
import { type WalletSettings, walletSettings } from "../server/settings.js";
import { parseWalletOptions } from "../server/wallets.js";
import { CommandError, toUsageError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import { type Output, toSingleLine } from "../terminal/output.js";
import { addSettings } from "../terminal/setting.js";

/** Adds `loyalty-kit wallets check`, which checks the certificates, keys, and accounts for Apple Wallet and Google Wallet. */
export function addWallets(program: Command, output: Output): void {
  const check = program
    .command("wallets")
    .description("check the Apple Wallet and Google Wallet setup")
    .command("check")
    .description(
      "check certificates, keys, accounts, and URLs, and warn about certificates that expire soon",
    );
  addSettings(check, walletSettings).action(async (settings: WalletSettings) => {
    const options = parseWalletOptions(settings);
    // A public URL alone doesn't set up a wallet.
    if (options === null || (options.apple === undefined && options.google === undefined)) {
      throw new CommandError(
        "no wallet is configured; set --apple-certificate or --google-issuer",
        USAGE_ERROR_CODE,
      );
    }
    const { checkWallets } = await import("../../../delivery/wallets/index.js");
    const findings = await checkWallets(options, Date.now).catch((error: unknown) => {
      throw toUsageError(error);
    });
    for (const { severity, message } of findings) output.result(toSingleLine(`${severity}: ${message}`));
    const errors = findings.filter(({ severity }) => severity === "error").length;
    if (errors > 0) throw new CommandError(errors === 1 ? "found 1 error" : `found ${errors} errors`);
    if (findings.length === 0) output.result("no problems found");
  });
}
