import { transliterate } from "transliteration";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound } from "../kit/refusal.js";

describe("a tag's slug", () => {
  it("is transliterated without changes to ASCII", () => {
    const ascii = String.fromCharCode(...Array(128).keys());
    expect(transliterate(ascii)).toBe(ascii);
  });

  it.each([
    ["VIP", "vip"],
    ["High Value Customer", "high-value-customer"],
    ["Größe & Länge", "grosse-lange"],
    ["  --Sale!! 50% off--  ", "sale-50-off"],
    ["Ünïcode_Ñame", "unicode-name"],
    ["Москва", "moskva"],
    ["東京", "dong-jing"],
    ["e\u0301te\u0301", "ete"],
    ["été", "ete"],
    ["C++", "c"],
    ["'; DROP TABLE", "drop-table"],
    ["a".repeat(100), "a".repeat(100)],
    [`${"a".repeat(98)} b`, `${"a".repeat(98)}-b`],
    ["東".repeat(100), `${"dong-".repeat(20)}`.slice(0, 99)],
  ])("for the name %j is %j", async (name, slug) => {
    const { acme } = openAcme();
    expect((await acme.tags.create({ name })).slug).toBe(slug);
  });

  it.each(["!!!", "…", "\u200D", "-", "😀", "()[]{}"])("can't be made from %j", async (name) => {
    const { acme } = openAcme();
    expect(await getRefusedFields(acme.tags.create({ name }))).toEqual(["name"]);
  });
});

describe("a tag's color", () => {
  it.each(["#abcdef", "#ABCDEF", "#aBcDeF", "#000000", "#123456"])(
    "may be %s, stored in upper case",
    async (color) => {
      const { acme } = openAcme();
      expect((await acme.tags.create({ name: "VIP", color })).color).toBe(color.toUpperCase());
      expect((await acme.tags.update("vip", { color: "#FFFFFF" })).color).toBe("#FFFFFF");
      expect((await acme.tags.update("vip", { color })).color).toBe(color.toUpperCase());
    },
  );

  it.each(["", "#", "#abc", "abcdef", "#abcdeg", "#abcdef0", " #abcdef", "#abcdef\n", "red", "#ａbcdef"])(
    "can't be %j",
    async (color) => {
      const { acme } = openAcme();
      expect(await getRefusedFields(acme.tags.create({ name: "VIP", color }))).toEqual(["color"]);
      await acme.tags.create({ name: "VIP" });
      expect(await getRefusedFields(acme.tags.update("vip", { color }))).toEqual(["color"]);
    },
  );
});

describe.each(everyAdapter)("tags on $name", ({ open }) => {
  it("keep their slug when they are renamed, may share a name, and may have a name without a slug", async () => {
    const { acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "VIP" });
    await acme.tags.create({ name: "Regular" });
    for (const name of ["Regular", "!!!", "😀"]) {
      expect(await acme.tags.update("vip", { name })).toMatchObject({ name, slug: "vip" });
      expect((await acme.tags.get("vip")).name).toBe(name);
    }
    expect(await getErrorDetail(acme.tags.create({ name: "vip!" }))).toEqual({
      code: "user_tag_already_exists",
      params: ["vip"],
    });
    expect((await acme.tags.create({ name: "!!! x" })).slug).toBe("x");
  });

  it("with the same slug are a conflict, but only within one organization", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await acme.tags.create({ name: "Été" });
    for (const name of ["ete", "ÉTÉ", "e\u0301te\u0301?"]) {
      expect(await getErrorDetail(acme.tags.create({ name }))).toEqual({
        code: "user_tag_already_exists",
        params: ["ete"],
      });
    }
    await loyalty.organization("globex").tags.create({ name: "Été" });
    expect(await acme.tags.list()).toHaveLength(1);
  });

  it("free their slug when they are deleted, and a new tag with it has no users", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: someEmail() });
    const old = await acme.tags.create({ name: "VIP" });
    await acme.tags.assign(id, "vip");
    await acme.tags.delete("vip");
    const filter = { operator: "OR", conditions: [{ slug: "vip" }] } as const;
    expect(await getErrorDetail(acme.tags.get("vip"))).toEqual(notFound);
    expect(await getErrorDetail(acme.tags.users("vip"))).toEqual(notFound);
    expect(await acme.tags.ofUser(id)).toEqual([]);
    expect((await acme.tags.query({ filter })).totalElements).toBe(0);
    const again = await acme.tags.create({ name: "VIP" });
    expect(again.id).not.toBe(old.id);
    expect(await acme.tags.ofUser(id)).toEqual([]);
    expect((await acme.tags.query({ filter })).totalElements).toBe(0);
    expect(await acme.tags.verifyIndex()).toMatchObject({ wrong: [] });
  });

  it("can be assigned only once, and unassigned only while assigned", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const { id } = await acme.users.create({ email: someEmail() });
    const userTag = await acme.tags.create({ name: "VIP" });
    expect(await getErrorDetail(acme.tags.unassign(id, "vip"))).toEqual(notFound);
    clock.move(5);
    expect(await acme.tags.assign(id, "vip")).toEqual({
      id: expect.stringMatching(/^uta_[0-9a-f-]{36}$/),
      object: "UserTagAssignment",
      userTag,
      createdAt: clock.timestamp,
      updatedAt: clock.timestamp,
    });
    expect(await getErrorDetail(acme.tags.assign(id, "vip"))).toEqual({
      code: "user_tag_already_assigned",
      params: ["vip"],
    });
    await acme.tags.unassign(id, "vip");
    expect(await getErrorDetail(acme.tags.unassign(id, "vip"))).toEqual(notFound);
    expect(await acme.tags.ofUser(id)).toEqual([]);
    expect(await getErrorDetail(acme.tags.assign(id, "gold"))).toEqual(notFound);
    expect(await getErrorDetail(acme.tags.assign("nobody", "vip"))).toEqual(notFound);
  });
});
