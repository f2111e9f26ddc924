import { shownEmail } from "loyalty-kit";
import type { KnownJoiner } from "loyalty-kit/pages";
import { describe, expect, it } from "vitest";
import { openShop } from "./shop.js";

const ada = { name: "Ada", email: "ada@example.com" };

describe("the join page", () => {
  it("asks for name, email or phone and consent, in the language of the browser", async () => {
    const { card, get } = await openShop();
    const text = await (await get(`/join/${card.id}`, { "accept-language": "de" })).text();
    for (const shown of ["Hol dir deine Karte: Coffee", 'name="email"', 'name="phone"', "einverstanden"]) {
      expect(text).toContain(shown);
    }
    expect((await get("/join/tpl_unknown")).status).toBe(404);
  });

  it("ends with the card, and keeps what was agreed to and when", async () => {
    const { acme, clock, join, codeOf, get } = await openShop();
    const answer = await join(ada, { "accept-language": "fr" });
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      expect.stringMatching(/^\/loyalty\/c\/[0-9A-Za-z]{12}$/),
    ]);
    expect(await (await get(`/c/${codeOf(answer)}`)).text()).toContain("Coffee");
    const { content } = await acme.contacts.list();
    const user = await acme.users.get(content[0]?.id ?? "");
    expect(user).toMatchObject({ name: "Ada", email: "ada@example.com" });
    expect(user.metadata.join).toMatchObject({
      consent: expect.stringContaining("J’accepte"),
      consentedAt: new Date(clock.read()).toISOString(),
      language: "fr",
    });
  });

  it("takes a phone number in the place of an email", async () => {
    const { acme, join } = await openShop();
    expect((await join({ name: "Bo", phone: "+49 30 123456" })).status).toBe(303);
    const { content } = await acme.contacts.list();
    expect(content).toMatchObject([
      { phone: "+49 30 123456", email: expect.stringMatching(/@join\.invalid$/) },
    ]);
  });

  it("has no email then that anybody is shown, or that is in what is handed out to the customer", async () => {
    const { acme, join } = await openShop();
    await join({ name: "Bo", phone: "+49 30 123456" });
    const [bo] = (await acme.contacts.list()).content;
    expect(shownEmail(bo?.email ?? "")).toBe(null);
    expect((await acme.users.dossier(bo?.id ?? "")).user).toMatchObject({ name: "Bo", email: null });
    const { id } = await acme.users.create(ada);
    expect((await acme.users.dossier(id)).user.email).toBe(shownEmail(ada.email));
  });

  it("answers a known email as an unknown one, with a card that has nothing of the known customer", async () => {
    const told: KnownJoiner[] = [];
    const { acme, card, join, codeOf, get } = await openShop({ sendLink: (known) => void told.push(known) });
    const known = await acme.passes.create(card.id, { user: { ...ada, name: "The real Ada" } });
    await acme.stamps.add(known.id, { count: 3 });
    const shape = (answer: Response) => [
      answer.status,
      answer.headers.get("location")?.replace(/\w{12}$/, ""),
      [...answer.headers.keys()],
    ];
    const again = await join({ name: "Eve", email: "ADA@example.com" });
    const fresh = await join({ name: "Eve", email: "eve@example.com" });
    expect(shape(again)).toEqual(shape(fresh));
    const page = (code: string) => get(`/c/${code}`).then((answer) => answer.text());
    expect(await page(codeOf(again))).toContain("0 of 5 stamps");
    const made = await acme.passes.lookup(codeOf(again));
    expect(made.userId).not.toBe(known.userId);
    expect((await acme.users.get(known.userId)).name).toBe("The real Ada");
    await expect.poll(() => told).toHaveLength(1);
    expect(told).toMatchObject([{ user: { id: known.userId }, links: [known.qrCodeValue], language: "en" }]);
  });

  it("makes one card of a form that is sent twice", async () => {
    const { acme, join, codeOf } = await openShop();
    const key = "k".repeat(24);
    const answers = [await join({ ...ada, key }), await join({ ...ada, key })];
    expect(codeOf(answers[0] ?? Response.error())).toBe(codeOf(answers[1] ?? Response.error()));
    expect((await acme.contacts.list()).totalElements).toBe(1);
    expect((await join({ name: "Bo", email: "bo@example.com", key })).status).toBe(409);
  });

  it.each([
    [{ name: "", email: "ada@example.com" }, "Tell us your name."],
    [{ name: "Ada", email: "" }, "Give an email address or a phone number."],
    [{ name: "Ada", email: "ada" }, "This is no email address."],
    [{ name: "Ada", email: "a b@example.com" }, "This is no email address."],
    [{ name: "Ada", email: "ä@example.com" }, "This is no email address."],
    [{ name: "Ada", phone: "none" }, "This is no phone number."],
    [{ name: "A".repeat(151), email: "ada@example.com" }, "This is too long."],
    [{ name: "Ada", email: "ada@example.com", consent: "" }, "We need your consent for the card."],
  ])("says at the field what is wrong with %j, and loses nothing typed", async (fields, said) => {
    const { acme, join } = await openShop();
    const answer = await join(fields);
    const text = await answer.text();
    expect(answer.status).toBe(422);
    expect(text).toContain(said);
    for (const value of Object.values(fields))
      if (value !== "yes" && value !== "") expect(text).toContain(`value="${value}"`);
    expect((await acme.contacts.list()).totalElements).toBe(0);
  });

  it("lets so many join from one address, and others from others", async () => {
    const { join, clock } = await openShop({ joinLimit: { requests: 2, seconds: 60 } });
    const from = (at: number, address: string) =>
      join({ name: "A", email: `a${at}@example.com` }, { "x-address": address });
    const statuses = [];
    for (let at = 0; at < 3; at += 1) statuses.push((await from(at, "2001:db8::1")).status);
    expect(statuses).toEqual([303, 303, 429]);
    const refused = await from(3, "2001:db8::2");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
    expect(await refused.text()).toContain('value="a3@example.com"');
    expect((await from(4, "192.0.2.9")).status).toBe(303);
    clock.move(60_000);
    expect((await from(5, "2001:db8::1")).status).toBe(303);
  });

  it("takes no form of another site", async () => {
    const { acme, join } = await openShop();
    expect((await join(ada, { "sec-fetch-site": "cross-site" })).status).toBe(403);
    expect((await acme.contacts.list()).totalElements).toBe(0);
  });
});
