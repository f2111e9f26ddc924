/** A service for the tests of an app, with a clock that is moved by hand. */
export type { OutgoingMail } from "../mail/index.js";
export type { CapturedWebhook, ReceiveWebhook } from "./captured-webhooks.js";
export type { Duration } from "./duration.js";
export type { CapturedPush } from "./fake-wallets.js";
export type { TestCard, TestCustomer } from "./test-customer.js";
export { type TestLoyalty, type TestLoyaltyOptions, testLoyalty } from "./test-loyalty.js";
export type { NewCustomer, NewWebhook, TestOrganization, TestWebhook } from "./test-organization.js";
