import { describe, expect, it } from "vitest";
import { awaitInStep } from "../../src/base/concurrency/step.js";
import { operations } from "../events/operations.js";
import { listTypesAndData, recordEvents } from "../events/recorded-events.js";
import { createScene, type Scene } from "../events/scene.js";
import { eventsOfOrganization, listStoredEvents } from "../events/stored-events.js";
import { readPurchaseState, readVisibleState } from "../faults/visible-state.js";
import { openAcme } from "../kit/acme.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";
import { openFaulty } from "./faults/backends.js";
import { unavailable } from "./faults/refused.js";
import { expectNothingUnhandled } from "./faults/unhandled.js";

expectNothingUnhandled();

const readState = async (scene: Scene) => ({
  ...(await readVisibleState(scene.acme)),
  ...(await readPurchaseState(scene)),
  events: await listStoredEvents(scene.acme),
});

type Moment = "between its calls" | "after its last call";

/** Opens a storage that once kills the backend of a change at the chosen moment. */
async function openMortal() {
  const { storage: inner, kill } = await openFaulty();
  const fate: { moment: Moment | null } = { moment: null };
  const killAt = async (moment: Moment) => {
    if (fate.moment !== moment) return;
    fate.moment = null;
    await kill("pausing");
  };
  const storage = replaceTransactions(inner, (organizationId, work, options) =>
    inner.transaction(
      organizationId,
      function* (tx) {
        let calls = 0;
        const mortal = interceptCalls(tx, function* (_method, proceed) {
          calls += 1;
          if (calls === 2) yield* awaitInStep(killAt("between its calls"));
          return yield* proceed();
        });
        const result = yield* work(mortal);
        yield* awaitInStep(killAt("after its last call"));
        return result;
      },
      options,
    ),
  );
  return { storage, fate };
}

describe("a change whose backend is killed", () => {
  it.each(Object.entries(operations))(
    "%s changes and emits nothing, and succeeds later",
    async (_name, operation) => {
      const { storage, fate } = await openMortal();
      const { loyalty } = openAcme({ storage });
      const scene = await createScene(loyalty);
      const before = await readState(scene);
      const events = recordEvents(loyalty);
      for (const moment of ["between its calls", "after its last call"] satisfies Moment[]) {
        fate.moment = moment;
        await expect(operation(scene)).rejects.toMatchObject(unavailable);
        expect(fate.moment).toBeNull();
        expect(await readState(scene)).toEqual(before);
      }
      expect(events).toEqual([]);
      const expected = await operation(scene);
      expect(listTypesAndData(events)).toEqual(expected);
      const after = await readState(scene);
      expect(after.wrongSegments).toEqual([]);
      expect(after.events).toEqual([...before.events, ...eventsOfOrganization("acme", events)]);
    },
  );
});
