import type { StorageAdapter } from "loyalty-kit";
import { testStorage } from "loyalty-kit/testing";
import { describe, it } from "vitest";
import { type BridgedHost, bridgedHosts } from "../joining/bridged.js";

/** As it is for transactions of Kysely: what closing waits for is not what joins. */
const ofJoining = (name: string, define: () => void) => {
  if (name !== "closing") describe(name, define);
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
          host.transaction((tx) => storage.joining(tx).transaction(work, options));
        return transaction;
      }
      if (name === "close") return host.close;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
