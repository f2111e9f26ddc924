import { newId, uuidV7 } from "../../../../src/base/values/ids.js";
import { toAsciiDomain } from "../../../delivery/mail/dkim.js";
import type { MailOptions, OutgoingMail, SendReply } from "../../../delivery/mail/index.js";
import { MailSendError } from "../../../delivery/mail/index.js";
import { checkMail, createTransport } from "../../../delivery/mail/mail.js";
import { parseMailbox } from "../../../delivery/mail/mailbox.js";
import { parseMailOptions } from "../server/mail.js";
import type { MailSettings } from "../server/settings.js";
import { CommandError, toUsageError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import { type Output, toSingleLine } from "../terminal/output.js";

/**
 * Checks the mail settings and prints the problems found, one per line.
 * @param to the address to send a test email to if the check finds no errors, or `null` to send none.
 * @throws {CommandError} if the check finds an error, or if the mail server rejects the test email.
 */
export async function checkMailSettings(
  settings: MailSettings,
  to: string | null,
  output: Output,
): Promise<void> {
  const options = parseMailOptions(settings);
  if (options === null) {
    throw new CommandError("no mail server is configured; set --smtp-url", USAGE_ERROR_CODE);
  }
  try {
    const mail = to === null ? null : buildTestMail(options, parseMailbox(to, "--to").address, new Date());
    const findings = await checkMail(options);
    for (const { severity, message } of findings) output.result(toSingleLine(`${severity}: ${message}`));
    const errors = findings.filter(({ severity }) => severity === "error").length;
    if (errors > 0) throw new CommandError(errors === 1 ? "found 1 error" : `found ${errors} errors`);
    if (findings.length === 0) output.result("no problems found");
    if (mail === null) return;
    const { answer } = await sendTestMail(options, mail);
    output.result(`the mail server accepted the test email to ${mail.to}: ${toSingleLine(answer)}`);
  } catch (error) {
    throw toUsageError(error);
  }
}

async function sendTestMail(options: MailOptions, mail: OutgoingMail): Promise<SendReply> {
  const transport = createTransport(options, parseMailbox(options.from, "from"));
  try {
    return await transport.send(mail);
  } catch (error) {
    if (!(error instanceof MailSendError)) throw error;
    const details = error.answer === "" ? "" : `: ${error.answer}`;
    throw new CommandError(`${error.message}${details}`, undefined, { cause: error });
  } finally {
    await transport.close();
  }
}

/** Returns an email that says that it is a test. */
function buildTestMail(
  { from: sender, replyTo, bounceDomain }: MailOptions,
  to: string,
  date: Date,
): OutgoingMail {
  const from = parseMailbox(sender, "from");
  const id = newId("mdl", uuidV7);
  const text =
    'This is a test email sent by "loyalty-kit mail check". If you can read it, emails about cards will arrive, too.';
  return {
    ...{ id, from, to, date, text, language: "en" },
    messageId: `<${id}@${toAsciiDomain(from.address)}>`,
    envelope: { from: bounceDomain === undefined ? from.address : `bounce+${id}@${bounceDomain}`, to },
    replyTo: replyTo === undefined ? null : parseMailbox(replyTo, "replyTo").address,
    subject: "Test email from loyalty-kit",
    html: `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Test email from loyalty-kit</title></head><body><p>${text}</p></body></html>\n`,
    headers: { "Auto-Submitted": "auto-generated" },
  };
}
