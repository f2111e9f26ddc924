import type { Step } from "../../../../src/base/concurrency/step.js";
import type { StorageTransaction } from "../../../../src/storage/storage-adapter.js";
import type { World } from "./world.js";
import { accessWrites } from "./writes/access.js";
import { automationWrites } from "./writes/automations.js";
import { cardWrites } from "./writes/cards.js";
import type { Write, WriteName } from "./writes/choosing.js";
import { customerWrites } from "./writes/customers.js";
import { eventWrites } from "./writes/events.js";
import { jobWrites } from "./writes/jobs.js";
import { mailWrites } from "./writes/mail.js";
import { messageWrites } from "./writes/messages.js";
import { purchaseWrites } from "./writes/purchases.js";
import { segmentWrites } from "./writes/segments.js";
import { settingsWrites } from "./writes/settings.js";
import { walletWrites } from "./writes/wallets.js";
import { webhookWrites } from "./writes/webhooks.js";

export type { WriteName };

const writes: { readonly [Name in WriteName]: Write } = {
  ...customerWrites,
  ...cardWrites,
  ...purchaseWrites,
  ...eventWrites,
  ...accessWrites,
  ...webhookWrites,
  ...walletWrites,
  ...jobWrites,
  ...mailWrites,
  ...messageWrites,
  ...segmentWrites,
  ...automationWrites,
  ...settingsWrites,
};

/** The names of a transaction's write methods. */
export const writeNames = Object.keys(writes).filter((name): name is WriteName =>
  Object.hasOwn(writes, name),
);

const addingWrites = writeNames.filter((name) => /^(insert|put|append|assign|record|claim)/.test(name));

/**
 * The candidates for the next write in a random sequence. Writes that add rows are listed several times so that there are always
 * enough rows.
 */
export const nextWrites: readonly WriteName[] = [...writeNames, ...addingWrites, ...addingWrites];

/** Performs a write, along with any calls that must accompany it. */
export function write(
  name: WriteName,
  tx: StorageTransaction,
  world: World,
  organizationId: string,
): Step<unknown> {
  return writes[name](tx, world, organizationId);
}
