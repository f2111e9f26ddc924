import { type Organization, type Scope, scopes, type User } from "loyalty-kit";
import { routes } from "loyalty-kit/http";
import { describe, expect, test } from "vitest";
import { denied, notFound, ok, unauthorized } from "./answers.js";
import {
  createWorld,
  type Endpoint,
  endpoints,
  parseParameters,
  pathOf,
  resourceOf,
  titleOf,
} from "./endpoints.js";
import { testOnEachDatabase } from "./every-mount.js";

test("the route table contains exactly the endpoints of the API, each with its scope", () => {
  const table = routes.filter(({ scope }) => scope !== null).map((route) => [titleOf(route), route.scope]);
  expect(Object.fromEntries(table)).toEqual(
    Object.fromEntries(endpoints.map((endpoint) => [titleOf(endpoint), endpoint.scope])),
  );
  expect(table.length).toBe(endpoints.length);
});

/** Reads everything that an organization can see of itself. */
async function readState(acme: Organization) {
  const [users, tags, templates, keys] = [
    [] as User[],
    await acme.tags.list(),
    await acme.templates.list(),
    await acme.apiTokens.list(),
  ];
  const details = [];
  for await (const user of acme.users.list()) {
    const { id } = user;
    users.push(user);
    const passes = await acme.passes.ofUser(id);
    const ledgers = [];
    for (const { id, stampProgress } of passes)
      ledgers.push(await (stampProgress === null ? acme.points : acme.stamps).history(id));
    details.push({ tags: await acme.tags.ofUser(id), passes, ledgers });
  }
  return {
    users,
    tags,
    segments: await acme.segments.list(),
    templates,
    details,
    events: await acme.events.list({ limit: 1_000 }),
    keys: keys.map(({ id, name, scopes }) => ({ id, name, scopes })),
    people: await acme.people.list(),
    apps: await acme.apps.list(),
    grants: await acme.grants.list(),
  };
}

testOnEachDatabase((http) => {
  const buildRequest = (endpoint: Endpoint, { world: resources }: Awaited<ReturnType<typeof createWorld>>) =>
    [endpoint.method, pathOf(endpoint, resources), endpoint.body?.(resources)] as const;

  test("every endpoint succeeds with only its scopes", async () => {
    /** Creates a world with an unused tag and a template without passes. */
    const createWithSpares = async () => {
      const acme = await createWorld(http);
      const { slug: tagSlug } = await acme.acme.tags.create({ name: "Free" });
      const { id: templateId } = await acme.acme.templates.create({ name: "Empty", type: "LOYALTY_CARD" });
      const spares: Record<string, Record<string, string>> = {
        "POST /v1/users/{}/tags/{}": { tagSlug },
        "POST /v1/user-tags/{}/merge": { slug: tagSlug },
        "DELETE /v1/templates/{}": { templateId },
      };
      return { ...acme, spares };
    };
    let acme = await createWithSpares();
    for (const endpoint of endpoints) {
      const { scope, otherScopes = [] } = endpoint;
      const { call } = http.createCaller(await acme.createToken(scope, ...otherScopes));
      const path = pathOf(endpoint, acme.world, acme.spares[titleOf(endpoint)]);
      const response = await call(endpoint.method, path, endpoint.body?.(acme.world));
      expect(response, titleOf(endpoint)).toMatchObject({ status: endpoint.status });
      if (endpoint.method === "DELETE") acme = await createWithSpares();
    }
  });

  test("no endpoint accepts a call without a valid token", async () => {
    const acme = await createWorld(http);
    const { apiTokens } = acme.acme;
    const expiresAt = new Date(http.clock.now() + 1).toISOString();
    const expiredToken = await apiTokens.create({ name: "Old", scopes: [...scopes], expiresAt });
    const revokedToken = await apiTokens.create({ name: "Lost", scopes: [...scopes] });
    await apiTokens.delete(revokedToken.apiToken.id);
    http.clock.move(1);
    const callers = [null, "malformed", expiredToken.token, revokedToken.token].map((token) =>
      http.createCaller(token),
    );
    const before = await readState(acme.acme);
    for (const endpoint of endpoints) {
      for (const { call } of callers) {
        expect(await call(...buildRequest(endpoint, acme)), titleOf(endpoint)).toEqual(unauthorized);
      }
    }
    expect(await readState(acme.acme)).toEqual(before);
  });

  test("no endpoint accepts a token with every scope except its own", async () => {
    const acme = await createWorld(http);
    const callers = new Map<Scope, ReturnType<typeof http.createCaller>>();
    const orScopes = new Map(endpoints.map(({ scope, orScope }) => [scope, orScope]));
    for (const scope of scopes) {
      const otherScopes = scopes.filter((other) => other !== scope && other !== orScopes.get(scope));
      callers.set(scope, http.createCaller(await acme.createToken(...otherScopes)));
    }
    const before = await readState(acme.acme);
    for (const endpoint of endpoints) {
      const response = await callers.get(endpoint.scope)?.call(...buildRequest(endpoint, acme));
      expect(response, titleOf(endpoint)).toEqual(denied(endpoint.scope));
    }
    expect(await readState(acme.acme)).toEqual(before);
  });

  describe("another organization's", () => {
    const withParameters = endpoints.filter(({ path }) => path.includes("{"));

    test("resources are not found, in any parameter of any path", async () => {
      const [acme, globex] = [await createWorld(http), await createWorld(http)];
      // The same slug would be found in both, so globex has a tag and a segment of its own.
      const { slug } = await globex.acme.tags.create({ name: "Globex only" });
      const filter = { operator: "AND", conditions: [{ slug }] } as const;
      const { slug: segmentSlug } = await globex.acme.segments.create({ name: "Globex only", filter });
      const foreign = { ...globex.world, slug, segmentSlug };
      const before = [await readState(acme.acme), await readState(globex.acme)];
      for (const endpoint of withParameters) {
        if (endpoint.isNewByPath) continue;
        for (const name of parseParameters(endpoint.path)) {
          const path = pathOf(endpoint, acme.world, { [name]: resourceOf(foreign, name) });
          const response = await acme.call(endpoint.method, path, endpoint.body?.(acme.world));
          expect(response, `${titleOf(endpoint)}: ${name}`).toEqual(notFound);
        }
        const path = pathOf(endpoint, foreign);
        expect(await acme.call(endpoint.method, path, endpoint.body?.(acme.world)), path).toEqual(notFound);
      }
      expect([await readState(acme.acme), await readState(globex.acme)]).toEqual(before);
    });

    test("user can't get a pass, and their pass can't be scanned", async () => {
      const [acme, globex] = [await createWorld(http), await createWorld(http)];
      const path = `/v1/templates/${acme.world.templateId}/walletpasses`;
      expect(await acme.call("POST", path, { userId: globex.world.userId })).toEqual(notFound);
      const value = globex.world.qrCodeValue;
      for (const code of [value, value.slice(-12)]) {
        const lookup = `/v1/walletpasses/lookup?qrCodeValue=${encodeURIComponent(code)}`;
        expect(await acme.call("GET", lookup)).toEqual(notFound);
        expect(await globex.call("GET", lookup)).toMatchObject({ status: 200 });
      }
    });

    test("user can't get or lose a tag, even among others", async () => {
      const [acme, globex] = [await createWorld(http), await createWorld(http)];
      const before = [await readState(acme.acme), await readState(globex.acme)];
      const userIds = [acme.world.userId, globex.world.userId];
      for (const kind of ["assign", "unassign"]) {
        const path = `/v1/user-tags/${acme.world.slug}/users:${kind}`;
        expect(await acme.call("POST", path, { userIds })).toEqual(notFound);
      }
      expect([await readState(acme.acme), await readState(globex.acme)]).toEqual(before);
    });

    test("user with a tag of the same slug is not matched by a filter", async () => {
      const [acme, globex] = [await createWorld(http), await createWorld(http)];
      const { slug } = acme.world;
      const before = await readState(globex.acme);
      const filter = { operator: "OR", conditions: [{ slug }] };
      expect(await acme.call("POST", `/v1/user-tags/${slug}/users:unassign`, { filter })).toEqual(
        ok({ changed: 1, unchanged: 0 }),
      );
      expect(await readState(globex.acme)).toEqual(before);
    });

    test("resources are in no list", async () => {
      const acme = await http.createOrganization();
      const globex = await createWorld(http);
      for (const path of ["/v1/user-tags", "/v1/users", "/v1/templates", "/v1/segments"]) {
        expect(await acme.call("GET", path)).toEqual(ok([]));
      }
      expect(await acme.call("GET", "/v1/events")).toEqual(ok({ content: [], next: "0" }));
      expect(await acme.call("GET", "/v1/api-tokens")).toMatchObject(ok([{ name: "Test" }]));
      const emptyPage = ok({ content: [], totalElements: 0 });
      const { templateId, slug } = globex.world;
      for (const query of ["", "?search=ada", `?templateId=${templateId}`]) {
        expect(await acme.call("GET", `/v1/contacts${query}`)).toMatchObject(emptyPage);
      }
      for (const operator of ["OR", "NOT"]) {
        const filter = { operator, conditions: [{ slug }] };
        expect(await acme.call("POST", "/v1/user-tags/query", { filter })).toMatchObject(emptyPage);
      }
    });

    test("external ids, emails and slugs are free", async () => {
      const [acme] = [await http.createOrganization(), await createWorld(http)];
      expect(await acme.call("POST", "/v1/user-tags", { name: "VIP" })).toMatchObject({ status: 201 });
      const user = { email: "ada@example.com", externalId: "c-1" };
      expect(await acme.call("POST", "/v1/users", user)).toMatchObject({ status: 201 });
      expect(await acme.call("GET", "/v1/users/c-1/passes")).toEqual(ok([]));
    });
  });
});
