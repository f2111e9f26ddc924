import type { StorageAdapter } from "loyalty-kit";
import { testStorage } from "loyalty-kit/testing";
import { describe } from "vitest";
import { requireHostSupport } from "../../src/storage/storage-adapter.js";
import { type Host, hosts } from "../joining/host.js";
import { createPartRunner } from "./suite-parts.js";

const hostsInTurn = hosts.map((host, turn) => ({ ...host, turn }));

/**
 * Leaves out the tests of closing. A joined storage has nothing to release, and doesn't know of the host's
 * transactions that are open when it is closed.
 */
const isJoining = (concern: string) => concern !== "closing";

describe.each(hostsInTurn)("joining transactions of a host on $name", ({ open, turn }) => {
  testStorage(createPartRunner(turn, isJoining), async () => joinStorage(await open()));
});

/** Returns storage in which every change joins a transaction of the host and is committed with it. */
function joinStorage(host: Host): StorageAdapter {
  const { storage, db } = host;
  return new Proxy(storage, {
    get(target, name) {
      if (name === "transaction") {
        const transaction: StorageAdapter["transaction"] = (organizationId, work, options) =>
          db
            .transaction()
            .execute((trx) =>
              requireHostSupport(storage).joining(trx).transaction(organizationId, work, options),
            );
        return transaction;
      }
      if (name === "close") return host.close;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
