import type { CreateMessage } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { notFound, refusal, refusedFields } from "../kit/refusal.js";

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

  it("of other kinds are kept as sent, white space and form included", async () => {
    const { acme } = openAcme({ storage: await open() });
    const sent = { email: "Ada.L+1@Example.COM", phone: " 1 ", externalId: " e\u0301 ", name: "e\u0301" };
    const user = await acme.users.create(sent);
    expect(user).toMatchObject(sent);
    expect(await acme.users.get(user.id)).toEqual(user);
    expect(await acme.users.get(" e\u0301 ")).toEqual(user);
    expect(await refusal(acme.users.get(" é "))).toEqual(notFound);
    const tag = await acme.tags.create({ name: "VIP", description: " e\u0301 " });
    expect(tag.description).toBe(" e\u0301 ");
  });

  it("with quotes, wildcards and odd characters come back to the letter", async () => {
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
      const refused = ["externalId", "name", "phone"];
      expect(await refusedFields(acme.users.create({ email: someEmail(), ...fields }))).toEqual(refused);
      expect(await refusedFields(acme.users.update(id, fields))).toEqual(refused);
      expect(await refusedFields(acme.tags.create({ name: blank }))).toEqual(["name"]);
      expect(await refusedFields(acme.templates.create({ name: blank, type: "LOYALTY_CARD" }))).toEqual([
        "name",
      ]);
      expect(await refusedFields(acme.apiTokens.create({ name: blank, scopes: ["user:read"] }))).toEqual([
        "name",
      ]);
    }
  });
});

/** Texts of which nothing is seen, though they are more than white space. */
const unseen = [
  "\u200E",
  " \u200F\t",
  "\u200B\u2060\uFEFF",
  "\u202E\u202C",
  "\u2066\u2069",
  "\u00AD",
  "\u3164",
  "\uFE0F",
  "\u2800",
];

describe("a text of which nothing is seen is blank", () => {
  it.each(unseen.map((text) => ({ shown: encodeURIComponent(text), text })))(
    "as $shown",
    async ({ text: name }) => {
      const { acme } = openAcme();
      const user = await acme.users.create({ email: someEmail() });
      const filter = { operator: "AND", conditions: [{ slug: "vip" }] } as const;
      const texts = [{ language: "en", subject: name, text: name, wallet: name }];
      const draft: CreateMessage = {
        ...{ name: "News", audience: { all: true }, channels: ["email"], texts: [{ language: "en" }] },
      };
      const on = { event: "user.created" } as const;
      const redirectUris = ["https://app.example/callback"];
      const calls = [
        acme.users.create({ email: someEmail(), name }),
        acme.users.update(user.id, { name }),
        acme.tags.create({ name }),
        acme.templates.create({ name, type: "LOYALTY_CARD" }),
        acme.segments.create({ name, filter }),
        acme.messages.create({ ...draft, name }),
        acme.automations.create({ name, on, do: [{ assignTag: "vip" }], per: "once" }),
        acme.people.add({ email: "ada@example.com", role: "till", name }),
        acme.apiTokens.create({ name, scopes: ["user:read"] }),
        acme.apps.create({ redirectUris, scopes: ["user:read"], name }),
        acme.settings.update({ name }),
      ];
      expect(await Promise.all(calls.map(refusedFields))).toEqual(calls.map(() => ["name"]));
      expect(await refusedFields(acme.messages.create({ ...draft, texts }))).toEqual([
        "texts.0.subject",
        "texts.0.text",
        "texts.0.wallet",
      ]);
      expect(await refusedFields(acme.messageSettings.update({ senderName: name, footer: name }))).toEqual([
        "footer",
        "senderName",
      ]);
      const consent = { email: { status: "SUBSCRIBED", text: name } } as const;
      expect(await refusedFields(acme.subscriptions.put(user.id, consent))).toEqual(["email.text"]);
    },
  );

  it("and one that has such marks beside letters, or emoji that are made with them, is kept to the letter", async () => {
    const { acme } = openAcme();
    for (const name of [
      "\u200EAda\u200F",
      "\u202EAda\u202C",
      "A\u00ADda",
      "\u2764\uFE0F",
      "\u{1F469}\u200D\u{1F680}",
    ]) {
      expect((await acme.users.create({ email: someEmail(), name })).name).toBe(name);
      expect((await acme.templates.create({ name, type: "LOYALTY_CARD" })).name).toBe(name);
    }
  });
});

describe("identifiers that nothing can have", () => {
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
        () => acme.tags.users(id).next(),
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
      for (const call of calls) expect(await refusal(call())).toEqual(notFound);
    },
  );
});
