/** Sends mails to customers. */

export type { Finding } from "../setup/finding.js";
export type { DkimOptions } from "./dkim.js";
export { checkMail, createMail, type Mail, type MailOptions, type MailSending } from "./mail.js";
export type { OutgoingMail, SendAnswer } from "./outgoing-mail.js";
export type { MailRate } from "./rate.js";
export { type MailFault, type MailRefusal, MailRefused } from "./refusal.js";
export type { SmtpOptions } from "./smtp/smtp-options.js";
export type { MailState } from "./worker.js";
