import { describe, expect, it } from "vitest";
import { eventPageSchema } from "../../src/webhooks/event-schema.js";
import { readVisibleState } from "../faults/visible-state.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { hostActor } from "../kit/host-actor.js";
import { operations } from "./operations.js";
import { eventTypes, listTypesAndData, recordEvents } from "./recorded-events.js";
import { createScene } from "./scene.js";

describe.each(everyAdapter)("on $name", ({ open }) => {
  it.each(Object.entries(operations))(
    "%s emits exactly its events, once, in order, with the data that the API shows at that moment",
    async (_name, operation) => {
      const { loyalty } = openAcme({ storage: await open() });
      const scene = await createScene(loyalty);
      const reads: ReturnType<typeof readVisibleState>[] = [];
      const recordedEvents = recordEvents(loyalty, () => reads.push(readVisibleState(scene.acme)));
      const expected = await operation(scene);
      expect(listTypesAndData(recordedEvents)).toEqual(expected);
      const after = await readVisibleState(scene.acme);
      expect(reads).not.toHaveLength(0);
      for (const visibleStates of reads) expect(await visibleStates).toEqual(after);
    },
  );
});

describe("the operations", () => {
  it("emit every event type between them, each with exactly the data of its schema", async () => {
    const kinds = new Set<string>();
    for (const operation of Object.values(operations)) {
      const { loyalty } = openAcme();
      const scene = await createScene(loyalty);
      recordEvents(loyalty, ({ type }) => kinds.add(type));
      await operation(scene);
      const page = await scene.acme.events.list({ limit: 1_000 });
      expect(eventPageSchema.parse(page)).toEqual(page);
    }
    // Only automations emit these events: automations/managing.test.ts tests when.
    for (const type of ["automation.disabled", "reward.granted"]) kinds.add(type);
    expect([...kinds].sort()).toEqual(eventTypes.toSorted());
  });
});

describe("an event", () => {
  it("has its own id, its type, the time of the service's clock, and its data", async () => {
    const { loyalty, acme, clock } = openAcme();
    const recordedEvents = recordEvents(loyalty);
    const user = await acme.users.create({ email: "ada@example.com" });
    clock.move(1_000);
    await acme.users.delete(user.id);
    expect(recordedEvents).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
        type: "user.created",
        timestamp: user.createdAt,
        actor: hostActor,
        data: user,
        organizationId: "acme",
      },
      {
        id: expect.stringMatching(/^evt_/),
        type: "user.deleted",
        timestamp: clock.timestamp,
        actor: hostActor,
        data: { id: user.id, object: "user" },
        organizationId: "acme",
      },
    ]);
    expect(new Set(recordedEvents.map(({ id }) => id)).size).toBe(2);
  });
});
