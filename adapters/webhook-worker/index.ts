/** Delivers events to webhook endpoints. */
export type { After } from "../jobs/timers.js";
export type { Send, WebhookAnswer, WebhookRequest } from "./client/attempt.js";
export {
  createWebhookWorker,
  type WebhookWorker,
  type WebhookWorkerOptions,
} from "./webhook-worker.js";
