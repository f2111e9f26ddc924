/** Sends mails to customers. */
export type { OutgoingMail, SendAnswer } from "./outgoing-mail.js";
export { type MailFault, type MailRefusal, MailRefused } from "./refusal.js";
export type { Finding } from "./setup.js";
