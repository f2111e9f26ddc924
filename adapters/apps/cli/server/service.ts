import { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { WebhookOptions } from "../../../../src/webhooks/options.js";
import { pictureDecoder } from "../../../delivery/wallets/index.js";
import {
  createAutomationWorker,
  createSegmentWorker,
  createWebhookWorker,
} from "../../../delivery/webhooks/index.js";
import { toSingleLine } from "../terminal/output.js";
import { toKeyError } from "./keys.js";
import type { ServerLog } from "./log.js";
import type { ServerPlan } from "./plan.js";
import type { ServerContext } from "./server-context.js";
import type { ServerSettings } from "./settings.js";
import { WEBHOOK_DRAIN_TIMEOUT_MS } from "./shutdown.js";

/**
 * Creates the loyalty service with a server's storage, and checks that the server's secret keys can decrypt the stored secrets.
 * @throws {CommandError} if the keys can't decrypt the stored secrets.
 */
export async function openService(
  storage: StorageAdapter,
  settings: ServerSettings,
  { secretKeys, shortLinkBase, tracer }: ServerPlan,
  { log, shutdown, onError }: ServerContext,
): Promise<LoyaltyService> {
  let close = () => storage.close();
  shutdown.addResource(() => close());
  const loyalty = new LoyaltyService({
    storage,
    webhooks: buildWebhookOptions(settings, log),
    secretKeys,
    ...(tracer !== null && { tracer }),
    ...(shortLinkBase !== undefined && { shortLinkBase }),
    previousShortLinkBases: settings.previousShortLinkBase,
    pictureDecoder: pictureDecoder(),
    ...(settings.limits !== undefined && { limits: settings.limits }),
    ...(settings.retention !== undefined && { retention: settings.retention }),
    onError,
  });
  close = () => loyalty.close();
  await loyalty.secrets.check().catch((error: unknown) => {
    throw toKeyError(error);
  });
  return loyalty;
}

function buildWebhookOptions({ webhooksAllowLoopback }: ServerSettings, log: ServerLog): WebhookOptions {
  return {
    allowLoopback: webhooksAllowLoopback,
    onDisabled({ id, url, disabledReason }, { organizationId }) {
      // The part of a URL after the host is often a secret, and many people can read logs.
      const endpoint = `${id} (${new URL(url).origin}/…) of organization ${organizationId}`;
      log.note(toSingleLine(`loyalty-kit: webhook endpoint ${endpoint} was disabled: ${disabledReason}`));
    },
  };
}

/**
 * Starts a server's background workers and registers them for shutdown.
 * @param webhooks whether this process delivers webhooks. If false, another process must deliver them.
 */
export function startWorkers(loyalty: LoyaltyService, webhooks: boolean, { shutdown }: ServerContext): void {
  if (webhooks) {
    const worker = createWebhookWorker(loyalty);
    shutdown.addWorker(() => worker.close({ withinMs: WEBHOOK_DRAIN_TIMEOUT_MS }));
  }
  const segmentWorker = createSegmentWorker(loyalty);
  shutdown.addWorker(() => segmentWorker.close());
  const automationWorker = createAutomationWorker(loyalty);
  shutdown.addWorker(() => automationWorker.close());
}
