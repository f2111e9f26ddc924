import type { StorageAdapter } from "loyalty-kit";
import type { StorageTransaction } from "loyalty-kit/storage";
import { describe, expect, it } from "vitest";
import type { Step } from "../../src/base/concurrency/step.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { replaceTransactions } from "../kit/intercept-calls.js";
import { operations } from "./operations.js";
import { listTypesAndData, recordEvents } from "./recorded-events.js";
import { createScene } from "./scene.js";
import { eventsOfOrganization, listStoredEvents } from "./stored-events.js";

/** After `beginRepeating`, rolls back each transaction and runs its work again, as some databases do. */
function createRepeatingStorage(storage: StorageAdapter) {
  const serializationError = new Error("could not serialize access");
  let isBegun = false;
  const repeatTransaction = async <T>(
    organizationId: string,
    work: (tx: StorageTransaction) => Step<T>,
  ): Promise<T> => {
    if (!isBegun) return storage.transaction(organizationId, work);
    const first = storage.transaction(organizationId, function* (tx) {
      yield* work(tx);
      throw serializationError;
    });
    await first.catch((error: unknown) => {
      if (error !== serializationError) throw error;
    });
    return storage.transaction(organizationId, work);
  };
  const beginRepeating = () => {
    isBegun = true;
  };
  return { storage: replaceTransactions(storage, repeatTransaction), beginRepeating };
}

describe.each(everyAdapter)("when $name runs the work of a transaction twice", ({ open }) => {
  it.each(Object.entries(operations))("%s is applied, stored and emitted once", async (_name, operation) => {
    const { storage, beginRepeating } = createRepeatingStorage(await open());
    const { loyalty } = openAcme({ storage });
    const scene = await createScene(loyalty);
    beginRepeating();
    const storedEvents = await listStoredEvents(scene.acme);
    const recordedEvents = recordEvents(loyalty);
    const expected = await operation(scene);
    expect(listTypesAndData(recordedEvents)).toEqual(expected);
    expect(await listStoredEvents(scene.acme)).toEqual([
      ...storedEvents,
      ...eventsOfOrganization("acme", recordedEvents),
    ]);
  });
});
