/** Sends email to customers. */

export type { SetupFinding } from "../../setup/finding.js";
export type { DkimOptions } from "./dkim.js";
export { type CustomMailer, checkMail, createMail, type Mail, type MailOptions } from "./mail.js";
export type { OutgoingMail, SendReply } from "./outgoing-mail.js";
export type { MailRate } from "./rate.js";
export { type MailFault, MailSendError, type MailSendErrorInit } from "./send-error.js";
export type { SmtpOptions } from "./smtp/smtp-options.js";
export type { MailState } from "./worker.js";
