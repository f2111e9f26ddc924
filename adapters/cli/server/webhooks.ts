import { Option } from "commander";
import type { WebhookOptions } from "../../../src/webhooks/options.js";
import { environmentFlag } from "../terminal/environment-flag.js";
import { type Output, oneLine } from "../terminal/output.js";

/** What the command line says about webhooks. */
export interface WebhookFlags {
  /** False when they are turned off. */
  readonly webhooks: boolean;
  readonly webhooksAllowLoopback?: true;
}

/** Whether the process delivers webhooks. */
export function webhooksOption(): Option {
  return new Option(
    "--no-webhooks",
    "deliver no webhooks: another process does (env: LOYALTY_WEBHOOKS=false)",
  );
}

/** `--webhooks-allow-loopback`, of a server for development. */
export function allowLoopbackOption(): Option {
  return new Option(
    "--webhooks-allow-loopback",
    "for development: let webhook endpoints be on this machine, also over http (env: LOYALTY_WEBHOOKS_ALLOW_LOOPBACK=true)",
  );
}

/** What a server does about webhooks, by its flags and the environment. @throws {CommandError} for a wrong variable. */
export function webhookPlan({ webhooks, webhooksAllowLoopback }: WebhookFlags, output: Output) {
  const delivers = webhooks && environmentFlag("LOYALTY_WEBHOOKS", true);
  const allowLoopback = webhooksAllowLoopback ?? environmentFlag("LOYALTY_WEBHOOKS_ALLOW_LOOPBACK", false);
  const options: WebhookOptions = {
    allowLoopback,
    onDisabled({ id, url, disabledReason }, { organizationId }) {
      // What stands behind the host is often a secret, and logs are read by many.
      const endpoint = `${id} (${new URL(url).origin}/…) of the organization ${organizationId}`;
      output.note(oneLine(`loyalty-kit: webhook endpoint ${endpoint} is disabled: ${disabledReason}`));
    },
  };
  return { delivers, options };
}
