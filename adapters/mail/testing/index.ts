// A mail server for tests, whose answers are scripted, and what mailbox providers do with its mails.
export { createFakeMail, type FakeMail, type FakeMailOptions } from "./fake-mail.js";
export type { Answered, Fetch } from "./mailbox-provider.js";
export { headerOf, type ReceivedMail } from "./received-mail.js";
export { type FaultStep, type FaultyAnswer, type SmtpFault, smtpFaults } from "./smtp-faults.js";
