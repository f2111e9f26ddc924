import type { StorageAdapter } from "loyalty-kit";
import { testStorage } from "loyalty-kit/testing";
import { describe } from "vitest";
import { requireHostSupport } from "../../src/storage/storage-adapter.js";
import { type BridgedHost, bridgedHosts } from "../joining/bridged-hosts.js";
import { createPartRunner } from "./suite-parts.js";

/**
 * What a bridge may get wrong: values of each type, counts, conflicts and rollbacks. The statements
 * themselves are the same as in Kysely transactions, for which the whole suite runs.
 */
const concerns = new Set([
  ...["law", "users", "passes", "daily counts", "webhook deliveries"],
  "idempotency records",
  ...["transactions", "conflicts", "rollback", "texts"],
]);

const hosts = bridgedHosts.map((host, turn) => ({ ...host, turn }));

describe.each(hosts)("joining transactions of $name", ({ open, turn }) => {
  // "storage" is the group of all concerns.
  const runner = createPartRunner(turn, (name) => name === "storage" || concerns.has(name));
  testStorage(runner, async () => joinStorage(await open()));
});

/** Returns storage in which every change joins a transaction of the host and is committed with it. */
function joinStorage(host: BridgedHost): StorageAdapter {
  const { storage } = host;
  return new Proxy(storage, {
    get(target, name) {
      if (name === "transaction") {
        const transaction: StorageAdapter["transaction"] = (organizationId, work, options) =>
          host.transaction((tx) =>
            requireHostSupport(storage).joining(tx).transaction(organizationId, work, options),
          );
        return transaction;
      }
      if (name === "close") return host.close;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
