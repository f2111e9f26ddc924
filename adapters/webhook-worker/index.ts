/** Delivers events to webhook endpoints, runs automations, and settles what time does to segments. */
export {
  type AutomationWorker,
  type AutomationWorkerOptions,
  createAutomationWorker,
} from "../automations/automation-worker.js";
export type { After } from "../jobs/timers.js";
export type { Send, WebhookAnswer, WebhookRequest } from "./client/attempt.js";
export { createSegmentWorker, type SegmentWorker, type SegmentWorkerOptions } from "./segment-worker.js";
export {
  createWebhookWorker,
  type WebhookWorker,
  type WebhookWorkerEnd,
  type WebhookWorkerOptions,
} from "./webhook-worker.js";
