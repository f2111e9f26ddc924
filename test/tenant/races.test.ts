import { isLoyaltyError } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { getByEmail, openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";

/** Makes a call several times concurrently. @returns how many succeed, and the error codes of the others. */
async function callConcurrently(
  call: (at: number) => Promise<unknown>,
): Promise<{ done: number; codes: string[] }> {
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, (_, at) => call(at)));
  const codes = new Set<string>();
  for (const outcome of outcomes) {
    if (outcome.status === "fulfilled") continue;
    if (!isLoyaltyError(outcome.reason)) throw outcome.reason;
    codes.add(outcome.reason.code);
  }
  return { done: outcomes.filter(({ status }) => status === "fulfilled").length, codes: [...codes] };
}

describe.each(everyAdapter)("of several concurrent calls on $name", ({ open }) => {
  it("one creates a user with an email, and one a user with an external id", async () => {
    const { acme } = openAcme({ storage: await open() });
    const oneWinner = { done: 1, codes: ["user_already_exists"] };
    const spellEmail = (at: number) => (at % 2 === 0 ? "ada@example.com" : "ADA@example.com");
    expect(await callConcurrently((at) => acme.users.create({ email: spellEmail(at) }))).toEqual(oneWinner);
    expect(await callConcurrently(() => acme.users.create({ email: someEmail(), externalId: "7" }))).toEqual(
      oneWinner,
    );
    expect((await acme.contacts.list()).totalElements).toBe(2);
  });

  it("one creates a user and the others update it", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const types: string[] = [];
    for (const type of ["user.created", "user.updated"] as const) loyalty.on(type, () => types.push(type));
    const upsertUser = (at: number) =>
      acme.users.upsert({ email: at % 2 === 0 ? "ada@example.com" : "ADA@example.com", name: `Ada ${at}` });
    expect(await callConcurrently(upsertUser)).toEqual({ done: 8, codes: [] });
    expect((await acme.contacts.list()).totalElements).toBe(1);
    // Events of a change that ends while others are emitted come after its response.
    await expect.poll(() => types.toSorted()).toEqual(["user.created", ...Array(7).fill("user.updated")]);
  });

  it("one issues the card that the user is to have, and creates the user", async () => {
    const { acme } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 3 });
    const user = { email: "ada@example.com", externalId: "7" };
    const ids = new Set<string>();
    const ensure = async (at: number) => {
      ids.add((await acme.passes.ensure(card.id, at < 4 ? { user } : { user: { email: user.email } })).id);
    };
    expect(await callConcurrently(ensure)).toEqual({ done: 8, codes: [] });
    expect(ids.size).toBe(1);
    const { id } = await getByEmail(acme.users, user);
    expect(await acme.passes.ofUser(id)).toHaveLength(1);
  });

  it("each token rotation ends the previous secret, and one secret is valid in the end", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const first = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    const secrets = [first.token];
    const rotate = async () => {
      secrets.push((await acme.apiTokens.rotate(first.apiToken.id)).token);
    };
    expect(await callConcurrently(rotate)).toEqual({ done: 8, codes: [] });
    const good = await Promise.all(
      secrets.map(async (secret) => (await loyalty.verifyApiToken(secret)) !== null),
    );
    expect(good.filter(Boolean)).toHaveLength(1);
    expect(await acme.apiTokens.list()).toHaveLength(1);
  });

  it("one changes its user's email to a new one", async () => {
    const { acme } = openAcme({ storage: await open() });
    for (let at = 0; at < 8; at += 1) await acme.users.create({ email: someEmail(), externalId: `${at}` });
    const updateUser = (at: number) => acme.users.update(`${at}`, { email: "ada@example.com" });
    expect(await callConcurrently(updateUser)).toEqual({ done: 1, codes: ["user_already_exists"] });
    expect((await acme.contacts.list({ search: "ada@" })).totalElements).toBe(1);
  });

  it("one creates a tag with a slug, one assigns it, one unassigns it and one deletes it", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: someEmail() });
    const { tags } = acme;
    expect(await callConcurrently(() => tags.create({ name: "VIP" }))).toEqual({
      done: 1,
      codes: ["user_tag_already_exists"],
    });
    const twice = { done: 1, codes: ["user_tag_already_assigned"] };
    const missing = { done: 1, codes: ["resource_not_found"] };
    expect(await callConcurrently(() => tags.assign(id, "vip"))).toEqual(twice);
    expect(await callConcurrently(() => tags.unassign(id, "vip"))).toEqual(missing);
    expect(await callConcurrently(() => tags.delete("vip"))).toEqual(missing);
    expect(await tags.verifyIndex()).toEqual({ checked: 1, wrong: [] });
  });

  it("one redeems the only reward", async () => {
    const { acme } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 3 });
    const { id } = await acme.passes.create(card.id, { user: { email: someEmail() } });
    await acme.stamps.add(id, { count: 3 });
    expect(await callConcurrently(() => acme.stamps.redeem(id))).toEqual({
      done: 1,
      codes: ["no_reward_available"],
    });
    expect((await acme.stamps.state(id)).rewardsAvailable).toBe(0);
  });

  it("one reverses an entry", async () => {
    const { acme } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 3 });
    const { id } = await acme.passes.create(card.id, { user: { email: someEmail() } });
    await acme.stamps.add(id, { count: 2 });
    const { entryId } = await acme.stamps.add(id);
    const reverse = () => acme.stamps.reverse(id, { entryId });
    expect(await callConcurrently(reverse)).toEqual({ done: 1, codes: ["already_reversed"] });
    expect(await acme.stamps.state(id)).toMatchObject({ currentStamps: 2, rewardsAvailable: 0 });
  });

  it("each changes its own field, and none undoes another change", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: someEmail() });
    const changes = [{ name: "Ada" }, { phone: "1" }, { externalId: "7" }, { metadata: { a: 1 } }];
    await Promise.all(changes.map((change) => acme.users.update(id, change)));
    expect(await acme.users.get(id)).toMatchObject(Object.assign({}, ...changes));
  });

  it("one deletes the user, and nothing is left that the others gave to that user", async () => {
    const { acme } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 3 });
    for (const name of ["a", "b", "c"]) await acme.tags.create({ name });
    for (let round = 0; round < 5; round += 1) {
      const { id } = await acme.users.create({ email: someEmail() });
      const calls = [
        () => acme.tags.assign(id, "a"),
        () => acme.passes.create(card.id, { userId: id }),
        () => acme.users.delete(id),
        () => acme.tags.assign(id, "b"),
        () => acme.passes.create(card.id, { userId: id }),
        () => acme.users.update(id, { name: "Ada" }),
      ];
      const turned = [...calls.slice(round), ...calls.slice(0, round)];
      await callConcurrently((at) => turned[at]?.() ?? Promise.resolve());
    }
    expect((await acme.contacts.list({ templateId: card.id })).totalElements).toBe(0);
    const anybody = { operator: "NOT", conditions: [{ slug: "c" }] } as const;
    expect((await acme.tags.query({ filter: anybody })).totalElements).toBe(0);
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 4, wrong: [] });
    await acme.templates.delete(card.id);
  });
});
