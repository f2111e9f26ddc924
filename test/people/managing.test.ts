import { type LoyaltyError, LoyaltyService, type Organization, type Scope, scopes } from "loyalty-kit";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { createMail } from "loyalty-kit/mail";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { checkStorage } from "loyalty-kit/storage";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Role, scopesOfRole } from "../../src/base/scopes.js";
import { serviceInternals } from "../../src/internals.js";
import { ManualClock } from "../kit/manual-clock.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { findLinks, openShop } from "./scene.js";

const ada = { email: "Ada@example.com", name: "Ada", role: "manager" } as const;

const getRefusal = (call: Promise<unknown>): Promise<LoyaltyError> =>
  call.then(
    () => expect.fail("it was not refused"),
    (error) => error,
  );

describe("a person", () => {
  it("is invited by a mail with one link, and is listed, changed and removed", async () => {
    const { acme, mails, waitForNewestMail } = openShop();
    await acme.settings.update({ name: "Café Luise" });
    const person = await acme.people.invite(ada);
    expect(person).toEqual({
      ...{ id: expect.stringMatching(/^per_/), object: "person", ...ada, status: "INVITED" },
      ...{ invitedAt: expect.any(String), lastSignedInAt: null },
    });
    expect(await waitForNewestMail(1)).toHaveLength(1);
    expect(mails[0]).toMatchObject({ to: "Ada@example.com", subject: expect.stringContaining("Café Luise") });
    expect(await acme.people.get(person.id)).toEqual(person);
    expect(await acme.people.list()).toMatchObject({ content: [person], totalElements: 1 });
    expect(await acme.people.update(person.id, { role: "till", name: null })).toEqual({
      ...person,
      role: "till",
      name: null,
    });
    await acme.people.delete(person.id);
    expect((await acme.people.list()).content).toEqual([]);
    const acts = (await acme.audit.list()).content.map(({ action, target }) => [action, target]);
    expect(acts.slice(1)).toEqual([
      ["person.invited", person.id],
      ["person.changed", person.id],
      ["person.removed", person.id],
    ]);
  });

  it("is unique in an organization by an email in any case, and unknown to others", async () => {
    const { loyalty, acme } = openShop();
    const { id } = await acme.people.invite(ada);
    expect(await getRefusal(acme.people.invite({ ...ada, email: "ada@EXAMPLE.com" }))).toMatchObject({
      code: "person_already_exists",
    });
    const globex = loyalty.organization("globex").people;
    for (const theirs of [
      globex.get(id),
      globex.update(id, { role: "till" }),
      globex.delete(id),
      globex.inviteAgain(id),
      globex.link(id),
      globex.sessions(id),
      globex.endSessions(id),
      globex.endSession(id, "pse_1"),
    ])
      expect(await getRefusal(theirs)).toMatchObject({ code: "resource_not_found" });
    await globex.invite(ada);
  });

  it("can't be added to an organization that has 100 people", async () => {
    const { acme } = openShop();
    const add = (at: number) => acme.people.add({ email: `p${at}@example.com`, role: "till" });
    for (let at = 0; at < 100; at += 1) await add(at);
    expect(await getRefusal(add(100))).toMatchObject({ code: "too_many_people" });
  });

  it("can be invited only if mail is configured, and added by hand in any case", async () => {
    const { acme, loyalty } = openShop();
    const { LoyaltyService } = await import("loyalty-kit");
    const { memoryStorage } = await import("loyalty-kit/memory");
    const without = new LoyaltyService({ storage: memoryStorage() }).organization("acme");
    expect(await getRefusal(without.people.invite(ada))).toMatchObject({ code: "mail_not_configured" });
    const { person, link } = await without.people.add(ada);
    expect(link.path).toMatch(/^\/console\/people\/link\//);
    expect(await getRefusal(without.people.inviteAgain(person.id))).toMatchObject({
      code: "mail_not_configured",
    });
    expect(await getRefusal(without.people.inviteAgain("per_none"))).toMatchObject({
      code: "resource_not_found",
    });
    expect([acme.id, serviceInternals(loyalty).signIns.canMailLinks]).toEqual(["acme", true]);
  });

  it("gets at most five mails an hour, even when removed and invited again", async () => {
    const { acme, clock, mails } = openShop();
    for (let time = 0; time < 5; time += 1) {
      const { id } = await acme.people.invite(ada);
      await acme.people.delete(id);
    }
    await expect.poll(() => mails.length).toBe(5);
    expect(await getRefusal(acme.people.invite(ada))).toMatchObject({
      code: "person_mailed_recently",
      detail: { params: [new Date(clock.read() + 3_600_000).toISOString()] },
    });
    expect((await acme.people.list()).content).toEqual([]);
    clock.move(3_600_000);
    await acme.people.invite(ada);
    await expect.poll(() => mails.length).toBe(6);
  });

  it("gets at most ten mails an hour from all organizations, until they sign in with a mailed link", async () => {
    const { loyalty, acme, clock, mails, waitForNewestMail, signIn } = openShop();
    const peopleOfShop = (shop: number) => loyalty.organization(`shop ${shop}`).people;
    for (let shop = 0; shop < 10; shop += 1)
      await peopleOfShop(shop).invite({ ...ada, email: "ADA@example.com" });
    expect(await getRefusal(acme.people.invite(ada))).toMatchObject({
      code: "person_mailed_recently",
      detail: { params: [new Date(clock.read() + 3_600_000).toISOString()] },
    });
    expect((await acme.people.list()).content).toEqual([]);
    // A link that isn't mailed proves nothing.
    const { person, link } = await acme.people.add(ada);
    await signIn(link.path);
    expect(await getRefusal(acme.people.inviteAgain(person.id))).toMatchObject({
      code: "person_mailed_recently",
    });
    await acme.people.invite({ ...ada, email: "bob@example.com" });
    const [path = ""] = await waitForNewestMail(11);
    clock.move(3_600_000);
    for (let shop = 0; shop < 9; shop += 1) {
      const { content } = await peopleOfShop(shop).list();
      await peopleOfShop(shop).inviteAgain(content[0]?.id ?? "");
    }
    await acme.people.inviteAgain(person.id);
    const [mailed = ""] = await waitForNewestMail(21);
    expect(await getRefusal(acme.people.inviteAgain(person.id))).toMatchObject({
      code: "person_mailed_recently",
    });
    await signIn(mailed);
    await acme.people.inviteAgain(person.id);
    await expect.poll(() => mails.length).toBe(22);
    expect([path === mailed, mails.filter(({ to }) => to === "bob@example.com")]).toMatchObject([
      false,
      [{}],
    ]);
  });

  it("can't be invited after 100 invitations of the organization on a day, even to people who were removed", async () => {
    const { loyalty, acme, clock, mails } = openShop();
    clock.move(86_400_000 - (clock.read() % 86_400_000));
    const invite = async (at: number) => {
      const { id } = await acme.people.invite({ email: `p${at}@example.com`, role: "till" });
      await acme.people.delete(id);
      // The number of mails that wait for the server is limited, too.
      await expect.poll(() => mails.length).toBeGreaterThan(at);
    };
    for (let at = 0; at < 99; at += 1) await invite(at);
    const { id } = await acme.people.invite({ email: "p99@example.com", role: "till" });
    clock.move(86_400_000 - 1);
    const tomorrow = new Date(clock.read() + 1).toISOString();
    const limitError = { code: "rate_limit_exceeded", status: 429, detail: { params: [tomorrow] } };
    expect(await getRefusal(invite(100))).toMatchObject(limitError);
    expect(await getRefusal(acme.people.inviteAgain(id))).toMatchObject(limitError);
    await acme.people.add({ email: "eve@example.com", role: "till" });
    await loyalty.organization("globex").people.invite({ email: "p1@example.com", role: "till" });
    clock.move(1);
    await acme.people.inviteAgain(id);
    await expect.poll(() => mails.length).toBe(102);
  });

  it("is invited over HTTP as often as limits.invitationsPerDay allows, and the counts pass the storage check", async () => {
    const storage = await sqliteStorage(createTemporaryFile());
    const clock = new ManualClock();
    const loyalty = new LoyaltyService({ storage, clock: clock.read, limits: { invitationsPerDay: 2 } });
    const mail = createMail(loyalty, {
      ...{ publicUrl: "https://shop.example", from: "Shop <hi@shop.example>", deliver: false },
      smtp: { send: async () => {} },
    });
    onTestFinished(async () => {
      await mail.close();
      await loyalty.close();
      await storage.close();
    });
    const acme = loyalty.organization("acme");
    const { token } = await acme.apiTokens.create({ name: "Owner", scopes });
    const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty) });
    const invite = (email: string) =>
      api.fetch(
        new Request("https://shop.example/v1/people", {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
          body: JSON.stringify({ email, role: "till" }),
        }),
      );
    expect([(await invite("a@example.com")).status, (await invite("b@example.com")).status]).toEqual([
      201, 201,
    ]);
    const response = await invite("c@example.com");
    const nextDay = (Math.floor(clock.read() / 86_400_000) + 1) * 86_400_000;
    expect(response.status).toBe(429);
    expect(response.headers.get("retry-after")).toBe(String(Math.ceil((nextDay - clock.read()) / 1_000)));
    expect(await response.json()).toEqual({
      code: "rate_limit_exceeded",
      params: [new Date(nextDay).toISOString()],
    });
    expect((await acme.people.list()).totalElements).toBe(2);
    expect(await checkStorage(storage)).toEqual([]);
  });

  it("is mailed once per idempotency key", async () => {
    const { acme, mails } = openShop();
    const once = { ...ada, idempotencyKey: "key" };
    expect(await acme.people.invite(once)).toEqual(await acme.people.invite(once));
    await expect.poll(() => mails.length).toBe(1);
  });

  it("has one valid link, the newest", async () => {
    const { acme, waitForNewestMail, press, mails } = openShop();
    const { id } = await acme.people.invite(ada);
    const [first = ""] = await waitForNewestMail(1);
    await acme.people.inviteAgain(id, { language: "de" });
    const [second = ""] = await waitForNewestMail(2);
    expect(mails[1]).toMatchObject({ language: "de" });
    expect((await press(first)).status).toBe(410);
    expect((await press(second)).status).toBe(303);
    expect(findLinks(mails[0])).not.toEqual(findLinks(mails[1]));
  });
});

describe("a caller", () => {
  /** Opens the organization with exactly these scopes. */
  const withScopes = (acme: Organization, granted: readonly Scope[], open: ReturnType<typeof openShop>) =>
    open.loyalty.organization(acme.id, { scopes: granted });

  it("can't give a role with a scope that it lacks, nor change a person who has such a role", async () => {
    const shop = openShop();
    const { acme } = shop;
    const people = new Map<Role, string>();
    for (const role of ["owner", "manager", "till"] as const)
      people.set(role, (await acme.people.add({ email: `${role}@example.com`, role })).person.id);
    const getPersonId = (role: Role) => people.get(role) ?? "";
    const managing = withScopes(acme, [...scopesOfRole.manager, "people:manage"], shop).people;
    for (const wider of [
      managing.invite({ email: "eve@example.com", role: "owner" }),
      managing.add({ email: "eve@example.com", role: "owner" }),
      managing.update(getPersonId("manager"), { role: "owner" }),
      managing.update(getPersonId("owner"), { role: "till" }),
      managing.update(getPersonId("owner"), { name: "Eve" }),
      managing.delete(getPersonId("owner")),
      managing.link(getPersonId("owner")),
      managing.inviteAgain(getPersonId("owner")),
      managing.endSessions(getPersonId("owner")),
      managing.endSession(getPersonId("owner"), "pse_1"),
    ])
      expect(await getRefusal(wider)).toMatchObject({ code: "access_denied" });
    expect(await managing.update(getPersonId("manager"), { role: "till" })).toMatchObject({ role: "till" });
    await managing.delete(getPersonId("till"));
    expect((await acme.people.list()).content.map(({ role }) => role)).toEqual(["owner", "till"]);
  });

  it("needs people:manage, which only owners have", async () => {
    const shop = openShop();
    for (const [role, granted] of Object.entries(scopesOfRole)) {
      const { people } = withScopes(shop.acme, granted, shop);
      const listCall = people.list();
      if (role === "owner") await listCall;
      else expect(await getRefusal(listCall)).toMatchObject({ detail: { scope: "people:manage" } });
    }
    const lacking = withScopes(
      shop.acme,
      scopes.filter((scope) => scope !== "people:manage"),
      shop,
    );
    expect(await getRefusal(lacking.people.invite(ada))).toMatchObject({
      detail: { scope: "people:manage" },
    });
  });
});
