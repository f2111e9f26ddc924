export type { WebhookHeaders } from "./headers.js";
export { type WebhookRefusal, WebhookVerificationError } from "./verification-error.js";
export { type VerifyWebhookOptions, verifyWebhook } from "./verify-webhook.js";
export type { WebhookEvent, WebhookEventData, WebhookEventType } from "./webhook-event.js";
