import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/adapters.js";
import { inOneTransaction } from "../properties/organizations.js";
import { hear, told } from "./heard.js";
import { heardOf, keptEvents } from "./kept.js";

const MEMBERS = 1_203;

describe.each(everyAdapter)("deleting a tag that very many have on $name", ({ open }) => {
  it("keeps and tells of each of them once, oldest first, and then of the tag", async () => {
    const storage = await open();
    const ids: string[] = [];
    await inOneTransaction(storage, async (loyalty) => {
      const { users, tags } = loyalty.organization("acme");
      await tags.create({ name: "VIP" });
      for (let at = 0; at < MEMBERS; at += 1) {
        const { id } = await users.create({ email: `${at}@example.com` });
        if (at % 5 === 1) continue;
        await tags.assign(id, "vip");
        ids.push(id);
      }
    });
    const { loyalty, acme } = openAcme({ storage });
    const userTag = await acme.tags.get("vip");
    const before = await keptEvents(acme);
    const heard = hear(loyalty);
    await acme.tags.delete("vip");
    expect(await acme.tags.verifySegments()).toEqual({ checked: 1, wrong: [] });
    const kept = (await keptEvents(acme)).slice(before.length);
    await loyalty.close();
    expect(kept).toEqual(heardOf("acme", heard));
    expect(told(heard)).toEqual([
      ...ids.map((userId) => ["user_tag.unassigned", { userId, userTag }]),
      ["user_tag.deleted", userTag],
    ]);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(ids.length + 1);
  });
});
