/**
 * Verifies incoming webhooks, and runs a service's background work: sending webhooks, running automations, and keeping segments up
 * to date as time passes.
 */
export {
  type AutomationWorker,
  type AutomationWorkerOptions,
  createAutomationWorker,
  createSegmentWorker,
  type SegmentWorker,
  type SegmentWorkerOptions,
} from "../jobs/organization-workers.js";
export type { SetTimer } from "../jobs/timers.js";
export type { WebhookHeaders } from "./headers.js";
export { type WebhookRefusal, WebhookVerificationError } from "./verification-error.js";
export { type VerifyWebhookOptions, verifyWebhook } from "./verify-webhook.js";
export type { WebhookEvent, WebhookEventData, WebhookEventType } from "./webhook-event.js";
export type { SendWebhook, WebhookRequest, WebhookResponse } from "./worker/client/attempt.js";
export {
  createWebhookWorker,
  type WebhookWorker,
  type WebhookWorkerEnd,
  type WebhookWorkerOptions,
} from "./worker/webhook-worker.js";
