import { describe, expect, it } from "vitest";
import { recordEvents } from "../events/recorded-events.js";
import { openAcme, someEmail } from "../kit/acme.js";

describe("ids", () => {
  it("consist of a prefix and a text from the service's generator, for every kind", async () => {
    const createdIds: string[] = [];
    const createUuid = () => {
      const text = `018bcfe5-6800-7000-8000-${createdIds.length.toString(16).padStart(12, "0")}`;
      createdIds.push(text);
      return text;
    };
    const { loyalty, acme } = openAcme({ uuid: createUuid });
    const events = recordEvents(loyalty);
    const user = await acme.users.create({ email: someEmail() });
    const tag = await acme.tags.create({ name: "VIP" });
    const assignment = await acme.tags.assign(user.id, "vip");
    const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 3 });
    const pass = await acme.passes.create(card.id, { userId: user.id });
    await acme.stamps.add(pass.id);
    const [entry] = (await acme.stamps.history(pass.id)).content;
    const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    const prefixes = ["usr", "utag", "uta", "tpl", "wp", "ste", "akt"];
    const ids = [user, tag, assignment, card, pass, entry, apiToken].map((one) => one?.id ?? "");
    expect(ids.map((id) => id.split("_")[0])).toEqual(prefixes);
    const uuids = [...ids, ...events.map(({ id }) => id)].map((id) => id.slice(id.indexOf("_") + 1));
    expect(uuids.sort()).toEqual(createdIds.toSorted());
  });

  it("are UUIDs of version 7 that sort in order of creation", async () => {
    const { acme } = openAcme();
    const ids: string[] = [];
    for (let at = 0; at < 200; at += 1) ids.push((await acme.users.create({ email: someEmail() })).id);
    for (const id of ids) {
      expect(id).toMatch(/^usr_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    }
    expect(ids.toSorted()).toEqual(ids);
  });
});
