import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { awaitInStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { interceptCalls, replaceTransactions } from "../kit/intercept-calls.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { findLinks, openShop } from "./scene.js";

const ada = { email: "ada@example.com", name: "Ada", role: "owner" } as const;
const chrome = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36";

describe("a sign-in link", () => {
  it("signs in once, and only by its button: opening it doesn't use it up", async () => {
    const { acme, fetch, press } = openShop();
    const { link } = await acme.people.add(ada);
    for (let opens = 0; opens < 3; opens += 1) {
      const page = await fetch(link.path);
      expect([page.status, page.headers.get("set-cookie")]).toEqual([200, null]);
      expect(await page.text()).toContain("ada@example.com");
    }
    expect((await fetch(link.path, { method: "HEAD" })).status).toBe(200);
    const pressed = await press(link.path);
    expect([pressed.status, pressed.headers.get("location")]).toEqual([303, "/console"]);
    expect(pressed.headers.get("set-cookie")).toMatch(
      /^__Host-loyalty-kit-console=[\w.-]+; Path=\/; Secure; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    expect((await press(link.path)).status).toBe(410);
    expect((await fetch(link.path)).status).toBe(410);
    expect((await acme.people.list()).content[0]).toMatchObject({ status: "ACTIVE" });
  });

  it("begins one session when its button is pressed several times concurrently", async () => {
    const { acme, press } = openShop();
    const { person, link } = await acme.people.add(ada);
    const answers = await Promise.all([press(link.path), press(link.path), press(link.path)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 410, 410]);
    expect(await acme.people.sessions(person.id)).toHaveLength(1);
  });

  it("expires three days after an invitation, and otherwise after 15 minutes", async () => {
    const { acme, clock, fetch, requestMail, waitForNewestMail } = openShop();
    const { link } = await acme.people.add(ada);
    clock.move(3 * 86_400_000 - 1);
    expect((await fetch(link.path)).status).toBe(200);
    clock.move(1);
    expect((await fetch(link.path)).status).toBe(410);
    await requestMail("ADA@example.com");
    const [path = ""] = await waitForNewestMail(1);
    clock.move(15 * 60_000 - 1);
    expect((await fetch(path)).status).toBe(200);
    clock.move(1);
    expect((await fetch(path)).status).toBe(410);
  });

  it("is invalid when it is made up, truncated or mixed with another person's", async () => {
    const { acme, fetch, press } = openShop();
    const { link } = await acme.people.add(ada);
    const { link: other } = await acme.people.add({ ...ada, email: "bob@example.com" });
    const [secret = ""] = link.path.split(".").slice(-1);
    const swapped = [...other.path.split(".").slice(0, 2), secret].join(".");
    for (const wrong of [swapped, link.path.slice(0, -1), `${link.path}x`, "/console/people/link/x.y.z"]) {
      expect((await fetch(wrong)).status).toBe(410);
      expect((await press(wrong)).status).toBe(410);
    }
    expect((await fetch(link.path)).status).toBe(200);
  });

  it("can't be used from another site", async () => {
    const { acme, press } = openShop();
    const { link } = await acme.people.add(ada);
    const foreign = await press(
      link.path,
      {},
      { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
    );
    expect([foreign.status, foreign.headers.get("set-cookie")]).toEqual([401, null]);
    expect((await press(link.path)).status).toBe(303);
  });

  it("ends the browser's previous session, so that no one continues in a session that another person planted", async () => {
    const { acme, signIn, callApi } = openShop();
    const { link } = await acme.people.add(ada);
    const { link: other } = await acme.people.add({ ...ada, email: "eve@example.com" });
    const plantedCookie = await signIn(other.path);
    const cookie = await signIn(link.path, {}, { cookie: plantedCookie });
    expect(cookie).not.toBe(plantedCookie);
    expect((await callApi(plantedCookie, "/v1/people")).status).toBe(401);
    expect((await callApi(cookie, "/v1/people")).status).toBe(200);
  });
});

describe("the form of the sign-in page", () => {
  it("responds the same to known and unknown addresses, before it looks them up", async () => {
    const { acme, requestMail, waitForNewestMail, mails } = openShop();
    await acme.people.add(ada);
    const answers = [];
    for (const email of ["ada@example.com", "nobody@example.com", "", "x".repeat(10_000), "a\u0000b"]) {
      const answer = await requestMail(email);
      answers.push([answer.status, [...answer.headers], await answer.text()]);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(await waitForNewestMail(1)).toHaveLength(1);
    expect(mails).toHaveLength(1);
  });

  it("looks an address up at a random time within the next second, so that the next request reveals nothing", async () => {
    const looks: number[] = [];
    const recordingStorage = interceptCalls(memoryStorage(), function* (method, proceed) {
      if (method === "peopleByEmail") looks.push(performance.now() - start);
      return yield* proceed();
    });
    const { acme, requestMail } = openShop(recordingStorage);
    await acme.people.add(ada);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const start = performance.now();
    const requestCount = 200;
    for (let at = 0; at < requestCount; at += 1)
      await requestMail(at % 2 === 0 ? ada.email : "nobody@example.com", { "x-client": `192.0.2.${at}` });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(looks).toHaveLength(requestCount);
    expect(looks.every((at) => at >= 0 && at <= 1_000)).toBe(true);
    expect(new Set(looks).size).toBeGreaterThan(50);
  });

  it("mails one link per shop, with the shop's name", async () => {
    const { loyalty, acme, requestMail, waitForNewestMail, mails, signIn, callApi } = openShop();
    await acme.settings.update({ name: "Café Luise" });
    await acme.people.add(ada);
    await loyalty.organization("globex").people.add({ ...ada, role: "till" });
    await requestMail("Ada@Example.com");
    const links = await waitForNewestMail(1);
    expect(links).toHaveLength(2);
    expect(mails[0]?.text).toContain("Café Luise");
    const [first = "", second = ""] = links;
    expect((await callApi(await signIn(first), "/v1/people")).status).toBe(200);
    expect((await callApi(await signIn(second), "/v1/people")).status).toBe(403);
  });

  it("mails an address at most five times an hour while the newest link is valid, and doesn't say so", async () => {
    const { loyalty, acme, requestMail, mails, clock } = openShop();
    await acme.people.add(ada);
    for (let time = 0; time < 3; time += 1) expect((await requestMail("ada@example.com")).status).toBe(200);
    await expect.poll(() => mails.length).toBe(3);
    const mailAgain = () => serviceInternals(loyalty).signIns.mailLinks("ADA@example.com", null);
    for (let time = 0; time < 5; time += 1) await mailAgain();
    await expect.poll(() => mails.length).toBe(5);
    expect((await requestMail("ada@example.com")).status).toBe(200);
    clock.move(15 * 60_000 - 1);
    await mailAgain();
    expect(mails).toHaveLength(5);
    clock.move(1);
    for (let time = 0; time < 3; time += 1) await mailAgain();
    await expect.poll(() => mails.length).toBe(6);
  });

  it("mails the link of the shop where a person has signed in by mail, even if many other shops add them", async () => {
    const { loyalty, acme, requestMail, mails, waitForNewestMail, signIn, clock, fetch } = openShop();
    const zoo = loyalty.organization("zoo").people;
    await zoo.invite(ada);
    const [invitation = ""] = await waitForNewestMail(1);
    await signIn(invitation);
    for (let shop = 0; shop < 10; shop += 1) {
      clock.move(1_000);
      const { link } = await loyalty.organization(`a shop ${shop}`).people.add(ada);
      await signIn(link.path);
    }
    await acme.people.add(ada);
    await requestMail(ada.email);
    const links = await waitForNewestMail(2);
    expect(links).toHaveLength(10);
    expect(mails[1]?.text.indexOf("zoo")).toBeLessThan(mails[1]?.text.indexOf("a shop 9") ?? 0);
    expect(mails[1]?.text).not.toContain("acme");
    expect(await (await fetch(links[0] ?? "")).text()).toContain("zoo");
  });

  it("mails an address five times an hour, even if an organization keeps ending its valid links", async () => {
    const { loyalty, acme, mails, waitForNewestMail, signIn, clock } = openShop();
    await acme.people.invite(ada);
    const [invitation = ""] = await waitForNewestMail(1);
    await signIn(invitation);
    const evil = loyalty.organization("evil").people;
    const { person } = await evil.add(ada);
    const countSent = () => mails.filter(({ to }) => to === ada.email).length - 1;
    const requestLink = async () => {
      await serviceInternals(loyalty).signIns.mailLinks(ada.email, null);
      await evil.link(person.id);
    };
    for (let time = 0; time < 20; time += 1) await requestLink();
    expect(countSent()).toBe(5);
    // Her own link has expired by now. She gets another, and only hers.
    clock.move(15 * 60_000);
    for (let time = 0; time < 20; time += 1) await requestLink();
    expect(countSent()).toBe(6);
    expect(findLinks(mails.at(-1))).toHaveLength(1);
    expect(mails.at(-1)?.text).toContain("acme");
    for (let time = 0; time < 10; time += 1) {
      await signIn(findLinks(mails.at(-1))[0] ?? "");
      await requestLink();
      if (countSent() === 10) break;
    }
    await requestLink();
    expect(countSent()).toBe(10);
  });

  it("mails another link if the only valid one wasn't mailed", async () => {
    const { loyalty, acme, mails, clock } = openShop();
    const { person } = await acme.people.add(ada);
    const requestLink = () => serviceInternals(loyalty).signIns.mailLinks(ada.email, null);
    for (let time = 0; time < 7; time += 1) await requestLink();
    expect(mails).toHaveLength(5);
    await acme.people.link(person.id);
    await requestLink();
    await expect.poll(() => mails.length).toBe(6);
    clock.move(1);
    await requestLink();
    expect(mails).toHaveLength(6);
  });

  it("doesn't lock out a person whose mails a stranger requests", async () => {
    const { loyalty, acme, fetch, signIn, mails, clock } = openShop();
    const { person } = await acme.people.add(ada);
    const requestLink = () => serviceInternals(loyalty).signIns.mailLinks(ada.email, null);
    const sentTimes: number[] = [];
    const recordTimes = () => {
      while (sentTimes.length < mails.length) sentTimes.push(clock.read());
    };
    for (let minute = 0; minute < 120; minute += 1) {
      for (let time = 0; time < 7; time += 1) await requestLink();
      recordTimes();
      // The newest mail has a link that she can use.
      expect((await fetch(findLinks(mails.at(-1))[0] ?? "")).status).toBe(200);
      clock.move(60_000);
    }
    const countWithinHour = (from: number) =>
      sentTimes.filter((at) => at >= from && at < from + 3_600_000).length;
    expect(Math.max(...sentTimes.map(countWithinHour))).toBeLessThanOrEqual(9);
    // After she has used it, she gets another for her next device, despite the number of mails.
    await requestLink();
    const before = mails.length;
    await signIn(findLinks(mails.at(-1))[0] ?? "");
    await requestLink();
    await expect.poll(() => mails.length).toBe(before + 1);
    await signIn(findLinks(mails.at(-1))[0] ?? "");
    // Strangers don't use up the mails that owners may send her, either.
    await acme.people.inviteAgain(person.id);
    await expect.poll(() => mails.length).toBe(before + 2);
  });

  it("signs in with the link of any of its mails, because they may arrive in another order, and then with no other", async () => {
    const { loyalty, acme, fetch, press, signIn, mails, clock } = openShop();
    await acme.people.add(ada);
    // Two rounds in the same millisecond, because no further mails are sent within the hour.
    for (const openCount of [0, 1, 1, 0]) {
      const before = mails.length;
      await Promise.all([1, 2].map(() => serviceInternals(loyalty).signIns.mailLinks(ada.email, null)));
      await expect.poll(() => mails.length).toBe(before + 2);
      const paths = mails.slice(before).flatMap((mail) => findLinks(mail));
      for (const path of paths) expect((await fetch(path)).status).toBe(200);
      await signIn(paths[openCount] ?? "");
      for (const path of paths) {
        expect((await fetch(path)).status).toBe(410);
        expect((await press(path)).status).toBe(410);
      }
      if (mails.length === 4) clock.move(3_600_000);
    }
  });

  it("doesn't end an invitation, regardless of who requests mails", async () => {
    const { loyalty, acme, fetch, signIn, mails, clock } = openShop();
    await acme.people.invite(ada);
    await expect.poll(() => mails.length).toBe(1);
    const [invitation = ""] = findLinks(mails[0]);
    const end = clock.read() + 3 * 86_400_000;
    const getStatus = async (path: string) => (await fetch(path)).status;
    const requestSignInLink = async () => {
      const before = mails.length;
      await serviceInternals(loyalty).signIns.mailLinks(ada.email, null);
      await expect.poll(() => mails.length).toBe(before + 1);
      return findLinks(mails.at(-1))[0] ?? "";
    };
    while (clock.read() + 7 * 3_600_000 < end) {
      const first = await requestSignInLink();
      const second = await requestSignInLink();
      expect(await Promise.all([first, second, invitation].map(getStatus))).toEqual([200, 200, 200]);
      clock.move(15 * 60_000);
      expect(await Promise.all([first, second, invitation].map(getStatus))).toEqual([410, 410, 200]);
      clock.move(6 * 3_600_000);
    }
    clock.move(end - 1 - clock.read());
    const last = await requestSignInLink();
    expect(await Promise.all([last, invitation].map(getStatus))).toEqual([200, 200]);
    await signIn(invitation);
    expect(await Promise.all([last, invitation].map(getStatus))).toEqual([410, 410]);
  });

  it("doesn't make an invitation valid that is used, expired, replaced or of a removed person", async () => {
    const { loyalty, acme, clock, fetch, press, signIn, mails } = openShop();
    const requestSignInLink = async () => {
      const before = mails.length;
      await serviceInternals(loyalty).signIns.mailLinks(ada.email, null);
      await expect.poll(() => mails.length).toBe(before + 1);
      return findLinks(mails.at(-1))[0] ?? "";
    };
    const { person, link: used } = await acme.people.add(ada);
    await signIn(await requestSignInLink());
    const { path: renewed } = await acme.people.link(person.id);
    await requestSignInLink();
    // In the same millisecond, too.
    const { path: another } = await acme.people.link(person.id);
    await requestSignInLink();
    expect((await fetch(another)).status).toBe(200);
    clock.move(3 * 86_400_000);
    const { path: ofTheGone } = await acme.people.link(person.id);
    await requestSignInLink();
    expect((await fetch(ofTheGone)).status).toBe(200);
    await acme.people.delete(person.id);
    await acme.people.add(ada);
    for (const path of [used.path, renewed, another, ofTheGone]) {
      expect((await fetch(path)).status).toBe(410);
      expect((await press(path)).status).toBe(410);
    }
  });

  it("mails people of other organizations while one organization is busy", async () => {
    const releases: (() => void)[] = [];
    const storage = memoryStorage();
    const busy = replaceTransactions(storage, async (organizationId, work, options) => {
      if (organizationId === "acme" && isBusy) await new Promise<void>((go) => releases.push(go));
      return storage.transaction(organizationId, work, options);
    });
    let isBusy = false;
    const { loyalty, acme, requestMail, mails } = openShop(busy);
    await acme.people.add(ada);
    await loyalty.organization("globex").people.add({ email: "bob@example.com", role: "till" });
    isBusy = true;
    for (let at = 0; at < 120; at += 1) {
      const response = await requestMail(ada.email, { "x-client": `192.0.2.${at}` });
      expect(response.status).toBe(200);
    }
    expect((await requestMail("bob@example.com", { "x-client": "198.51.100.1" })).status).toBe(200);
    await expect.poll(() => mails.map(({ to }) => to)).toEqual(["bob@example.com"]);
    await expect.poll(() => releases.length).toBe(10);
    isBusy = false;
    for (const go of releases) go();
    await expect.poll(() => mails.length).toBe(6);
  });

  it("is refused to a client that sends too many requests, regardless of their addresses", async () => {
    const { requestMail, clock } = openShop();
    for (let time = 0; time < 20; time += 1)
      expect((await requestMail(`p${time}@example.com`)).status).toBe(200);
    const response = await requestMail("ada@example.com");
    expect([response.status, Number(response.headers.get("retry-after")) > 3_000]).toEqual([429, true]);
    clock.move(3_600_000);
    expect((await requestMail("ada@example.com")).status).toBe(200);
  });

  it("can't be sent from another site, and is shown only where mail is configured", async () => {
    const { acme, requestMail, fetch } = openShop();
    await acme.people.add(ada);
    expect((await requestMail("ada@example.com", { "sec-fetch-site": "cross-site" })).status).toBe(401);
    expect(await (await fetch("/console")).text()).toContain("/console/people/link");
    const { LoyaltyService } = await import("loyalty-kit");
    const { createConsole } = await import("loyalty-kit/console");
    const { createHttpApi, bearerTokens } = await import("loyalty-kit/http");
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const api = createHttpApi(loyalty, {
      authenticate: bearerTokens(loyalty),
      extensions: [createConsole(loyalty)],
    });
    await loyalty.organization("acme").people.add(ada);
    const page = await api.fetch(new Request("https://shop.example/console"));
    expect(await page.text()).not.toContain("/console/people/link");
  });

  it("is shown once any organization has a person, and hidden after the last one is removed", async () => {
    const { loyalty, acme, fetch, post, clock } = openShop();
    const readFormFields = async (answer: Promise<Response>) => {
      const page = await (await answer).text();
      return { token: page.includes('name="token"'), email: page.includes('name="email"') };
    };
    expect(await readFormFields(fetch("/console"))).toEqual({ token: true, email: false });
    expect(await readFormFields(post("/console", { token: "lk_wrong" }))).toEqual({
      token: true,
      email: false,
    });
    const { person } = await loyalty.organization("globex").people.add(ada);
    await acme.tags.create({ name: "VIP" });
    expect(await readFormFields(fetch("/console"))).toEqual({ token: true, email: true });
    await loyalty.organization("globex").people.delete(person.id);
    clock.move(60_000);
    expect(await readFormFields(fetch("/console"))).toEqual({ token: true, email: false });
  });

  it("makes one lookup for concurrent visitors, and asks only for the token if the lookup fails", async () => {
    const looks: (() => void)[] = [];
    let failing = true;
    const errors: unknown[] = [];
    const recordingStorage = interceptCalls(memoryStorage(), function* (method, proceed) {
      if (method !== "hasPeople") return yield* proceed();
      if (failing) throw new Error("the database is away");
      yield* awaitInStep(new Promise<void>((resolve) => looks.push(resolve)));
      return yield* proceed();
    });
    const { acme, fetch } = openShop(recordingStorage, { onError: (error) => errors.push(error) });
    await acme.people.add(ada);
    const hasEmailField = async () => (await (await fetch("/console")).text()).includes('name="email"');
    expect([await hasEmailField(), errors.length]).toEqual([false, 1]);
    failing = false;
    const pages = Array.from({ length: 50 }, hasEmailField);
    await expect.poll(() => looks.length).toBe(1);
    looks[0]?.();
    expect(new Set(await Promise.all(pages))).toEqual(new Set([true]));
    expect([await hasEmailField(), looks.length]).toEqual([true, 1]);
  });
});

describe("a session of a person", () => {
  it("has the rights of its role, and its person is recorded as the actor", async () => {
    const { acme, signIn, callApi } = openShop();
    const { person, link } = await acme.people.add({ ...ada, role: "manager" });
    const cookie = await signIn(link.path);
    const response = await callApi(cookie, "/v1/user-tags", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "VIP" }),
    });
    expect(response.status).toBe(201);
    const [event] = (await acme.events.list({ types: ["user_tag.created"] })).content;
    expect(event?.actor).toMatchObject({ kind: "console", id: person.id });
    for (const forbidden of ["/v1/people", "/v1/api-tokens", "/v1/webhook-endpoints"])
      expect((await callApi(cookie, forbidden)).status).toBe(403);
  });

  it("with the role till can do nothing else over the API", async () => {
    const { acme, signIn, callApi } = openShop();
    const { link } = await acme.people.add({ ...ada, role: "till" });
    const cookie = await signIn(link.path);
    const { routes } = await import("../../adapters/http/routes.js");
    const { scopesOfRole } = await import("../../src/base/scopes.js");
    const till: readonly string[] = scopesOfRole.till;
    expect(till).toEqual([
      ...["user:read", "pass:read", "template:read", "loyalty:manage", "purchase:read", "purchase:write"],
    ]);
    for (const route of routes) {
      if (route.scope === null || till.includes(route.scope)) continue;
      if ("orScope" in route && typeof route.orScope === "string" && till.includes(route.orScope)) continue;
      const path = route.path.replaceAll(/\{\w+\}/g, "x");
      const answer = await callApi(cookie, path, { method: route.method });
      expect([route.operationId, answer.status]).toEqual([route.operationId, 403]);
    }
  });

  it("has the current role from the next request on, and ends when its person is removed", async () => {
    const { acme, signIn, callApi } = openShop();
    const { person, link } = await acme.people.add(ada);
    const cookie = await signIn(link.path);
    expect((await callApi(cookie, "/v1/people")).status).toBe(200);
    await acme.people.update(person.id, { role: "till" });
    expect((await callApi(cookie, "/v1/people")).status).toBe(403);
    await acme.people.update(person.id, { role: "owner" });
    expect((await callApi(cookie, "/v1/people")).status).toBe(200);
    await acme.people.delete(person.id);
    expect((await callApi(cookie, "/v1/people")).status).toBe(401);
    await acme.people.add(ada);
    expect((await callApi(cookie, "/v1/people")).status).toBe(401);
  });

  it("lasts 12 hours, or 30 days if that was ticked", async () => {
    const { acme, clock, press, getCookie, callApi } = openShop();
    const { person, link } = await acme.people.add(ada);
    const short = getCookie(await press(link.path));
    const again = await acme.people.link(person.id);
    const answer = await press(again.path, { stay: "on" });
    expect(answer.headers.get("set-cookie")).toContain("Max-Age=2592000");
    const long = getCookie(answer);
    clock.move(12 * 3_600_000 - 1);
    expect((await callApi(short, "/v1/people")).status).toBe(200);
    clock.move(1);
    expect((await callApi(short, "/v1/people")).status).toBe(401);
    clock.move(29.5 * 86_400_000 - 1);
    expect((await callApi(long, "/v1/people")).status).toBe(200);
    clock.move(1);
    expect((await callApi(long, "/v1/people")).status).toBe(401);
    expect(await acme.people.sessions(person.id)).toEqual([]);
  });

  it("is listed with its device, and can be ended by an owner or by its person", async () => {
    const { acme, signIn, callApi, callConsole } = openShop();
    const { person, link } = await acme.people.add(ada);
    const first = await signIn(link.path, {}, { "user-agent": chrome });
    const second = await signIn((await acme.people.link(person.id)).path);
    const [one, two] = await acme.people.sessions(person.id);
    expect([one?.device, two?.device]).toEqual(["Chrome on Windows", "Unknown device"]);
    const me = await (await callConsole(first, "/people/me")).json();
    expect(me).toMatchObject({
      person: { id: person.id, role: "owner" },
      sessions: [
        { ...one, isCurrent: true },
        { ...two, isCurrent: false },
      ],
    });
    const response = await callConsole(first, `/people/me/sessions/${two?.id}`, { method: "DELETE" });
    expect(response.status).toBe(204);
    expect((await callApi(second, "/v1/people")).status).toBe(401);
    expect((await callConsole(first, "/people/me/sessions/none", { method: "DELETE" })).status).toBe(404);
    await acme.people.endSession(person.id, one?.id ?? "");
    expect((await callApi(first, "/v1/people")).status).toBe(401);
    expect((await callConsole(first, "/people/me")).status).toBe(401);
  });

  it("shows its person's account only to pages of the console", async () => {
    const { acme, signIn, fetch } = openShop();
    const { link } = await acme.people.add(ada);
    const cookie = await signIn(link.path);
    expect((await fetch("/console/people/me", { headers: { cookie } })).status).toBe(401);
    const foreign = { cookie, "x-loyalty-console": "1", "sec-fetch-site": "cross-site" };
    expect((await fetch("/console/people/me", { headers: foreign })).status).toBe(401);
  });

  it("ends by signing out, here or everywhere", async () => {
    const { acme, signIn, callApi, post } = openShop();
    const { person, link } = await acme.people.add(ada);
    const cookies = [await signIn(link.path)];
    for (let more = 0; more < 3; more += 1)
      cookies.push(await signIn((await acme.people.link(person.id)).path));
    const [here = "", other = "", third = ""] = cookies;
    const out = await post("/console/sign-out", {}, { cookie: here });
    expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await callApi(here, "/v1/people")).status).toBe(401);
    expect((await callApi(other, "/v1/people")).status).toBe(200);
    await post("/console/sign-out/everywhere", {}, { cookie: other });
    expect((await callApi(third, "/v1/people")).status).toBe(401);
    expect(await acme.people.sessions(person.id)).toEqual([]);
  });

  it("is limited to twenty per person: a new one ends the oldest", async () => {
    const { acme, signIn, callApi } = openShop();
    const { person, link } = await acme.people.add(ada);
    const first = await signIn(link.path);
    for (let more = 0; more < 20; more += 1) await signIn((await acme.people.link(person.id)).path);
    expect(await acme.people.sessions(person.id)).toHaveLength(20);
    expect((await callApi(first, "/v1/people")).status).toBe(401);
  });

  it("records its use once an hour", async () => {
    const { acme, clock, signIn, callApi } = openShop();
    const { person, link } = await acme.people.add(ada);
    const cookie = await signIn(link.path);
    const readLastSeenAt = async () => (await acme.people.sessions(person.id))[0]?.lastSeenAt;
    const before = await readLastSeenAt();
    clock.move(3_600_000 - 1);
    await callApi(cookie, "/v1/people");
    expect(await readLastSeenAt()).toBe(before);
    clock.move(1);
    await callApi(cookie, "/v1/people");
    await expect.poll(readLastSeenAt).toBe(new Date(clock.read()).toISOString());
  });

  it("is passed to the page with its person, without a secret", async () => {
    const { acme, signIn, fetch } = openShop();
    const { person, link } = await acme.people.add(ada);
    const cookie = await signIn(link.path);
    const page = await (await fetch("/console", { headers: { cookie } })).text();
    const sessionText =
      /<meta name="session" content="([^"]*)"/.exec(page)?.[1]?.replaceAll("&quot;", '"') ?? "";
    expect(JSON.parse(sessionText)).toMatchObject({
      organizationId: "acme",
      person: { id: person.id, name: "Ada", email: "ada@example.com", role: "owner" },
    });
    expect(page).not.toContain(cookie.split("=")[1]);
  });

  it("ends in every process once it is ended or its person is removed", async () => {
    const file = await createTemporaryFile();
    const [one, other] = [openShop(await sqliteStorage(file)), openShop(await sqliteStorage(file))];
    const { person, link } = await one.acme.people.add(ada);
    const cookie = await one.signIn(link.path);
    expect((await other.callApi(cookie, "/v1/people")).status).toBe(200);
    await one.acme.people.endSessions(person.id);
    expect((await other.callApi(cookie, "/v1/people")).status).toBe(401);
    const again = await other.signIn((await one.acme.people.link(person.id)).path);
    expect((await one.callApi(again, "/v1/people")).status).toBe(200);
    await other.acme.people.delete(person.id);
    expect((await one.callApi(again, "/v1/people")).status).toBe(401);
  });

  it("is replaced by a session with a token in the same browser", async () => {
    const { acme, signIn, post, callApi, getCookie } = openShop();
    const { link } = await acme.people.add(ada);
    const cookie = await signIn(link.path);
    const { token } = await acme.apiTokens.create({ name: "me", scopes: ["people:manage"] });
    const byToken = getCookie(await post("/console", { token }, { cookie }));
    expect(byToken.split("=")[0]).toBe(cookie.split("=")[0]);
    expect((await callApi(byToken, "/v1/people")).status).toBe(200);
    expect((await callApi(cookie, "/v1/people")).status).toBe(401);
  });
});

describe("an automation that a person created", () => {
  it("runs with the person's current role", async () => {
    const { loyalty, acme, signIn, callApi } = openShop();
    const { person, link } = await acme.people.add({ ...ada, role: "manager" });
    const vip = await acme.tags.create({ name: "VIP" });
    const cookie = await signIn(link.path);
    const response = await callApi(cookie, "/v1/automations", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ name: "Welcome", on: { event: "user.created" }, do: [{ assignTag: vip.slug }] }),
    });
    expect(response.status).toBe(201);
    const welcomePerson = async (email: string) => {
      const { id } = await acme.users.create({ email });
      await loyalty.runAutomations();
      return (await acme.tags.ofUser(id)).map(({ slug }) => slug);
    };
    expect(await welcomePerson("a@example.com")).toEqual(["vip"]);
    await acme.people.update(person.id, { role: "till" });
    expect(await welcomePerson("b@example.com")).toEqual([]);
    await acme.people.update(person.id, { role: "manager" });
    await acme.people.delete(person.id);
    expect(await welcomePerson("c@example.com")).toEqual([]);
  });
});

it("nothing of a person except their id is in the audit trail, nor in storage after they are removed", async () => {
  const file = await createTemporaryFile();
  const { acme, signIn, requestMail, waitForNewestMail, callApi, callConsole } = openShop(
    await sqliteStorage(file),
  );
  const { person, link } = await acme.people.add({
    email: "ada.lovelace@example.com",
    name: "Augusta",
    role: "owner",
  });
  await acme.people.add({ email: "bob@example.com", role: "owner" });
  const cookie = await signIn(link.path);
  await acme.people.update(person.id, { name: "Augusta King" });
  await requestMail("ada.lovelace@example.com");
  await waitForNewestMail(1);
  expect((await callApi(cookie, "/v1/people")).status).toBe(200);
  expect((await callConsole(cookie, "/people/me")).status).toBe(200);
  const texts = /lovelace|augusta|king/i;
  const readFiles = async () => {
    const { readFileSync } = await import("node:fs");
    return [file, `${file}-wal`].map((each) => readFileSync(each, "latin1")).join("");
  };
  expect(await readFiles()).toMatch(texts);
  await acme.people.delete(person.id);
  const { content } = await acme.audit.list();
  expect(content.map(({ action }) => action)).toEqual([
    "person.invited",
    "person.invited",
    "session.started",
    "person.changed",
    "person.removed",
  ]);
  expect(JSON.stringify(content)).not.toMatch(/@|augusta|king/i);
  expect(await readFiles()).not.toMatch(texts);
});

it("no secret of a link or a session is stored", async () => {
  const file = await createTemporaryFile();
  const { acme, signIn, requestMail, waitForNewestMail, mails } = openShop(await sqliteStorage(file));
  const { person, link } = await acme.people.add(ada);
  const cookie = await signIn(link.path);
  await requestMail(ada.email);
  await waitForNewestMail(1);
  const { readFileSync } = await import("node:fs");
  const content = [file, `${file}-wal`].map((each) => readFileSync(each, "latin1")).join("");
  expect(content).toContain(person.id);
  for (const path of [link.path, cookie, ...findLinks(mails[0])])
    expect(content).not.toContain(path.split(".").at(-1) ?? "");
});
