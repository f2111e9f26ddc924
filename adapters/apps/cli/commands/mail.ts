import type { Command } from "commander";
import { type MailSettings, mailCheckSettings } from "../server/settings.js";
import type { Output } from "../terminal/output.js";
import { addSettings } from "../terminal/setting.js";

/** Adds `loyalty-kit mail check`, which checks the mail settings and the connection to the mail server. */
export function addMail(program: Command, output: Output): void {
  const check = program
    .command("mail")
    .description("check email delivery")
    .command("check")
    .description("check the mail server, login, sender, DKIM, and public URL");
  addSettings(check, mailCheckSettings)
    .option("--to <address>", "also send a test email to this address")
    .action(async ({ to, ...settings }: MailSettings & { readonly to?: string }) => {
      const { checkMailSettings } = await import("../actions/mail-check.js");
      await checkMailSettings(settings, to ?? null, output);
    });
}
