import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped, wrongType } from "../kit/refusal.js";

const coffee = { name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 } as const;
const plain = { name: "Member card", type: "LOYALTY_CARD" } as const;

describe.each(everyAdapter)("templates on $name", ({ open }) => {
  it("are stored and returned as created", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const template = await acme.templates.create(coffee);
    expect(template).toEqual({
      id: expect.stringMatching(/^tpl_[0-9a-f-]{36}$/),
      object: "template",
      key: null,
      ...coffee,
      reward: null,
      design: null,
      earning: null,
      points: null,
      createdAt: clock.timestamp,
      updatedAt: clock.timestamp,
    });
    expect(await acme.templates.get(template.id)).toEqual(template);
    expect((await acme.templates.create(plain)).maxStamps).toBeNull();
  });

  it("with a key are created only once by concurrent calls in two services", async () => {
    const storage = await open();
    const calls = [openAcme({ storage }), openAcme({ storage })].flatMap(({ acme }) =>
      [1, 2, 3].map(() => acme.templates.ensure("coffee", coffee)),
    );
    const templates = await Promise.all(calls);
    expect(new Set(templates.map(({ id }) => id)).size).toBe(1);
    const { acme } = openAcme({ storage });
    expect(await acme.templates.list()).toEqual([templates[0]]);
    expect(await getRefusedFields(acme.templates.ensure(untyped(undefined), untyped({})))).toEqual([
      "key",
      "name",
      "type",
    ]);
    expect(await getRefusedFields(acme.templates.ensure("tea", untyped({ ...plain, nam: "Tea" })))).toEqual([
      "nam",
    ]);
  });

  it("can change their name and maxStamps, but never their type", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.templates.create(coffee);
    const change = untyped({ name: " Tea card ", maxStamps: 5, type: "LOYALTY_CARD" });
    const changes = { name: "Tea card", type: "STAMP_CARD", maxStamps: 5 };
    expect(await acme.templates.update(id, change)).toMatchObject(changes);
    expect(await acme.templates.get(id)).toMatchObject(changes);
  });

  it("describe the reward of a full card until it is cleared", async () => {
    const { acme } = openAcme({ storage: await open() });
    const reward = "A coffee of your choice";
    const template = await acme.templates.create({ ...coffee, reward });
    expect(template).toMatchObject({ reward });
    const renamedTemplate = await acme.templates.update(template.id, { name: "Tea card" });
    expect(renamedTemplate).toMatchObject({ name: "Tea card", reward });
    const pass = await acme.passes.create(template.id, { user: { email: someEmail() } });
    expect(await acme.passes.ofUser(pass.userId)).toMatchObject([{ template: { reward } }]);
    expect(await acme.templates.update(template.id, { reward: null })).toMatchObject({ reward: null });
    expect(await acme.templates.list()).toMatchObject([{ name: "Tea card", reward: null }]);
  });

  it.each(["", "  ", "x".repeat(151)])("refuse the reward %j", async (reward) => {
    const { acme } = openAcme({ storage: await open() });
    const template = await acme.templates.create(coffee);
    const changes = [
      acme.templates.create(untyped({ ...coffee, reward })),
      acme.templates.update(template.id, untyped({ reward })),
    ];
    for (const change of changes) expect(await getRefusedFields(change)).toEqual(["reward"]);
  });

  it("don't change maxStamps of existing passes", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.templates.create(coffee);
    const { userId, ...old } = await acme.passes.create(id, { user: { email: someEmail() } });
    await acme.stamps.add(old.id, { count: 7 });
    await acme.templates.update(id, { maxStamps: 5 });
    const young = await acme.passes.create(id, { userId });
    expect(await acme.stamps.state(old.id)).toMatchObject({ maxStamps: 10, currentStamps: 7 });
    expect(await acme.stamps.add(old.id, { count: 2 })).toMatchObject({
      currentStamps: 9,
      timesCompleted: 0,
    });
    expect(await acme.stamps.add(young.id, { count: 6 })).toMatchObject({ maxStamps: 5, timesCompleted: 1 });
    const [first, second] = await acme.passes.ofUser(userId);
    expect(first).toMatchObject({ template: { maxStamps: 5 }, stampProgress: { maxStamps: 10 } });
    expect(second).toMatchObject({ template: { maxStamps: 5 }, stampProgress: { maxStamps: 5 } });
  });

  it("can't be deleted while they have passes", async () => {
    const { acme } = openAcme({ storage: await open() });
    const template = await acme.templates.create(coffee);
    const pass = await acme.passes.create(template.id, { user: { email: someEmail() } });
    expect(await getErrorDetail(acme.templates.delete(template.id))).toEqual({
      code: "template_in_use",
      params: null,
    });
    expect(await acme.templates.list()).toEqual([template]);
    await acme.passes.delete(pass.id);
    await acme.templates.delete(template.id);
    expect(await getErrorDetail(acme.templates.get(template.id))).toEqual(notFound);
    expect(await acme.templates.list()).toEqual([]);
    const repeatedTemplate = await acme.templates.create(coffee);
    const { userId } = await acme.passes.create(repeatedTemplate.id, { userId: pass.userId });
    await acme.users.delete(userId);
    await acme.templates.delete(repeatedTemplate.id);
  });
});

describe("maxStamps", () => {
  it("must be from 1 to 100, and is required for a stamp card and refused otherwise", async () => {
    const { acme } = openAcme();
    for (const maxStamps of [1, 100]) await acme.templates.create({ ...coffee, maxStamps });
    const { id } = await acme.templates.create(coffee);
    for (const maxStamps of [0, -1, 101]) {
      expect(await getRefusedFields(acme.templates.create({ ...coffee, maxStamps }))).toEqual(["maxStamps"]);
      expect(await getRefusedFields(acme.templates.update(id, { maxStamps }))).toEqual(["maxStamps"]);
    }
    for (const absent of [{}, { maxStamps: null }, { maxStamps: undefined }]) {
      const { name, type } = coffee;
      expect(await getRefusedFields(acme.templates.create(untyped({ name, type, ...absent })))).toEqual([
        "maxStamps",
      ]);
    }
    expect(await getRefusedFields(acme.templates.create(untyped({ ...plain, maxStamps: 10 })))).toEqual([
      "maxStamps",
    ]);
    const member = await acme.templates.create(plain);
    expect(await getRefusedFields(acme.templates.update(member.id, { maxStamps: 10 }))).toEqual([
      "maxStamps",
    ]);
    expect(await getErrorDetail(acme.templates.create(untyped({ ...coffee, maxStamps: 1.5 })))).toEqual(
      wrongType("maxStamps"),
    );
  });
});

describe("a template's type", () => {
  it("must be exactly one of two values", async () => {
    const { acme } = openAcme();
    for (const type of ["stamp_card", "COUPON", ""]) {
      expect(await getRefusedFields(acme.templates.create(untyped({ ...plain, type })))).toEqual(["type"]);
    }
    expect(await getErrorDetail(acme.templates.create(untyped({ ...plain, type: 1 })))).toEqual(
      wrongType("type"),
    );
  });
});
