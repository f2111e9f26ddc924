import type { Step } from "../base/concurrency/step.js";
import { splitIntoBatches } from "../storage/batches.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredUser } from "../storage/users.js";
import type { StoredWalletDevice, WalletPlatform } from "../storage/wallets.js";
import type { RecipientFacts } from "./recipients.js";

/** The facts about a customer that determine whether they receive a message. */
export interface Recipient
  extends Pick<RecipientFacts, "exists" | "hasAddress" | "hasWallet" | "subscription"> {
  readonly user: StoredUser;
  /** The customer's passes for the message's template, oldest first. */
  readonly passes: readonly StoredPass[];
  /** The IDs of the `passes` that are in a wallet, oldest pass first. */
  readonly passIdsInWallets: readonly string[];
  /** The wallet platforms on which the passes are installed. */
  readonly platforms: ReadonlySet<WalletPlatform>;
}

/**
 * Reads the data that determines whether the given customers (at most 1,000) receive a message. Reads passes and wallets only if
 * the message has a template.
 */
export function* readRecipients(
  reader: StorageReader,
  { templateId }: Pick<StoredMessage, "templateId">,
  users: readonly StoredUser[],
): Step<Recipient[]> {
  if (users.length === 0) return [];
  const subscriptions = new Map<string, StoredSubscription>();
  const userIds = users.map(({ id }) => id);
  for (const subscription of yield* reader.subscriptionsOf(userIds))
    subscriptions.set(subscription.userId, subscription);
  const passes = templateId === null ? [] : yield* readTemplatePasses(reader, templateId, users);
  const passesByUser = groupRows(passes, ({ userId }) => userId);
  const devices = yield* readDevices(reader, passes);
  return users.map((user) => {
    const ownPasses = passesByUser.get(user.id) ?? [];
    const walletPasses = ownPasses.filter(({ id }) => devices.has(id));
    return {
      user,
      exists: true,
      hasAddress: user.email !== null,
      hasWallet: walletPasses.length > 0,
      subscription: subscriptions.get(user.id) ?? null,
      passes: ownPasses,
      passIdsInWallets: walletPasses.map(({ id }) => id),
      platforms: new Set(walletPasses.flatMap(({ id }) => listDevicePlatforms(devices.get(id)))),
    };
  });
}

function* readTemplatePasses(
  reader: StorageReader,
  templateId: string,
  users: readonly StoredUser[],
): Step<StoredPass[]> {
  const passes = yield* reader.passesOfUsers(users);
  return passes.filter((pass) => pass.templateId === templateId);
}

/** Reads the registered devices for passes, keyed by pass ID. */
function* readDevices(
  reader: StorageReader,
  passes: readonly StoredPass[],
): Step<Map<string, StoredWalletDevice[]>> {
  const registeredDevices: StoredWalletDevice[] = [];
  for (const passIds of splitIntoBatches(passes.map(({ id }) => id))) {
    const devices = yield* reader.walletDevicesOf(passIds);
    registeredDevices.push(...devices.filter(({ state }) => state === "registered"));
  }
  return groupRows(registeredDevices, ({ passId }) => passId);
}

function listDevicePlatforms(devices: readonly StoredWalletDevice[] = []): WalletPlatform[] {
  return devices.map(({ platform }) => platform);
}

function groupRows<Row>(rows: readonly Row[], getKey: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(getKey(row));
    if (group === undefined) groups.set(getKey(row), [row]);
    else group.push(row);
  }
  return groups;
}
