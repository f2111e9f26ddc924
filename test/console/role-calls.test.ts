import { LoyaltyService, type Scope, scopes } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { routes } from "../../src/operations/routes.js";
import { operations } from "../../src/operations/table.js";
import { roles, scopesOfRole } from "../../src/roles.js";

const own = { "sec-fetch-site": "same-origin" };

/** Every call of the interface with the scopes that it takes. Ids in paths are nobody's. */
const calls = Object.entries(routes).flatMap(([group, named]) =>
  Object.entries(named).map(([name, route]) => {
    const [method = "", path = ""] = route.split(" ");
    const operation: unknown = Reflect.get(Reflect.get(operations, group), name);
    return { method, path: path.replace(/\{[^}]+\}/g, "none"), needs: scopesIn(operation) };
  }),
);

function scopesIn(operation: unknown): readonly Scope[] {
  const named =
    typeof operation === "object" && operation !== null && "scope" in operation ? operation.scope : [];
  return scopes.filter((scope) => [named].flat().includes(scope));
}

/** A console, and a session of somebody who has a role there. */
async function signedInAs(role: (typeof roles)[number]) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
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
  return { loyalty, acme, person, call };
}

describe("what somebody may not see in the console", () => {
  it.each(roles)("is refused by the API too, each call of it: %s", async (role) => {
    const { loyalty, call } = await signedInAs(role);
    const refused: string[] = [];
    for (const { method, path, needs } of calls) {
      const answer = await call(method, path, method === "GET" || method === "DELETE" ? undefined : "{}");
      if (answer.status === 403) refused.push(`${method} ${path}`);
      expect([method, path, answer.status === 401]).toEqual([method, path, false]);
      const lacks = needs.some((scope) => !scopesOfRole[role].includes(scope));
      expect([method, path, answer.status === 403]).toEqual([method, path, lacks]);
    }
    const forbidden = calls.filter(({ needs }) => needs.some((scope) => !scopesOfRole[role].includes(scope)));
    expect(refused.length).toBe(forbidden.length);
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
  it("are told to whoever is signed in, and to nobody else", async () => {
    const { loyalty, acme, person, call } = await signedInAs("till");
    const named = await acme.people.add({ email: "ada@example.com", name: "Ada", role: "manager" });
    const answer = await call("GET", "/../people/names");
    expect(await answer.json()).toEqual({ [person.id]: "till@example.com", [named.person.id]: "Ada" });
    await acme.people.delete(person.id);
    const after = await call("GET", "/../people/names");
    expect(after.status).toBe(401);
    await loyalty.close();
  });
});
