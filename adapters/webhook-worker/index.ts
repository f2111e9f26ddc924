/** Delivers events to webhook endpoints. */
export type { Send, WebhookAnswer, WebhookRequest } from "./client/send.js";
export type { After } from "./timers.js";
export {
  createWebhookWorker,
  type WebhookWorker,
  type WebhookWorkerOptions,
} from "./webhook-worker.js";
