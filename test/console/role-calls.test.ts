import { LoyaltyService, type OrganizationLimits, type Scope } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { routes } from "../../adapters/http/routes.js";
import { roles, scopesOfRole } from "../../src/base/scopes.js";

const sameOriginHeaders = { "sec-fetch-site": "same-origin" };

/** Every API call, and whether it lacks some of its scopes and their alternative. Ids in paths don't exist. */
const calls = routes.flatMap((route) =>
  route.scope === null
    ? []
    : [
        {
          method: route.method,
          path: route.path.replace(/\{[^}]+\}/g, "none"),
          isLacking: (grantedScopes: readonly Scope[]) =>
            (route.orScope === undefined || !grantedScopes.includes(route.orScope)) &&
            route.scopes.some((scope) => !grantedScopes.includes(scope)),
        },
      ],
);

/** Opens a console and signs in a person with this role. */
async function signInWithRole(role: (typeof roles)[number], limits: OrganizationLimits = {}) {
  const loyalty = new LoyaltyService({ storage: memoryStorage(), limits });
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    extensions: [createConsole(loyalty, { rateLimits: false })],
    rateLimits: false,
  });
  const acme = loyalty.organization("acme");
  const { person, link } = await acme.people.add({ email: `${role}@example.com`, role });
  const at = (path: string, init: RequestInit) => api.fetch(new Request(`https://shop.example${path}`, init));
  const session = await at(link.path, {
    method: "POST",
    headers: sameOriginHeaders,
    body: new URLSearchParams(),
  });
  const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
  const callApi = (method: string, path: string, body?: string) =>
    at(`/console/api${path}`, {
      method,
      headers: { ...sameOriginHeaders, cookie, "x-loyalty-console": "1", "content-type": "application/json" },
      ...(body !== undefined && { body }),
    });
  const getNames = () =>
    at("/console/people/names", { headers: { ...sameOriginHeaders, cookie, "x-loyalty-console": "1" } });
  return { loyalty, acme, person, callApi, getNames };
}

describe("the console's API", () => {
  it.each(roles)("refuses exactly the calls that the role's scopes don't allow: %s", async (role) => {
    const { loyalty, callApi } = await signInWithRole(role);
    const roleScopes = scopesOfRole[role];
    const rejectedRoutes: string[] = [];
    const missingScopes: string[] = [];
    for (const { method, path, isLacking } of calls) {
      const { status } = await callApi(
        method,
        path,
        method === "GET" || method === "DELETE" ? undefined : "{}",
      );
      expect([method, path, status]).not.toEqual([method, path, 401]);
      if (status === 403) rejectedRoutes.push(`${method} ${path}`);
      if (isLacking(roleScopes)) missingScopes.push(`${method} ${path}`);
    }
    expect(rejectedRoutes).toEqual(missingScopes);
    expect(rejectedRoutes.length > 0).toBe(role !== "owner");
    await loyalty.close();
  });

  it("applies a changed role from the next request", async () => {
    const { loyalty, acme, person, callApi } = await signInWithRole("till");
    const listStatuses = async () => [
      (await callApi("GET", "/v1/contacts")).status,
      (await callApi("GET", "/v1/people")).status,
    ];
    expect(await listStatuses()).toEqual([200, 403]);
    await acme.people.update(person.id, { role: "owner" });
    expect(await listStatuses()).toEqual([200, 200]);
    await acme.people.delete(person.id);
    expect(await listStatuses()).toEqual([401, 401]);
    await loyalty.close();
  });
});

describe("the names of staff", () => {
  it("are returned for all staff, even if a host allows more than fit on a page", async () => {
    const { loyalty, acme, getNames } = await signInWithRole("till", { people: 250 });
    for (let at = 1; at < 250; at += 1) await acme.people.add({ email: `${at}@example.com`, role: "till" });
    const namesById: Readonly<Record<string, string>> = JSON.parse(await (await getNames()).text());
    expect(Object.keys(namesById)).toHaveLength(250);
    await loyalty.close();
  });

  it("are returned to signed-in staff only, with emails only for those who manage staff", async () => {
    const { loyalty, acme, person, getNames } = await signInWithRole("till");
    const namedPerson = await acme.people.add({ email: "ada@example.com", name: "Ada", role: "manager" });
    const response = await getNames();
    expect(await response.json()).toEqual({ [person.id]: "", [namedPerson.person.id]: "Ada" });
    await acme.people.update(person.id, { role: "manager" });
    expect(await (await getNames()).text()).not.toContain("@");
    // People who manage staff see their emails anyway.
    await acme.people.update(person.id, { role: "owner" });
    expect(await (await getNames()).json()).toEqual({
      [person.id]: "till@example.com",
      [namedPerson.person.id]: "Ada",
    });
    await acme.people.delete(person.id);
    const after = await getNames();
    expect(after.status).toBe(401);
    await loyalty.close();
  });
});
