import type { Command } from "commander";
import type { Database } from "../database/database.js";
import { databaseOption } from "../database/open-database.js";
import { keyErrorOf, secretsKeyHelp, secretsKeysIn } from "../server/secrets-keys.js";
import { CommandError, WRONG_USAGE } from "../terminal/command-error.js";
import type { Output } from "../terminal/output.js";

/** `loyalty-kit seal` */
export function addSeal(program: Command, output: Output): void {
  program
    .command("seal")
    .description("seal the secrets in a database with the first key of LOYALTY_SECRETS_KEY; servers may run")
    .addOption(databaseOption())
    .addHelpText("after", secretsKeyHelp)
    .action(async ({ database }: { readonly database: Database }) => {
      const secretsKeys = secretsKeysIn(process.env);
      if (secretsKeys.length === 0) throw new CommandError("LOYALTY_SECRETS_KEY is not set", WRONG_USAGE);
      const { LoyaltyService } = await import("../../../src/loyalty-service.js");
      const loyalty = new LoyaltyService({ storage: await database.open(), secretsKeys });
      try {
        const { webhookEndpoints, walletCards } = await loyalty.secrets.renew();
        output.result(`sealed the secrets of ${webhookEndpoints} webhook endpoints and ${walletCards} cards`);
      } catch (error) {
        throw keyErrorOf(error);
      } finally {
        await loyalty.close();
      }
    });
}
