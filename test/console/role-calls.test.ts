import { LoyaltyService, type OrganizationLimits, type Scope } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { routes } from "../../adapters/http/routes.js";
import { roles, scopesOfRole } from "../../src/base/roles.js";

const own = { "sec-fetch-site": "same-origin" };

/** Every call of the interface with what it takes: all scopes, or one that will do in their place. Ids in paths are nobody's. */
const calls = routes.flatMap((route) =>
  route.scope === null
    ? []
    : [
        {
          method: route.method,
          path: route.path.replace(/\{[^}]+\}/g, "none"),
          isLacking: (granted: readonly Scope[]) =>
            (route.orScope === undefined || !granted.includes(route.orScope)) &&
            route.scopes.some((scope) => !granted.includes(scope)),
        },
      ],
);

/** A console, and a session of somebody who has a role there. */
async function signedInAs(role: (typeof roles)[number], limits: OrganizationLimits = {}) {
  const loyalty = new LoyaltyService({ storage: memoryStorage(), limits });
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    extensions: [createConsole(loyalty, { rateLimits: false })],
    rateLimits: false,
  });
  const acme = loyalty.organization("acme");
  const { person, link } = await acme.people.add({ email: `${role}@example.com`, role });
  const at = (path: string, init: RequestInit) => api.fetch(new Request(`https://shop.example${path}`, init));
  const begun = await at(link.path, { method: "POST", headers: own, body: new URLSearchParams() });
  const cookie = begun.headers.get("set-cookie")?.split(";")[0] ?? "";
  const call = (method: string, path: string, body?: string) =>
    at(`/console/api${path}`, {
      method,
      headers: { ...own, cookie, "x-loyalty-console": "1", "content-type": "application/json" },
      ...(body !== undefined && { body }),
    });
  const names = () => at("/console/people/names", { headers: { ...own, cookie, "x-loyalty-console": "1" } });
  return { loyalty, acme, person, call, names };
}

describe("what somebody may not see in the console", () => {
  it.each(roles)("is refused by the API too, each call of it: %s", async (role) => {
    const { loyalty, call } = await signedInAs(role);
    const granted = scopesOfRole[role];
    const refused: string[] = [];
    const lacking: string[] = [];
    for (const { method, path, isLacking } of calls) {
      const { status } = await call(method, path, method === "GET" || method === "DELETE" ? undefined : "{}");
      expect([method, path, status]).not.toEqual([method, path, 401]);
      if (status === 403) refused.push(`${method} ${path}`);
      if (isLacking(granted)) lacking.push(`${method} ${path}`);
    }
    expect(refused).toEqual(lacking);
    expect(refused.length > 0).toBe(role !== "owner");
    await loyalty.close();
  });

  it("counts by the role that they have now, at the next request", async () => {
    const { loyalty, acme, person, call } = await signedInAs("till");
    const statuses = async () => [
      (await call("GET", "/v1/contacts")).status,
      (await call("GET", "/v1/people")).status,
    ];
    expect(await statuses()).toEqual([200, 403]);
    await acme.people.update(person.id, { role: "owner" });
    expect(await statuses()).toEqual([200, 200]);
    await acme.people.delete(person.id);
    expect(await statuses()).toEqual([401, 401]);
    await loyalty.close();
  });
});

describe("the names of people", () => {
  it("are told of all, also where a host allows more than a page holds", async () => {
    const { loyalty, acme, names } = await signedInAs("till", { people: 250 });
    for (let at = 1; at < 250; at += 1) await acme.people.add({ email: `${at}@example.com`, role: "till" });
    const told: Readonly<Record<string, string>> = JSON.parse(await (await names()).text());
    expect(Object.keys(told)).toHaveLength(250);
    await loyalty.close();
  });

  it("are told to whoever is signed in, without an email but to who manages people, and to nobody else", async () => {
    const { loyalty, acme, person, names } = await signedInAs("till");
    const named = await acme.people.add({ email: "ada@example.com", name: "Ada", role: "manager" });
    const answer = await names();
    expect(await answer.json()).toEqual({ [person.id]: "", [named.person.id]: "Ada" });
    await acme.people.update(person.id, { role: "manager" });
    expect(await (await names()).text()).not.toContain("@");
    // Who manages people sees their emails anyway.
    await acme.people.update(person.id, { role: "owner" });
    expect(await (await names()).json()).toEqual({
      [person.id]: "till@example.com",
      [named.person.id]: "Ada",
    });
    await acme.people.delete(person.id);
    const after = await names();
    expect(after.status).toBe(401);
    await loyalty.close();
  });
});
