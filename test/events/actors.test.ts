import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { hostActor } from "../kit/host-actor.js";
import { getErrorDetail, getRefusedFields, untyped, wrongType } from "../kit/refusal.js";

const anna = { kind: "app", id: "till-app", subject: "anna", location: "Köln", receipt: "4711" } as const;

describe.each(everyAdapter)("the actor, on $name", ({ open }) => {
  it("appears in events and stamp entries, and each of its fields works as a filter", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const recordedActors: unknown[] = [];
    loyalty.on("stamp.added", ({ actor }) => recordedActors.push(actor));
    const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
    const pass = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
    const till = loyalty.organization("acme", { actor: anna });
    await till.stamps.add(pass.id);
    await till.actingFor({ receipt: "4712" }).stamps.add(pass.id, { count: 2 });
    await acme.stamps.add(pass.id, { count: 3 });
    expect(recordedActors).toEqual([anna, { ...anna, receipt: "4712" }, hostActor]);

    const listDeltas = async (query: object) =>
      (await acme.stamps.history(pass.id, query)).content.map(({ delta }) => delta);
    expect((await acme.stamps.history(pass.id)).content.map(({ actor }) => actor)).toEqual(
      recordedActors.toReversed(),
    );
    expect(await listDeltas({ actorKind: "app" })).toEqual([2, 1]);
    expect(await listDeltas({ actorKind: "library" })).toEqual([3]);
    expect(await listDeltas({ actorId: "till-app", location: "Köln", receipt: "4711" })).toEqual([1]);
    expect(await listDeltas({ subject: "anna", receipt: "4712" })).toEqual([2]);
    expect(await listDeltas({ subject: "bob" })).toEqual([]);
    expect(await acme.stamps.history(pass.id, { subject: "anna", size: 1, page: 1 })).toMatchObject({
      content: [{ delta: 1 }],
      totalElements: 2,
      totalPages: 2,
    });

    const listTypes = async (query: object) =>
      (await acme.events.list(query)).content.map(({ type }) => type);
    expect(await listTypes({ subject: "anna" })).toEqual(["stamp.added", "stamp.added"]);
    expect(await listTypes({ actorKind: "library" })).toEqual([
      "template.created",
      "user.created",
      "pass.created",
      "stamp.added",
    ]);
    expect(await listTypes({ actorKind: "library", types: ["stamp.added"] })).toEqual(["stamp.added"]);
    expect(await listTypes({ receipt: "4712" })).toEqual(["stamp.added"]);
    const page = await acme.events.list({ subject: "anna", limit: 1 });
    expect((await acme.events.list({ subject: "anna", after: page.next })).content).toHaveLength(1);
  });

  it("is stored exactly as given, and filters don't match parts of a text", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const odd = { ...anna, id: '","location":"Berlin', location: 'a\\"b%_' };
    await loyalty.organization("acme", { actor: odd }).tags.create({ name: "VIP" });
    expect((await acme.events.list({ location: odd.location })).content).toMatchObject([{ actor: odd }]);
    expect((await acme.events.list({ location: "Berlin" })).content).toEqual([]);
    expect((await acme.events.list({ location: "a" })).content).toEqual([]);
  });

  it("no longer names a person who was erased", async () => {
    const storage = await open();
    const { loyalty, acme } = openAcme({ storage });
    const user = await acme.users.create({ email: "ada@example.com", externalId: "customer-7" });
    const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
    const friends = await acme.passes.create(template.id, { user: { email: "bob@example.com" } });
    const self = loyalty.organization("acme", { actor: { kind: "customer", subject: "customer-7" } });
    await self.stamps.add(friends.id);
    await self.users.erase(user.id);
    expect((await acme.stamps.history(friends.id)).content).toMatchObject([
      { delta: 1, actor: { kind: "customer", subject: null } },
    ]);
    expect((await acme.events.list({ subject: "customer-7" })).content).toEqual([]);
    expect(JSON.stringify(await runStep(storage.reader("acme").listEvents(null, 0, 100)))).not.toContain(
      "customer-7",
    );
  });

  it("names only the customer in that customer's dossier", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const user = await acme.users.create({ email: "ada@example.com", externalId: "customer-7" });
    const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
    const pass = await acme.passes.create(template.id, { userId: user.id });
    for (const subject of ["anna", "customer-7"]) {
      await loyalty.organization("acme", { actor: { kind: "app", subject } }).stamps.add(pass.id);
    }
    const { passes, events } = await acme.users.dossier(user.id);
    expect(passes[0]?.history.map(({ actor }) => actor.subject)).toEqual(["customer-7", null]);
    const addedEvents = events.filter(({ type }) => type === "stamp.added");
    expect(addedEvents.map(({ actor }) => actor.subject)).toEqual([null, "customer-7"]);
  });
});

describe("an actor", () => {
  it("has texts of 1 to 255 characters, and no unknown fields", async () => {
    const { loyalty } = openAcme();
    const actWith = async (actor: unknown) => loyalty.organization("acme", { actor: untyped(actor) });
    expect(await getRefusedFields(actWith({ subject: "", location: "x".repeat(256) }))).toEqual([
      "location",
      "subject",
    ]);
    expect(await getRefusedFields(actWith({ kind: "robot" }))).toEqual(["kind"]);
    expect(await getRefusedFields(actWith({ name: "anna" }))).toEqual(["name"]);
    expect(await getErrorDetail(actWith({ id: 5 }))).toEqual(wrongType("id"));
    expect((await actWith({ subject: null, id: "x".repeat(255) })).id).toBe("acme");
  });
});
