import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { listTypesAndData, recordEvents } from "./recorded-events.js";
import { eventsOfOrganization, listStoredEvents } from "./stored-events.js";

const MEMBERS = 1_203;

describe.each(everyAdapter)("deleting a tag that very many users have on $name", ({ open }) => {
  it("stores and emits one event per user, oldest first, then the tag's event", async () => {
    const storage = await open();
    const { loyalty, acme } = openAcme({ storage });
    const rows = Array.from({ length: MEMBERS }, (_, at) => ({
      email: `${at}@example.com`,
      tags: at % 5 === 1 ? [] : ["vip"],
    }));
    await acme.tags.create({ name: "VIP" });
    for (let at = 0; at < MEMBERS; at += 500) await acme.users.import(rows.slice(at, at + 500));
    const userTag = await acme.tags.get("vip");
    const allUsers = await collect(acme.users.list());
    expect(allUsers.map(({ email }) => email)).toEqual(rows.map(({ email }) => email));
    const ids = allUsers.flatMap(({ id }, at) => (rows[at]?.tags.length === 1 ? [id] : []));
    const before = await listStoredEvents(acme);
    const recordedEvents = recordEvents(loyalty);
    await acme.tags.delete("vip");
    await loyalty.refreshSegments();
    expect(await acme.tags.verifyIndex()).toEqual({ checked: 1, wrong: [] });
    const storedEvents = (await listStoredEvents(acme)).slice(before.length);
    await loyalty.close();
    expect(storedEvents).toEqual(eventsOfOrganization("acme", recordedEvents));
    expect(listTypesAndData(recordedEvents)).toEqual([
      ...ids.map((userId) => ["user_tag.unassigned", { userId, userTag }]),
      ["user_tag.deleted", userTag],
    ]);
    expect(new Set(recordedEvents.map(({ id }) => id)).size).toBe(ids.length + 1);
  });
});
