import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";

/** Adds a millisecond, as a change within the same millisecond does to the previous timestamp. */
function addMillisecond(timestamp: string): string {
  return new Date(Date.parse(timestamp) + 1).toISOString();
}

describe.each(everyAdapter)("updatedAt on $name", ({ open }) => {
  it("is strictly later after every change, even if the clock stands still or goes back", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    let user = await acme.users.create({ email: someEmail() });
    let tag = await acme.tags.create({ name: "VIP" });
    let template = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
    let pass = await acme.passes.create(template.id, { userId: user.id });
    for (const [round, ms] of [0, 0, -3_600_000, 0].entries()) {
      clock.move(ms);
      const before = [user, tag, template, pass].map(({ updatedAt }) => updatedAt);
      user = await acme.users.update(user.id, { name: `Ada ${round}` });
      tag = await acme.tags.update("vip", { name: `VIP ${round}` });
      template = await acme.templates.update(template.id, { name: `Card ${round}` });
      pass = await (round % 2 === 0
        ? acme.passes.markInstalled(pass.id)
        : acme.passes.markUninstalled(pass.id));
      const after = [user, tag, template, pass].map(({ updatedAt }) => updatedAt);
      expect(after).toEqual(before.map(addMillisecond));
    }
    expect(await acme.users.get(user.id)).toEqual(user);
    expect(await acme.tags.get("vip")).toEqual(tag);
    expect(await acme.templates.get(template.id)).toEqual(template);
    expect((await acme.passes.get(pass.id)).updatedAt).toBe(pass.updatedAt);
  });

  it("is the time of the change once the clock has moved on", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const user = await acme.users.create({ email: someEmail() });
    clock.move(60_000);
    const updatedUser = await acme.users.update(user.id, { name: "Ada" });
    expect(updatedUser.updatedAt).toBe(clock.timestamp);
    expect(updatedUser.createdAt).toBe(user.createdAt);
  });

  it("remains the same if a write changes nothing", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const fields = {
      email: someEmail(),
      name: "Ada",
      phone: "1",
      externalId: "a",
      metadata: { b: [1, { c: 2 }] },
    };
    const user = await acme.users.create(fields);
    const tag = await acme.tags.create({ name: "VIP", description: "Regulars", color: "#ABCDEF" });
    const template = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
    const pass = await acme.passes.create(template.id, { userId: user.id });
    const installed = await acme.passes.markInstalled(pass.id);
    clock.move(60_000);
    expect(await acme.users.update(user.id, {})).toEqual(user);
    expect(await acme.users.update(user.id, { ...fields, name: " Ada " })).toEqual(user);
    expect(await acme.tags.update("vip", {})).toEqual(tag);
    expect(
      await acme.tags.update("vip", { name: "VIP ", description: "Regulars", color: "#abcdef" }),
    ).toEqual(tag);
    expect(await acme.templates.update(template.id, {})).toEqual(template);
    expect(await acme.templates.update(template.id, { name: "Card", maxStamps: 5 })).toEqual(template);
    expect(await acme.passes.markInstalled(pass.id)).toEqual(installed);
  });

  it("changes only with the object's own fields", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const user = await acme.users.create({ email: someEmail() });
    const tag = await acme.tags.create({ name: "VIP" });
    const template = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
    const pass = await acme.passes.create(template.id, { userId: user.id });
    clock.move(60_000);
    await acme.tags.assign(user.id, "vip");
    await acme.stamps.add(pass.id, { count: 7 });
    await acme.stamps.redeem(pass.id);
    expect(await acme.passes.get(pass.id)).toEqual(pass);
    await acme.passes.markInstalled(pass.id);
    await acme.tags.unassign(user.id, "vip");
    expect(await acme.users.get(user.id)).toEqual(user);
    expect(await acme.tags.get("vip")).toEqual(tag);
    expect(await acme.templates.get(template.id)).toEqual(template);
  });
});
