import { describe, expect, it } from "vitest";
import { recordEvents } from "../../events/recorded-events.js";
import { openAcme } from "../../kit/acme.js";

describe("the events of an import", () => {
  it("are the same as those of its single steps", async () => {
    const { loyalty, acme } = openAcme();
    await acme.users.create({ email: "known@example.com", externalId: "known" });
    await acme.users.create({ email: "same@example.com" });
    const recordedEvents = recordEvents(loyalty);
    const rows = [
      { email: "known@example.com", name: "Known", tags: ["a"] },
      { email: "new@example.com", externalId: "new", tags: ["a"] },
      { email: "same@example.com" },
      { email: "nobody" },
    ];
    await acme.users.import(rows, { createTags: true });
    const tag = await acme.tags.get("a");
    const [knownUser, newUser] = [await acme.users.get("known"), await acme.users.get("new")];
    expect(recordedEvents.map(({ type, data }) => [type, data])).toEqual([
      ["user.updated", knownUser],
      ["user_tag.created", tag],
      ["user.created", newUser],
      ["user_tag.assigned", { userId: knownUser.id, userTag: tag }],
      ["user_tag.assigned", { userId: newUser.id, userTag: tag }],
    ]);
  });

  it("aren't repeated when the same rows are imported again", async () => {
    const { loyalty, acme } = openAcme();
    const rows = [{ email: "ada@example.com", externalId: "c-1", metadata: { a: [1] }, tags: ["a", "b"] }];
    await acme.users.import(rows, { createTags: true });
    const recordedEvents = recordEvents(loyalty);
    expect(await acme.users.import(rows, { createTags: true })).toMatchObject({ updated: 0, unchanged: 1 });
    expect(recordedEvents).toEqual([]);
  });

  it("are stored together with the imported data", async () => {
    const { acme } = openAcme();
    await acme.users.import([{ email: "ada@example.com", tags: ["a"] }], { createTags: true });
    const { content } = await acme.events.list();
    expect(content.map(({ type }) => type)).toEqual([
      "user.created",
      "user_tag.created",
      "user_tag.assigned",
    ]);
  });
});
