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
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookEventData,
  type WebhookEventType,
  type WebhookHeaders,
  type WebhookRefusal,
  WebhookVerificationError,
} from "./verify-webhook.js";
export type { SendWebhook, WebhookRequest, WebhookResponse } from "./worker/attempt.js";
export {
  createWebhookWorker,
  type WebhookWorker,
  type WebhookWorkerEnd,
  type WebhookWorkerOptions,
} from "./worker/webhook-worker.js";
