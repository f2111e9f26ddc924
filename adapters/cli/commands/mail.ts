import type { Command } from "commander";
import { type MailSettings, mailCheckSettings } from "../server/settings.js";
import type { Output } from "../terminal/output.js";
import { addSettings } from "../terminal/setting.js";

/** `loyalty-kit mail` */
export function addMail(program: Command, output: Output): void {
  const check = program
    .command("mail")
    .description("the mails that customers get")
    .command("check")
    .description("say what is wrong with the mail server, the sign-in, the sender, DKIM and the public URL");
  addSettings(check, mailCheckSettings)
    .option("--to <address>", "send one mail there, too")
    .action(async ({ to, ...settings }: MailSettings & { readonly to?: string }) => {
      const { checkMailSettings } = await import("../actions/mail-check.js");
      await checkMailSettings(settings, to ?? null, output);
    });
}
