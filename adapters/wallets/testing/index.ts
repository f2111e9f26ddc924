export type { KeyAndCertificate } from "./certificates.js";
export {
  createFakeApns,
  type FakeApns,
  type PushFault,
  type SilentConnections,
  type TakenPush,
} from "./fake-apns.js";
export { createFakeGoogle, type FakeGoogle, type FakeGoogleOptions } from "./fake-google.js";
export { FakeIPhone, type FakeIPhoneOptions, type PassOnPhone } from "./fake-iphone.js";
export type { FakeMessage } from "./google-messages.js";
export type { CallbackFlaws } from "./google-signatures.js";
export type { FakeCard, FakeNotice, GoogleFault } from "./google-store.js";
export { fieldsOf, generalText, localized } from "./lock-screen.js";
export { createFakePki, type FakePki, type FakePkiOptions } from "./pki.js";
export { type ReadPass, verifiedPass } from "./verified-pass.js";
