import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";

describe.each(everyAdapter)("the events of a user on $name", ({ open }) => {
  const openScene = async () => {
    const shop = openAcme({ storage: await open() });
    const { acme } = shop;
    const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 3 });
    const pass = await acme.passes.create(card.id, { user: { email: "ada@example.com", externalId: "ada" } });
    const friends = await acme.passes.create(card.id, { user: { email: "bob@example.com" } });
    await acme.tags.create({ name: "VIP" });
    await acme.tags.assign(pass.userId, "vip");
    await acme.stamps.add(friends.id);
    await acme.stamps.add(pass.id, { count: 4 });
    const listTypes = async (query: object) =>
      (await acme.events.list(query)).content.map(({ type }) => type);
    return { ...shop, pass, friends, listTypes };
  };
  const eventTypes = [
    "user.created",
    "pass.created",
    "user_tag.assigned",
    "stamp.added",
    "stamp_card.completed",
  ];

  it("are about the user and the user's passes, for either id, in order and page by page", async () => {
    const { acme, pass, listTypes } = await openScene();
    expect(await listTypes({ userId: pass.userId })).toEqual(eventTypes);
    expect(await listTypes({ userId: "ada" })).toEqual(eventTypes);
    expect(await listTypes({ userId: "ada", types: ["stamp.added", "user.created"] })).toEqual([
      "user.created",
      "stamp.added",
    ]);
    const pagedIds: string[] = [];
    for (let after = "0"; ; ) {
      const page = await acme.events.list({ userId: "ada", limit: 2, after });
      pagedIds.push(...page.content.map(({ type }) => type));
      after = page.next;
      if (page.content.length === 0) break;
    }
    expect(pagedIds).toEqual(eventTypes);
  });

  it("can be filtered by actor", async () => {
    const { loyalty, pass, friends, listTypes } = await openScene();
    const anna = loyalty.organization("acme", { actor: { kind: "app", subject: "anna" } });
    await anna.stamps.remove(pass.id);
    await anna.stamps.remove(friends.id);
    expect(await listTypes({ userId: "ada", subject: "anna" })).toEqual(["stamp.removed"]);
    expect(await listTypes({ userId: "ada", actorKind: "app" })).toEqual(["stamp.removed"]);
    expect(await listTypes({ userId: "ada", actorKind: "library" })).toEqual(eventTypes);
  });

  it("can be read without an audit entry, unlike a dossier", async () => {
    const { acme, pass } = await openScene();
    await acme.events.list({ userId: pass.userId });
    expect((await acme.audit.list()).content).toEqual([]);
    await acme.users.dossier(pass.userId);
    expect((await acme.audit.list()).content).toMatchObject([{ action: "user.handed_out" }]);
  });

  it("can't be listed for an erased user or a user of another organization", async () => {
    const { loyalty, acme, pass } = await openScene();
    const foreignUser = await loyalty.organization("globex").users.create({ email: "gil@example.com" });
    await acme.users.erase(pass.userId);
    for (const userId of [pass.userId, "ada", foreignUser.id, "usr_none", ""]) {
      expect(await getErrorDetail(acme.events.list({ userId }))).toEqual(notFound);
    }
  });
});
