import type { Step } from "../base/concurrency/step.js";
import { splitIntoBatches } from "../storage/batches.js";
import type { BehaviorTest } from "../storage/behavior.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredSubscription } from "../storage/subscriptions.js";
import type { StoredUser } from "../storage/users.js";
import type { WalletPlatform } from "../storage/wallets.js";
import { CustomerFacts, type PassFacts } from "./customer-facts.js";
import type { Plan } from "./plan.js";

/** A kind of stored customer data that filters read. `devices` means the devices that the customer's passes are installed on. */
export type FactKind = "user" | "tags" | "passes" | "devices" | "subscription";

const kindsOfTest: Readonly<Record<BehaviorTest["of"], readonly FactKind[]>> = {
  stamps: ["passes"],
  rewards: ["passes"],
  completions: ["passes"],
  visit: ["passes"],
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
    for (const { of } of tests.values()) for (const kind of kindsOfTest[of]) kinds.add(kind);
  }
  return kinds;
}

/**
 * Reads the requested kinds of facts about customers. Runs one statement per kind, plus one per thousand passes to read devices.
 * @param users at most 1,000 users.
 * @returns the facts, in the order of `users`. Kinds that weren't requested are empty.
 */
export function* readCustomerFacts(
  reader: StorageReader,
  users: readonly StoredUser[],
  kinds: ReadonlySet<FactKind>,
): Step<CustomerFacts[]> {
  const unknownFacts = users.map((user) => new CustomerFacts(user, new Map(), [], null));
  return yield* rereadFacts(reader, unknownFacts, withoutUser(kinds));
}

/**
 * Rereads some kinds of facts and keeps the others unchanged.
 * @param before facts about at most 1,000 customers.
 * @returns the facts, in the order of `before`. If user data is reread, deleted users are omitted.
 */
export function* rereadFacts(
  reader: StorageReader,
  before: readonly CustomerFacts[],
  kinds: ReadonlySet<FactKind>,
): Step<CustomerFacts[]> {
  if (before.length === 0) return [];
  const factReader = new FactReader(
    reader,
    before.map(({ user }) => user),
  );
  const users = kinds.has("user") ? yield* factReader.readUsers() : null;
  const tags = kinds.has("tags") ? yield* factReader.tags() : null;
  const passes = kinds.has("passes") || kinds.has("devices") ? yield* factReader.readPasses(kinds) : null;
  const subscriptions = kinds.has("subscription") ? yield* factReader.subscriptions() : null;
  return before.flatMap((factsBefore) => {
    const user = users === null ? factsBefore.user : users.get(factsBefore.user.id);
    if (user === undefined) return [];
    return new CustomerFacts(
      user,
      tags === null ? factsBefore.tags : (tags.get(user.ordinal) ?? new Map()),
      passes === null ? factsBefore.passes : (passes.get(user.id) ?? []),
      subscriptions === null ? factsBefore.subscription : (subscriptions.get(user.id) ?? null),
    );
  });
}

function withoutUser(kinds: ReadonlySet<FactKind>): ReadonlySet<FactKind> {
  const otherKinds = new Set(kinds);
  otherKinds.delete("user");
  return otherKinds;
}

/** Reads facts for a batch of users. */
class FactReader {
  constructor(
    private readonly reader: StorageReader,
    private readonly users: readonly StoredUser[],
  ) {}

  *readUsers(): Step<ReadonlyMap<string, StoredUser>> {
    const { reader, users } = this;
    const ids = users.map(({ id }) => id);
    return new Map((yield* reader.usersById(ids)).map((user) => [user.id, user]));
  }

  *tags(): Step<ReadonlyMap<number, Map<string, number>>> {
    const { reader, users } = this;
    const ordinals = users.map(({ ordinal }) => ordinal);
    const found = new Map<number, Map<string, number>>();
    for (const { userOrdinal, slug, createdAt } of yield* reader.assignmentsOfUsers(ordinals)) {
      const tags = found.get(userOrdinal);
      if (tags === undefined) found.set(userOrdinal, new Map([[slug, createdAt]]));
      else tags.set(slug, createdAt);
    }
    return found;
  }

  *readPasses(kinds: ReadonlySet<FactKind>): Step<ReadonlyMap<string, PassFacts[]>> {
    const { reader, users } = this;
    const passes = yield* reader.passesOfUsers(users);
    const platforms = kinds.has("devices") ? yield* this.platforms(passes) : null;
    const found = new Map<string, PassFacts[]>();
    for (const pass of passes) {
      const facts = { pass, platforms: platforms?.get(pass.id) ?? [] };
      const group = found.get(pass.userId);
      if (group === undefined) found.set(pass.userId, [facts]);
      else group.push(facts);
    }
    return found;
  }

  private *platforms(passes: readonly StoredPass[]): Step<ReadonlyMap<string, WalletPlatform[]>> {
    const { reader } = this;
    const found = new Map<string, WalletPlatform[]>();
    for (const ids of splitIntoBatches(passes.map(({ id }) => id))) {
      for (const { passId, platform, state } of yield* reader.walletDevicesOf(ids)) {
        if (state !== "registered") continue;
        const group = found.get(passId) ?? [];
        if (!group.includes(platform)) found.set(passId, [...group, platform]);
      }
    }
    return found;
  }

  *subscriptions(): Step<ReadonlyMap<string, StoredSubscription>> {
    const { reader, users } = this;
    const ids = users.map(({ id }) => id);
    return new Map(
      (yield* reader.subscriptionsOf(ids)).map((subscription) => [subscription.userId, subscription]),
    );
  }
}
