import { type EventType, scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { FailingStorage, Fault } from "../faults/failing-storage.js";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { fillOutbox } from "../kit/filled-outbox.js";
import { hostActor } from "../kit/host-actor.js";
import { getErrorDetail, getRefusedFields, untyped, wrongType } from "../kit/refusal.js";
import { operations } from "./operations.js";
import { recordEvents } from "./recorded-events.js";
import { createScene } from "./scene.js";
import { eventsOfOrganization, listStoredEvents, readPages } from "./stored-events.js";

describe.each(everyAdapter)("the outbox on $name", ({ open }) => {
  it.each(Object.entries(operations))(
    "stores the events that listeners receive for %s",
    async (_name, operation) => {
      const { loyalty } = openAcme({ storage: await open() });
      const recordedEvents = recordEvents(loyalty);
      const scene = await createScene(loyalty);
      await operation(scene);
      expect(recordedEvents.length).toBeGreaterThan(10);
      expect(await listStoredEvents(scene.acme)).toEqual(eventsOfOrganization("acme", recordedEvents));
    },
  );

  it("stores events that have no listener", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const user = await acme.users.create({ email: someEmail() });
    expect(await listStoredEvents(acme)).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-f-]{36}$/),
        type: "user.created",
        timestamp: clock.timestamp,
        actor: hostActor,
        data: user,
      },
    ]);
  });

  it("stores data exactly as given", async () => {
    const { acme } = openAcme({ storage: await open() });
    const metadata = JSON.parse(
      '{"__proto__":{"a":1},"constructor":null,"b":1,"10":"é e\\u0301 😀 \\u2028"}',
    );
    const user = await acme.users.create({ email: someEmail(), name: "\u{10ffff} e\u0301", metadata });
    const [event] = await listStoredEvents(acme);
    expect(JSON.stringify(event?.data)).toBe(JSON.stringify(user));
    expect(JSON.stringify(event?.data)).toContain('"__proto__":{"a":1}');
  });

  it("has an event exactly when its change is committed", async () => {
    const failingStorage = new FailingStorage(await open());
    const { acme } = openAcme({ storage: failingStorage.storage });
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 2 });
    const before = await listStoredEvents(acme);
    for (const failurePoint of ["before", "after"] as const) {
      let failures = 0;
      for (let isDone = false; !isDone; ) {
        const email = someEmail();
        const storedEvents = await listStoredEvents(acme);
        failingStorage.failAt(failures + 1, failurePoint);
        try {
          const pass = await acme.passes.create(card.id, { user: { email } });
          isDone = true;
          const addedEvents = (await listStoredEvents(acme)).slice(storedEvents.length);
          expect(addedEvents).toMatchObject([
            { type: "user.created", data: { email } },
            { type: "pass.created", data: { id: pass.id } },
          ]);
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          failures += 1;
          expect(await listStoredEvents(acme)).toEqual(storedEvents);
        }
      }
      expect(failures).toBeGreaterThanOrEqual(4);
    }
    expect(await listStoredEvents(acme)).toHaveLength(before.length + 4);
  });

  it("stores nothing for a refused change", async () => {
    const { loyalty } = openAcme({ storage: await open() });
    const { acme, card } = await createScene(loyalty);
    const before = await listStoredEvents(acme);
    await getErrorDetail(acme.users.create({ email: "ADA@example.com" }));
    await getErrorDetail(acme.passes.create(card.id, { user: { email: "bob@example.com" } }));
    await getErrorDetail(acme.tags.assign("ada", "vip"));
    await getErrorDetail(acme.templates.delete(card.id));
    expect(await listStoredEvents(acme)).toEqual(before);
  });

  it("stores events of concurrent changes in commit order", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const recordedEvents = recordEvents(loyalty);
    const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    await Promise.all(
      Array.from({ length: 20 }, () => acme.passes.create(card.id, { user: { email: someEmail() } })),
    );
    // Events of a change that ends while others are emitted come after its response.
    await expect.poll(() => recordedEvents).toHaveLength(41);
    expect(await listStoredEvents(acme)).toEqual(eventsOfOrganization("acme", recordedEvents));
  });

  it("shows an organization none of another organization's events", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const globex = loyalty.organization("globex");
    const recordedEvents = recordEvents(loyalty);
    for (const { users } of [acme, globex, acme]) await users.create({ email: someEmail() });
    expect(eventsOfOrganization("acme", recordedEvents)).toHaveLength(2);
    expect(await listStoredEvents(acme)).toEqual(eventsOfOrganization("acme", recordedEvents));
    expect(await listStoredEvents(globex)).toEqual(eventsOfOrganization("globex", recordedEvents));
    expect(await listStoredEvents(loyalty.organization("initech"))).toEqual([]);
  });

  it("returns each event once, with any page size", async () => {
    const { loyalty } = openAcme({ storage: await open() });
    const { acme } = await createScene(loyalty);
    const all = await listStoredEvents(acme);
    for (const limit of [1, 2, 7, all.length - 1, all.length, 1_000]) {
      const pages = await readPages(acme, { limit });
      expect(pages.flatMap(({ content }) => content)).toEqual(all);
      expect(pages.every(({ content }) => content.length <= limit)).toBe(true);
      expect(pages).toHaveLength(Math.ceil(all.length / limit) + 1);
    }
  });

  it("returns 100 events per page by default", async () => {
    const { acme } = await fillOutbox(open, { count: 205 });
    const sizes = (await readPages(acme)).map(({ content }) => content.length);
    expect(sizes).toEqual([100, 100, 5, 0]);
  });

  it("returns only the requested event types", async () => {
    const { loyalty } = openAcme({ storage: await open() });
    const { acme } = await createScene(loyalty);
    const all = await listStoredEvents(acme);
    for (const types of [["user.created"], ["pass.created", "stamp.added"], ["user.deleted"]] as const) {
      for (const limit of [1, 100]) {
        const pages = await readPages(acme, { types: [...types], limit });
        const expected = all.filter(({ type }) => types.some((each) => each === type));
        expect(pages.flatMap(({ content }) => content)).toEqual(expected);
      }
    }
  });

  it("keeps its position while there is nothing new, and continues from there", async () => {
    const { acme } = openAcme({ storage: await open() });
    expect(await acme.events.list()).toEqual({ content: [], next: "0" });
    await acme.users.create({ email: someEmail() });
    const { next } = await acme.events.list();
    expect(next).not.toBe("0");
    for (let look = 0; look < 2; look += 1) {
      expect(await acme.events.list({ after: next })).toEqual({ content: [], next });
    }
    await acme.tags.create({ name: "VIP" });
    const { content } = await acme.events.list({ after: next });
    expect(content.map(({ type }) => type)).toEqual(["user_tag.created"]);
  });

  it("moves `next` past events of other types, so that each event is read once", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.users.create({ email: someEmail() });
    await acme.tags.create({ name: "VIP" });
    await acme.tags.create({ name: "Regular" });
    const types: EventType[] = ["user.created"];
    const { content, next } = await acme.events.list({ types });
    expect(content).toHaveLength(1);
    expect(await acme.events.list({ after: next })).toEqual({ content: [], next });
    expect(await acme.events.list({ after: next, types })).toEqual({ content: [], next });
    await acme.users.create({ email: someEmail() });
    expect((await acme.events.list({ after: next, types })).content).toHaveLength(1);
    const firstPage = await acme.events.list({ types, limit: 1 });
    expect((await acme.events.list({ after: firstPage.next, types })).content).toHaveLength(1);
  });

  it("can be read from a position that isn't reached yet", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.users.create({ email: someEmail() });
    const after = "999999999999999";
    expect(await acme.events.list({ after })).toEqual({ content: [], next: after });
  });

  it("stores nothing with `outbox: false`, and listeners still receive all events", async () => {
    const storage = await open();
    const { loyalty } = openAcme({ storage, outbox: false });
    const recordedEvents = recordEvents(loyalty);
    const { acme } = await createScene(loyalty, false);
    expect(recordedEvents.length).toBeGreaterThan(10);
    expect(await acme.events.list()).toEqual({ content: [], next: "0" });
    expect(await runStep(storage.reader("acme").listEvents(null, 0, 10))).toEqual([]);
  });
});

describe("a list of events", () => {
  it.each(["", " ", "abc", "-1", "+1", "1.5", "1e3", " 1", "0x1", "१", "1".repeat(16)])(
    "can't start after %j",
    async (after) => {
      expect(await getRefusedFields(openAcme().acme.events.list({ after }))).toEqual(["after"]);
    },
  );

  it.each([[[]], [["none"]], [["user.created", "user"]], [["*"]], [["toString"]], [[""]]])(
    "can't have the types %j",
    async (types) => {
      const fields = await getRefusedFields(openAcme().acme.events.list({ types }));
      expect(fields).toEqual(["types"]);
    },
  );

  it.each([0, -1, 1_001])("can't have the limit %j", async (limit) => {
    expect(await getRefusedFields(openAcme().acme.events.list({ limit }))).toEqual(["limit"]);
  });

  it.each([1, 1_000])("can have the limit %j", async (limit) => {
    expect(await openAcme().acme.events.list({ limit })).toEqual({ content: [], next: "0" });
  });

  it.each([
    ["after", 5],
    ["after", null],
    ["types", "user.created"],
    ["limit", "5"],
    ["limit", 1.5],
  ])("can't have a %s of another JSON type", async (field, value) => {
    const { acme } = openAcme();
    expect(await getErrorDetail(acme.events.list(untyped({ [field]: value })))).toEqual(wrongType(field));
  });

  it("needs webhook:manage, and no other scope", async () => {
    const { loyalty, acme } = openAcme();
    await acme.users.create({ email: someEmail() });
    const otherScopes = scopes.filter((scope) => scope !== "webhook:manage");
    for (const scope of [otherScopes, []]) {
      const limitedCaller = loyalty.organization("acme", { scopes: scope });
      expect(await getErrorDetail(limitedCaller.events.list(untyped({ after: 5 })))).toEqual({
        code: "access_denied",
        scope: "webhook:manage",
      });
    }
    const reader = loyalty.organization("acme", { scopes: ["webhook:manage"] });
    expect((await reader.events.list()).content).toHaveLength(1);
  });
});
