/** Delivers events to webhook endpoints, and runs automations. */
export {
  type AutomationWorker,
  type AutomationWorkerOptions,
  createAutomationWorker,
} from "../automations/automation-worker.js";
export type { After } from "../jobs/timers.js";
export type { Send, WebhookAnswer, WebhookRequest } from "./client/attempt.js";
export {
  createWebhookWorker,
  type WebhookWorker,
  type WebhookWorkerOptions,
} from "./webhook-worker.js";
