import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound } from "../kit/refusal.js";

describe.each(everyAdapter)("texts on $name", ({ open }) => {
  it("that are names are trimmed", async () => {
    const { acme } = openAcme({ storage: await open() });
    const name = " \t\u00A0 Ada  Lovelace \n";
    const user = await acme.users.create({ email: someEmail(), name });
    expect(user.name).toBe("Ada  Lovelace");
    expect((await acme.users.update(user.id, { name: " Ada " })).name).toBe("Ada");
    expect((await acme.tags.create({ name })).name).toBe("Ada  Lovelace");
    expect((await acme.templates.create({ name, type: "LOYALTY_CARD" })).name).toBe("Ada  Lovelace");
    const { apiToken } = await acme.apiTokens.create({ name, scopes: ["user:read"] });
    expect(apiToken.name).toBe("Ada  Lovelace");
  });

  it("of other kinds are stored as sent, including white space and Unicode form", async () => {
    const { acme } = openAcme({ storage: await open() });
    const input = { email: "Ada.L+1@Example.COM", phone: " 1 ", externalId: " e\u0301 ", name: "e\u0301" };
    const user = await acme.users.create(input);
    expect(user).toMatchObject(input);
    expect(await acme.users.get(user.id)).toEqual(user);
    expect(await acme.users.get(" e\u0301 ")).toEqual(user);
    expect(await getErrorDetail(acme.users.get(" é "))).toEqual(notFound);
    const tag = await acme.tags.create({ name: "VIP", description: " e\u0301 " });
    expect(tag.description).toBe(" e\u0301 ");
  });

  it("with quotes, wildcards and unusual characters are returned unchanged", async () => {
    const { acme } = openAcme({ storage: await open() });
    for (const text of [`'; DROP TABLE users; --`, "%_\\", "\u{10FFFF}", "\uFFFD\uFFFF", "\u202Ex", "\r\n"]) {
      const { id } = await acme.users.create({
        email: someEmail(),
        externalId: `x${text}`,
        name: `x${text}.`,
      });
      expect(await acme.users.get(`x${text}`)).toMatchObject({ id, name: `x${text}.` });
    }
  });
});

describe("blank texts", () => {
  it("are refused for names, phones and external ids", async () => {
    const { acme } = openAcme();
    const { id } = await acme.users.create({ email: someEmail() });
    for (const blank of ["", " ", "\t\n", "\u00A0\u2003"]) {
      const fields = { name: blank, phone: blank, externalId: blank };
      const rejectedFields = ["externalId", "name", "phone"];
      expect(await getRefusedFields(acme.users.create({ email: someEmail(), ...fields }))).toEqual(
        rejectedFields,
      );
      expect(await getRefusedFields(acme.users.update(id, fields))).toEqual(rejectedFields);
      expect(await getRefusedFields(acme.tags.create({ name: blank }))).toEqual(["name"]);
      expect(await getRefusedFields(acme.templates.create({ name: blank, type: "LOYALTY_CARD" }))).toEqual([
        "name",
      ]);
      expect(await getRefusedFields(acme.apiTokens.create({ name: blank, scopes: ["user:read"] }))).toEqual([
        "name",
      ]);
    }
  });
});

describe("impossible identifiers", () => {
  it.each(["", "\0", "a\0b", "\uD800", "usr_", "toString", "__proto__", "%", "x".repeat(100_000)])(
    "are not found (%#)",
    async (id) => {
      const { acme } = openAcme();
      await acme.users.create({ email: someEmail() });
      const calls = [
        () => acme.users.get(id),
        () => acme.users.update(id, { name: "Ada" }),
        () => acme.users.delete(id),
        () => acme.tags.get(id),
        () => acme.tags.update(id, {}),
        () => acme.tags.delete(id),
        () => acme.tags.ofUser(id),
        () => acme.tags.users(id),
        () => acme.tags.assign(id, id),
        () => acme.templates.get(id),
        () => acme.templates.delete(id),
        () => acme.passes.get(id),
        () => acme.passes.lookup(id),
        () => acme.passes.ofUser(id),
        () => acme.passes.delete(id),
        () => acme.passes.markInstalled(id),
        () => acme.stamps.state(id),
        () => acme.stamps.add(id),
        () => acme.apiTokens.delete(id),
      ];
      for (const call of calls) expect(await getErrorDetail(call())).toEqual(notFound);
    },
  );
});
