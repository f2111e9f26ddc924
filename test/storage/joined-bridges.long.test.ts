import type { StorageAdapter } from "loyalty-kit";
import { testStorage } from "loyalty-kit/testing";
import { describe, it } from "vitest";
import { hostsOf } from "../../src/storage/storage-adapter.js";
import { type BridgedHost, bridgedHosts } from "../joining/bridged.js";

/**
 * What a bridge may get wrong: values of each type, counts, conflicts, and what is undone. The statements themselves are those
 * of the transactions of Kysely, which have the whole suite.
 */
const concerns = new Set([
  ...["storage", "law", "users", "passes", "numbers of the days", "webhook deliveries"],
  "answers to calls with idempotency keys",
  ...["transactions", "conflicts", "rollback", "texts"],
]);

const ofJoining = (name: string, define: () => void) => {
  if (concerns.has(name)) describe(name, define);
};

describe.each(bridgedHosts)("joining transactions of $name", ({ open }) => {
  testStorage({ describe: ofJoining, it }, async () => joined(await open()));
});

/** Storage whose every change joins a transaction of the host, and is committed with that. */
function joined(host: BridgedHost): StorageAdapter {
  const { storage } = host;
  return new Proxy(storage, {
    get(target, name) {
      if (name === "transaction") {
        const transaction: StorageAdapter["transaction"] = (work, options) =>
          host.transaction((tx) => hostsOf(storage).joining(tx).transaction(work, options));
        return transaction;
      }
      if (name === "close") return host.close;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
