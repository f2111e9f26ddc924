/** Delivers events to webhook endpoints, runs automations, and settles what time does to segments. */
export {
  type AutomationWorker,
  type AutomationWorkerOptions,
  createAutomationWorker,
} from "../automations/automation-worker.js";
export type { SetTimer } from "../jobs/timers.js";
export type { SendWebhook, WebhookRequest, WebhookResponse } from "./client/attempt.js";
export { createSegmentWorker, type SegmentWorker, type SegmentWorkerOptions } from "./segment-worker.js";
export {
  createWebhookWorker,
  type WebhookWorker,
  type WebhookWorkerEnd,
  type WebhookWorkerOptions,
} from "./webhook-worker.js";
