import type { Command } from "commander";
import type { WalletsOptions } from "../../wallets/index.js";
import { asCommandError, type WalletFlags, walletPlan, withWalletOptions } from "../server/wallets.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";
import type { Output } from "../terminal/output.js";

/** `loyalty-kit wallets` */
export function addWallets(program: Command, output: Output): void {
  const wallets = program.command("wallets").description("passes in the wallets of phones");
  withWalletOptions(
    wallets
      .command("check")
      .description("say what is wrong with certificates, keys, accounts and URLs, and what will expire soon"),
  ).action(async (flags: WalletFlags) => {
    const plan = walletPlan(flags);
    // A public URL is of use for a wallet alone.
    if (plan === null || (plan.apple === undefined && plan.google === undefined)) {
      throw new CommandError(
        "there is nothing to check: name Apple's certificate or Google's issuer, see --help",
        WRONG_USAGE,
      );
    }
    const findings = await checked(plan);
    for (const { severity, message } of findings) output.result(`${severity}: ${message}`);
    const errors = findings.filter(({ severity }) => severity === "error").length;
    if (errors > 0) throw new CommandError(errors === 1 ? "there is 1 error" : `there are ${errors} errors`);
    if (findings.length === 0) output.result("all is well");
  });
}

async function checked(plan: WalletsOptions) {
  const { checkWallets } = await import("../../wallets/index.js");
  try {
    return await checkWallets(plan, Date.now);
  } catch (error) {
    throw asCommandError(error);
  }
}
