import { LoyaltyService, type Organization, type StorageAdapter } from "loyalty-kit";
import { afterAll, beforeAll } from "vitest";
import { awaitInStep, runStep, type Step } from "../../src/base/concurrency/step.js";

/** Opens a service for the tests of a suite. @returns a function that creates a new organization in it. */
export function newOrganizations(open: () => Promise<StorageAdapter>): () => Organization {
  let loyalty: LoyaltyService;
  let organizations = 0;
  beforeAll(async () => {
    loyalty = new LoyaltyService({ storage: await open() });
  });
  afterAll(() => loyalty.close());
  return () => {
    organizations += 1;
    return loyalty.organization(`organization ${organizations}`);
  };
}

/** Runs the work with a service that makes all changes in one transaction: a quick way to many users. */
export async function inOneTransaction(
  storage: StorageAdapter,
  work: (loyalty: LoyaltyService) => Promise<void>,
): Promise<void> {
  await storage.transaction("acme", (tx) => {
    // The service's other calls have to wait too, because calls of one transaction don't run in parallel.
    let line: Promise<unknown> = Promise.resolve();
    const runNested = (_id: string, nested: (reader: typeof tx) => Step<unknown>) => {
      const call = line.then(() => runStep(nested(tx)));
      line = call.catch(() => undefined);
      return call;
    };
    const joinedStorage: StorageAdapter = new Proxy(storage, {
      get: (_storage, key) => {
        if (key === "transaction" || key === "snapshot") return runNested;
        if (key === "reader") return () => tx;
        const member: unknown = Reflect.get(tx, key);
        return typeof member === "function" ? member.bind(tx) : member;
      },
    });
    return awaitInStep(work(new LoyaltyService({ storage: joinedStorage })));
  });
}
