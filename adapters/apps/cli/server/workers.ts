import type { LoyaltyService } from "../../../../src/loyalty-service.js";
import {
  createAutomationWorker,
  createSegmentWorker,
  createWebhookWorker,
} from "../../../delivery/webhooks/index.js";
import type { ServerContext } from "./server-context.js";
import { WEBHOOK_DRAIN_MS } from "./shutdown.js";

/**
 * Starts a server's background workers and registers them for shutdown.
 * @param webhooks whether this process delivers webhooks. If false, another process must deliver them.
 */
export function startWorkers(loyalty: LoyaltyService, webhooks: boolean, { shutdown }: ServerContext): void {
  if (webhooks) {
    const worker = createWebhookWorker(loyalty);
    shutdown.worker(() => worker.close({ withinMs: WEBHOOK_DRAIN_MS }));
  }
  const segments = createSegmentWorker(loyalty);
  shutdown.worker(() => segments.close());
  const automations = createAutomationWorker(loyalty);
  shutdown.worker(() => automations.close());
}
