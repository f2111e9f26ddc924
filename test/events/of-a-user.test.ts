import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";

describe.each(everyAdapter)("the events of a user on $name", ({ open }) => {
  const scene = async () => {
    const opened = openAcme({ storage: await open() });
    const { acme } = opened;
    const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 3 });
    const pass = await acme.passes.create(card.id, { user: { email: "ada@example.com", externalId: "ada" } });
    const friends = await acme.passes.create(card.id, { user: { email: "bob@example.com" } });
    await acme.tags.create({ name: "VIP" });
    await acme.tags.assign(pass.userId, "vip");
    await acme.stamps.add(friends.id);
    await acme.stamps.add(pass.id, { count: 4 });
    const types = async (query: object) => (await acme.events.list(query)).content.map(({ type }) => type);
    return { ...opened, pass, friends, types };
  };
  const told = ["user.created", "pass.created", "user_tag.assigned", "stamp.added", "stamp_card.completed"];

  it("are what tells of the user and the user's passes, by either id, in order and page by page", async () => {
    const { acme, pass, types } = await scene();
    expect(await types({ userId: pass.userId })).toEqual(told);
    expect(await types({ userId: "ada" })).toEqual(told);
    expect(await types({ userId: "ada", types: ["stamp.added", "user.created"] })).toEqual([
      "user.created",
      "stamp.added",
    ]);
    const paged: string[] = [];
    for (let after = "0"; ; ) {
      const page = await acme.events.list({ userId: "ada", limit: 2, after });
      paged.push(...page.content.map(({ type }) => type));
      after = page.next;
      if (page.content.length === 0) break;
    }
    expect(paged).toEqual(told);
  });

  it("can be those that somebody has done alone", async () => {
    const { loyalty, pass, friends, types } = await scene();
    const anna = loyalty.organization("acme", { actor: { kind: "app", subject: "anna" } });
    await anna.stamps.remove(pass.id);
    await anna.stamps.remove(friends.id);
    expect(await types({ userId: "ada", subject: "anna" })).toEqual(["stamp.removed"]);
    expect(await types({ userId: "ada", actorKind: "app" })).toEqual(["stamp.removed"]);
    expect(await types({ userId: "ada", actorKind: "library" })).toEqual(told);
  });

  it("leave no trace of who has looked, unlike a dossier", async () => {
    const { acme, pass } = await scene();
    await acme.events.list({ userId: pass.userId });
    expect((await acme.audit.list()).content).toEqual([]);
    await acme.users.dossier(pass.userId);
    expect((await acme.audit.list()).content).toMatchObject([{ action: "user.handed_out" }]);
  });

  it("are put together for nobody who was erased, nor of another organization", async () => {
    const { loyalty, acme, pass } = await scene();
    const theirs = await loyalty.organization("globex").users.create({ email: "gil@example.com" });
    await acme.users.erase(pass.userId);
    for (const userId of [pass.userId, "ada", theirs.id, "usr_none", ""]) {
      expect(await getErrorDetail(acme.events.list({ userId }))).toEqual(notFound);
    }
  });
});
