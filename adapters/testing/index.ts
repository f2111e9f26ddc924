/** Tools for a host's own tests: a manually controlled clock, fake wallets and mail servers, and the storage test suite. */
export type { OutgoingMail } from "../delivery/mail/index.js";
export { createFakeMail, type FakeMail, type FakeMailOptions } from "./mail/fake-mail.js";
export type { Fetch, LinkResponse } from "./mail/mailbox-provider.js";
export { headerOf, type ReceivedMail } from "./mail/received-mail.js";
export { type FaultStep, type FaultyAnswer, type SmtpFault, smtpFaults } from "./mail/smtp-faults.js";
export type { CapturedWebhook, ReceiveWebhook } from "./test-clock/captured-webhooks.js";
export type { Duration } from "./test-clock/duration.js";
export type { CapturedPush } from "./test-clock/fake-wallets.js";
export type { TestCard, TestCustomer } from "./test-clock/test-customer.js";
export { type TestLoyalty, type TestLoyaltyOptions, testLoyalty } from "./test-clock/test-loyalty.js";
export type {
  NewCustomer,
  NewWebhook,
  TestOrganization,
  TestWebhook,
} from "./test-clock/test-organization.js";
export { type TestRunner, testStorage } from "./test-storage.js";
export type { KeyAndCertificate } from "./wallets/certificates.js";
export {
  createFakeApns,
  type FakeApns,
  type PushFault,
  type ReceivedPush,
  type SilentConnections,
} from "./wallets/fake-apns.js";
export { createFakeGoogle, type FakeGoogle, type FakeGoogleOptions } from "./wallets/fake-google.js";
export { FakeIPhone, type FakeIPhoneOptions, type PassOnPhone } from "./wallets/fake-iphone.js";
export type { FakeMessage } from "./wallets/google-messages.js";
export type { CallbackFlaws } from "./wallets/google-signatures.js";
export type { FakeCard, FakeNotice, GoogleFault } from "./wallets/google-store.js";
export { fieldsOf, generalText, localized } from "./wallets/lock-screen.js";
export { createFakePki, type FakePki, type FakePkiOptions } from "./wallets/pki.js";
export { type ReadPass, verifiedPass } from "./wallets/verified-pass.js";
