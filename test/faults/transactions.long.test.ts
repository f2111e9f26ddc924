import { describe, expect, it } from "vitest";
import { type Operation, operations } from "../events/operations.js";
import { listTypesAndData, recordEvents } from "../events/recorded-events.js";
import { createScene, type Scene } from "../events/scene.js";
import { eventsOfOrganization, listStoredEvents } from "../events/stored-events.js";
import { openAcme } from "../kit/acme.js";
import { adaptersInProcess } from "../kit/adapters.js";
import { FailingStorage, type FailurePoint, Fault } from "./failing-storage.js";
import { readPurchaseState, readVisibleState } from "./visible-state.js";

const readState = async (scene: Scene) => ({
  ...(await readVisibleState(scene.acme)),
  ...(await readPurchaseState(scene)),
  events: await listStoredEvents(scene.acme),
});

/** Runs the operation. @returns its expected events, or the fault with which it failed. */
async function attemptOperation(operation: Operation, scene: Scene) {
  try {
    return { expected: await operation(scene), fault: null };
  } catch (error) {
    if (error instanceof Fault) return { expected: [], fault: error };
    throw error;
  }
}

describe.each(adaptersInProcess)("on $name", ({ open }) => {
  describe.each(["before", "after"] satisfies FailurePoint[])(
    "with a failure %s a call of the transaction",
    (failurePoint) => {
      it.each(Object.entries(operations))(
        "%s is applied completely or not at all, whichever call fails",
        async (_name, operation) => {
          const failingStorage = new FailingStorage(await open());
          const { loyalty } = openAcme({ storage: failingStorage.storage });
          const scene = await createScene(loyalty);
          const before = await readState(scene);
          expect(before.wrongSegments).toEqual([]);
          const recordedEvents = recordEvents(loyalty);
          let call = 0;
          for (let isDone = false; !isDone; ) {
            call += 1;
            failingStorage.failAt(call, failurePoint);
            const { expected, fault } = await attemptOperation(operation, scene);
            expect(listTypesAndData(recordedEvents)).toEqual(expected);
            isDone = fault === null;
            if (!isDone) expect(await readState(scene)).toEqual(before);
          }
          // The last attempt succeeded because the transaction ended before the failing call.
          expect(failingStorage.isArmed).toBe(true);
          // One call to write, one to store the event, one to end.
          expect(call).toBeGreaterThanOrEqual(4);
          const after = await readState(scene);
          expect(after.wrongSegments).toEqual([]);
          expect(after.events).toEqual([...before.events, ...eventsOfOrganization("acme", recordedEvents)]);
        },
      );
    },
  );
});
