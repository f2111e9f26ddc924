import type { StorageAdapter } from "loyalty-kit";
import { testStorage } from "loyalty-kit/testing";
import { describe, it } from "vitest";
import { requireHostSupport } from "../../src/storage/storage-adapter.js";
import { type BridgedHost, bridgedHosts } from "../joining/bridged.js";
import { runs } from "../properties/runs.js";

/**
 * What a bridge may get wrong: values of each type, counts, conflicts, and what is undone. The statements themselves are those
 * of the transactions of Kysely, which have the whole suite.
 */
const concerns = new Set([
  ...["storage", "law", "users", "passes", "numbers of the days", "webhook deliveries"],
  "answers to calls with idempotency keys",
  ...["transactions", "conflicts", "rollback", "texts"],
]);

/** The law lives through so many histories on each host. */
const HISTORIES = 4;

/** In a shorter run each host lives through some of them, and the next host through others. */
const lived = runs(HISTORIES).numRuns ?? HISTORIES;

const hosts = bridgedHosts.map((host, turn) => ({ ...host, turn }));

describe.each(hosts)("joining transactions of $name", ({ open, turn }) => {
  const describeIfJoining = (name: string, define: () => void) => {
    if (concerns.has(name)) describe(name, define);
  };
  const testIfInShare = (name: string, test: () => Promise<void>) => {
    const history = /in history (\d+) of/.exec(name)?.[1];
    const isLived = history === undefined || (Number(history) + turn) % HISTORIES < lived;
    if (isLived) it(name, test);
  };
  testStorage({ describe: describeIfJoining, it: testIfInShare }, async () => joinStorage(await open()));
});

/** Storage whose every change joins a transaction of the host, and is committed with that. */
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
