import type { Step } from "../base/concurrency/step.js";
import { DAY_MS } from "../base/values/clock.js";
import { splitIntoBatches } from "../storage/batches.js";
import type { BehaviorTest } from "../storage/behavior.js";
import type { StoredPass } from "../storage/passes.js";
import type { StoredPointLot } from "../storage/points.js";
import type { RemainingPurchase } from "../storage/purchases.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredUser } from "../storage/users.js";
import type { WalletPlatform } from "../storage/wallets.js";
import { CustomerFacts, type PassFacts } from "./customer-facts.js";
import { MAX_LEDGER_DAYS } from "./leaf-schema.js";
import type { Plan } from "./plan.js";

/** A kind of stored customer data that filters read. `devices` means the devices that the customer's passes are installed on. */
export type FactKind = "user" | "tags" | "passes" | "devices" | "points" | "subscription" | "purchases";

/** How far back purchases are read: longer than any condition looks back, in any time zone. */
const PURCHASE_SPAN_MS = (MAX_LEDGER_DAYS + 2) * DAY_MS;

const factKindsByTest: Readonly<Record<BehaviorTest["of"], readonly FactKind[]>> = {
  stamps: ["passes"],
  rewards: ["passes"],
  completions: ["passes"],
  visit: ["passes"],
  points: ["passes", "points"],
  spent: ["purchases"],
  purchases: ["purchases"],
  joined: ["user"],
  metadata: ["user"],
  field: ["user"],
  wallet: ["passes", "devices"],
  subscription: ["subscription"],
  language: ["subscription"],
};

/**
 * Returns the kinds of facts that determine which customers match the planned filters. Changes to other data never move a customer
 * into or out of a segment.
 */
export function listFactKinds(plans: Iterable<Plan>): ReadonlySet<FactKind> {
  const kinds = new Set<FactKind>();
  for (const { tags, tests } of plans) {
    if (tags.size > 0) kinds.add("tags");
    for (const { of } of tests.values()) for (const kind of factKindsByTest[of]) kinds.add(kind);
  }
  return kinds;
}

/**
 * Reads the requested kinds of facts about customers. Runs one statement per kind, plus some per thousand passes to read devices and
 * points.
 * @param users at most 1,000 users.
 * @param at the earliest time for which the facts are needed.
 * @returns the facts, in the order of `users`. Kinds that weren't requested are empty.
 */
export function* readCustomerFacts(
  reader: StorageReader,
  users: readonly StoredUser[],
  kinds: ReadonlySet<FactKind>,
  at: number,
): Step<CustomerFacts[]> {
  if (users.length === 0) return [];
  const factReader = new FactReader(reader, users, at);
  const tags = kinds.has("tags") ? yield* factReader.readTags() : null;
  const needsPasses = kinds.has("passes") || kinds.has("devices") || kinds.has("points");
  const passes = needsPasses ? yield* factReader.readPasses(kinds) : null;
  const subscriptions = kinds.has("subscription") ? yield* factReader.readSubscriptions() : null;
  const purchases = kinds.has("purchases") ? yield* factReader.readPurchases() : null;
  return users.map(
    (user) =>
      new CustomerFacts(
        user,
        tags?.get(user.ordinal) ?? new Map(),
        passes?.get(user.id) ?? [],
        subscriptions?.get(user.id) ?? null,
        purchases?.get(user.id) ?? [],
      ),
  );
}

/** Reads facts for a batch of users. */
class FactReader {
  constructor(
    private readonly reader: StorageReader,
    private readonly users: readonly StoredUser[],
    private readonly at: number,
  ) {}

  *readTags(): Step<ReadonlyMap<number, Map<string, number>>> {
    const { reader, users } = this;
    const ordinals = users.map(({ ordinal }) => ordinal);
    const tagsByUser = new Map<number, Map<string, number>>();
    for (const { userOrdinal, slug, createdAt } of yield* reader.assignmentsOfUsers(ordinals)) {
      const tags = tagsByUser.get(userOrdinal);
      if (tags === undefined) tagsByUser.set(userOrdinal, new Map([[slug, createdAt]]));
      else tags.set(slug, createdAt);
    }
    return tagsByUser;
  }

  *readPasses(kinds: ReadonlySet<FactKind>): Step<ReadonlyMap<string, PassFacts[]>> {
    const { reader, users } = this;
    const passes = yield* reader.passesOfUsers(users);
    const platforms = kinds.has("devices") ? yield* this.readPlatforms(passes) : null;
    const lots = kinds.has("points") ? yield* this.readLots(passes) : null;
    const passesByUser = new Map<string, PassFacts[]>();
    for (const pass of passes) {
      const facts = { pass, platforms: platforms?.get(pass.id) ?? [], lots: lots?.get(pass.id) ?? null };
      const group = passesByUser.get(pass.userId);
      if (group === undefined) passesByUser.set(pass.userId, [facts]);
      else group.push(facts);
    }
    return passesByUser;
  }

  private *readPlatforms(passes: readonly StoredPass[]): Step<ReadonlyMap<string, WalletPlatform[]>> {
    const { reader } = this;
    const platformsByPass = new Map<string, WalletPlatform[]>();
    for (const ids of splitIntoBatches(passes.map(({ id }) => id))) {
      for (const { passId, platform, state } of yield* reader.walletDevicesOf(ids)) {
        if (state !== "registered") continue;
        const group = platformsByPass.get(passId) ?? [];
        if (!group.includes(platform)) platformsByPass.set(passId, [...group, platform]);
      }
    }
    return platformsByPass;
  }

  /** Reads the lots of the passes whose points ever changed. */
  private *readLots(passes: readonly StoredPass[]): Step<ReadonlyMap<string, StoredPointLot[]>> {
    const { reader, at } = this;
    const lotsByPass = new Map<string, StoredPointLot[]>();
    for (const ids of splitIntoBatches(passes.map(({ id }) => id))) {
      for (const id of yield* reader.passesWithPoints(ids)) lotsByPass.set(id, []);
      for (const lot of yield* reader.pointLotsEndingAfter(ids, at)) lotsByPass.get(lot.passId)?.push(lot);
    }
    return lotsByPass;
  }

  *readPurchases(): Step<ReadonlyMap<string, RemainingPurchase[]>> {
    const { reader, users, at } = this;
    const ids = users.map(({ id }) => id);
    const purchases = yield* reader.remainingPurchasesOf(ids, at - PURCHASE_SPAN_MS);
    const purchasesByUser = new Map<string, RemainingPurchase[]>();
    for (const purchase of purchases) {
      const group = purchasesByUser.get(purchase.userId);
      if (group === undefined) purchasesByUser.set(purchase.userId, [purchase]);
      else group.push(purchase);
    }
    return purchasesByUser;
  }

  *readSubscriptions(): Step<ReadonlyMap<string, StoredSubscription>> {
    const { reader, users } = this;
    const ids = users.map(({ id }) => id);
    return new Map(
      (yield* reader.subscriptionsOf(ids)).map((subscription) => [subscription.userId, subscription]),
    );
  }
}
