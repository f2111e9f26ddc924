import { type MailOptions, MailSendError } from "../../../delivery/mail/index.js";
import { CommandError, USAGE_ERROR_CODE } from "../terminal/command-error.js";
import { readSecretFile } from "./keys.js";
import type { MailSettings } from "./settings.js";

/** Mail settings that have no effect without a mail server, and their options. */
const mailOptionNames = {
  smtpPasswordFile: "--smtp-password-file",
  mailFrom: "--mail-from",
  mailReplyTo: "--mail-reply-to",
  mailBounceDomain: "--mail-bounce-domain",
  mailDkimKey: "--mail-dkim-key",
  mailDkimSelector: "--mail-dkim-selector",
} as const;

/**
 * Returns the mail options from the settings, or `null` if no mail server is configured.
 * @throws {CommandError} if a required setting is missing, or if a file can't be read.
 */
export function parseMailOptions(settings: MailSettings): MailOptions | null {
  const { smtpUrl: url, smtpPasswordFile: file, publicUrl, mailFrom: from } = settings;
  if (url === undefined) return null;
  if (from === undefined) throw missingOptionError("sending email also requires --mail-from");
  if (publicUrl === undefined) throw missingOptionError("sending email also requires --public-url");
  const password = file === undefined ? undefined : readSecretFile(file, "mail server password");
  return {
    ...{ publicUrl, from },
    smtp: { url, ...(password !== undefined && { password }) },
    ...buildSendingOptions(settings),
  };
}

/**
 * Returns a server's mail options, or `null` if the server neither sends emails nor queues them for another process.
 * @param settings the mail settings. `mail` is `false` if another process sends the emails. `demo` is `true` if a demo's mailbox
 *   can receive the emails when no mail server is configured.
 * @throws {CommandError} under the same conditions as {@link parseMailOptions}, or if there are mail settings but no mail server.
 */
export function readServerMailOptions(
  settings: MailSettings & { readonly mail: boolean; readonly demo: boolean },
): MailOptions | null {
  const { mail: deliver, demo, publicUrl, mailFrom: from } = settings;
  const smtpOptions = parseMailOptions(settings);
  if (smtpOptions !== null) return { ...smtpOptions, deliver };
  if (!deliver) {
    if (from === undefined || publicUrl === undefined) return null;
    return {
      ...{ publicUrl, from, deliver },
      smtp: { send: rejectSending },
      ...buildSendingOptions(settings),
    };
  }
  const [, unusedOption] = Object.entries(mailOptionNames).find(([name]) => hasSetting(settings, name)) ?? [];
  if (unusedOption !== undefined && !demo)
    throw missingOptionError(`${unusedOption} also requires --smtp-url or --no-mail`);
  return null;
}

/**
 * Returns the mail options that are independent of the mail server.
 * @throws {CommandError} if only one of the two DKIM settings is set.
 */
export function buildSendingOptions(
  settings: MailSettings,
): Pick<MailOptions, "replyTo" | "bounceDomain" | "dkim" | "rate"> {
  const { mailReplyTo, mailBounceDomain, mailDkimKey: key, mailDkimSelector: selector, mailRate } = settings;
  if (key !== undefined && selector === undefined)
    throw missingOptionError("--mail-dkim-key also requires --mail-dkim-selector");
  if (key === undefined && selector !== undefined)
    throw missingOptionError("--mail-dkim-selector also requires --mail-dkim-key");
  return {
    rate: mailRate,
    ...(mailReplyTo !== undefined && { replyTo: mailReplyTo }),
    ...(mailBounceDomain !== undefined && { bounceDomain: mailBounceDomain }),
    ...(key !== undefined && selector !== undefined && { dkim: { key, selector } }),
  };
}

/** Returns a startup log line that says where emails go, or `null` if there is nothing to report. */
export function describeMail(settings: MailSettings & { readonly mail: boolean }): string | null {
  const { smtpUrl, mail, mailFrom, publicUrl } = settings;
  if (!mail && (mailFrom === undefined || publicUrl === undefined)) {
    return smtpUrl === undefined
      ? "emails won't be queued; to queue them with --no-mail, set --mail-from and --public-url"
      : null;
  }
  if (!mail) return "emails are queued for another process to send";
  return smtpUrl === undefined ? null : `emails are sent through ${new URL(smtpUrl).host}`;
}

async function rejectSending(): Promise<never> {
  throw new MailSendError({ fault: "transport", answer: "this process doesn't send emails" });
}

function hasSetting(settings: MailSettings, name: string): boolean {
  return Reflect.get(settings, name) !== undefined;
}

function missingOptionError(message: string): CommandError {
  return new CommandError(message, USAGE_ERROR_CODE);
}
