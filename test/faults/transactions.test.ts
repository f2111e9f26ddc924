import { describe, expect, it } from "vitest";
import { openAcme } from "../domain/acme.js";
import { everyAdapter } from "../domain/adapters.js";
import { hear, told } from "../events/heard.js";
import { type Operation, operations } from "../events/operations.js";
import { type Scene, someScene } from "../events/scene.js";
import { FailingStorage, Fault, type Moment } from "./failing-storage.js";
import { visibleState } from "./visible-state.js";

/** Does the operation; answers the fault when it failed with one. */
async function attempt(operation: Operation, scene: Scene) {
  try {
    return { expected: await operation(scene), fault: null };
  } catch (error) {
    if (error instanceof Fault) return { expected: [], fault: error };
    throw error;
  }
}

describe.each(everyAdapter)("on $name", ({ open }) => {
  describe.each(["before", "after"] satisfies Moment[])(
    "with a failure %s a call of the transaction",
    (moment) => {
      it.each(Object.entries(operations))(
        "%s is done whole or not at all, whichever call it is",
        async (_name, operation) => {
          const failing = new FailingStorage(await open());
          const { loyalty } = openAcme({ storage: failing.storage });
          const scene = await someScene(loyalty);
          const before = await visibleState(scene.acme);
          expect(before.wrongSegments).toEqual([]);
          const heard = hear(loyalty);
          let call = 0;
          for (let done = false; !done; ) {
            call += 1;
            failing.failAt(call, moment);
            const { expected, fault } = await attempt(operation, scene);
            expect(told(heard)).toEqual(expected);
            done = fault === null;
            if (!done) expect(await visibleState(scene.acme)).toEqual(before);
          }
          // The last attempt got through because the transaction was over before the call that was to fail.
          expect(failing.isArmed).toBe(true);
          expect(call).toBeGreaterThanOrEqual(3);
          expect((await visibleState(scene.acme)).wrongSegments).toEqual([]);
        },
      );
    },
  );
});
