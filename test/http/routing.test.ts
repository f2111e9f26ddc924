import { describe, expect, test } from "vitest";
import { malformed, methodNotAllowed, notFound, ok, unauthorized } from "./answers.js";
import { createWorld, type Endpoint, endpoints, nowhere, pathOf } from "./endpoints.js";
import { testOnEveryMount } from "./every-mount.js";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

/** Lists the methods of a path: its own, and the methods of matching paths with a parameter. */
function listAllowedMethods(path: string): string[] {
  const segments = path.split("/");
  const matchingEndpoints = endpoints.filter(({ path: other }) => {
    const parts = other.split("/");
    return (
      parts.length === segments.length &&
      parts.every(
        (part, at) => part === segments[at] || (part.startsWith("{") && !segments[at]?.startsWith("{")),
      )
    );
  });
  const samePath = endpoints.filter(({ path: other }) => other === path);
  return [...new Set([...matchingEndpoints, ...samePath].map(({ method }) => method))].sort();
}

testOnEveryMount((http) => {
  const createStranger = () => http.createCaller(null);

  describe("an unknown path", () => {
    test.each([
      ...["/v1", "/v1/", "/v1/unknown", "/v1/users/x/y", "/v1/users/x/tags/y/z", "/v1/Users", "/v1//users"],
      ...["/v1/user_tags", "/v1/walletpasses", "/v1/walletpasses/x/stamps/add/1", "/v1/walletpasses/x/stamp"],
      ...["/v1/templates/x/walletpasses/y/stamps", "/v1/api-tokens/x/y", "/v1/openapi.yaml", "/v1/__proto__"],
      ...[
        "/v1/constructor",
        "/v2/users",
        "/v2",
        "/v0/users",
        "/v10/users",
        "/v1/users/x/__proto__",
        "/v1/%75sers/x/y",
      ],
      ...["/v1/user-tags/x/users:nope", "/v1/user-tags/x/users:", "/v1/user-tags/x/users:assign:unassign"],
      ...["/v1/user-tags/x/usersassign", "/v1/user-tags/x/users/assign", "/v1/user-tags/users:assign/x"],
      ...["/v1/user-tags/x/users%3Aassign", "/v1/user-tags//users:assign", "/v1/user-tags/x/:assign"],
    ])("%s is not found, with or without a token", async (path) => {
      const { call } = await http.createOrganization();
      for (const method of ["GET", "OPTIONS"]) {
        expect(await createStranger().call(method, path), method).toEqual(notFound);
      }
      expect(await call("POST", path)).toEqual(notFound);
    });
  });

  test("a known path with another method returns the allowed methods, with or without a token", async () => {
    const { send } = await http.createOrganization();
    for (const template of new Set(endpoints.map(({ path }) => path))) {
      const path = pathOf({ path: template }, nowhere);
      const allowedMethods = listAllowedMethods(template);
      for (const [at, method] of [...methods, "OPTIONS"].entries()) {
        if (allowedMethods.includes(method)) continue;
        const ask = at % 2 === 0 ? send : createStranger().send;
        const { headers, ...response } = await ask(method, path);
        expect(response, `${method} ${template}`).toEqual(methodNotAllowed);
        const allow = (headers.get("allow") ?? "").split(/, */).filter((name) => name !== "HEAD");
        expect(allow.sort(), `${method} ${template}`).toEqual(allowedMethods);
      }
    }
  });

  test("a path that allows GET also allows HEAD, and lists it in Allow", async () => {
    const { send } = createStranger();
    for (const [path, takes] of [
      ["/v1/users", true],
      ["/v1/walletpasses/x/stamps/add", false],
    ] as const) {
      const { headers } = await send("OPTIONS", path);
      expect((headers.get("allow") ?? "").includes("HEAD")).toBe(takes);
    }
  });

  test("an unknown method is not allowed", async () => {
    const { call } = await http.createOrganization();
    for (const method of ["PROPFIND", "REPORT", "SEARCH"]) {
      expect(await call(method, "/v1/users")).toEqual(methodNotAllowed);
    }
  });

  describe("HEAD", () => {
    test("responds as GET does, without a body", async () => {
      const acme = await createWorld(http);
      for (const endpoint of endpoints.filter(({ method }) => method === "GET")) {
        const path = pathOf(endpoint, acme.world);
        const [get, head] = [await acme.send("GET", path), await acme.send("HEAD", path)];
        expect(head, path).toMatchObject({ status: get.status, body: undefined });
        for (const name of ["content-type", "deprecation", "link"]) {
          expect(head.headers.get(name), `${name} of ${path}`).toBe(get.headers.get(name));
        }
        const length = get.headers.get("content-length");
        // A file isn't created only for its headers.
        if (length !== null && path !== "/v1/export")
          expect(head.headers.get("content-length"), path).toBe(length);
      }
    });

    test("reports errors as GET does", async () => {
      const { createToken } = await http.createOrganization();
      const { send } = http.createCaller(await createToken("pass:read"));
      for (const [path, status] of [
        ["/v1/unknown", 404],
        ["/v1/walletpasses/x", 404],
        ["/v1/users", 403],
        ["/v1/walletpasses/x/stamps/history?size=x", 400],
        ["/v1/walletpasses/x/stamps/history?size=0", 422],
        ["/v1/walletpasses/x/stamps/add", 405],
      ] as const) {
        const head = await send("HEAD", path);
        expect(head, path).toMatchObject({ status, body: undefined });
        expect(head.headers.get("content-type")).toMatch(/^application\/json/);
      }
      const { headers, ...response } = await createStranger().send("HEAD", "/v1/users");
      expect(response).toEqual({ status: 401, body: undefined });
      expect(headers.get("www-authenticate")).toBe("Bearer");
    });
  });

  describe("the path of the OpenAPI document", () => {
    test("needs no token, and ignores an invalid one", async () => {
      for (const { sendPlainly } of [createStranger(), http.createCaller("wrong")]) {
        const { status, text } = await sendPlainly("GET", "/v1/openapi.json");
        expect(status).toBe(200);
        expect(JSON.parse(text)).toEqual(http.document.source);
      }
    });

    test("allows only GET and HEAD", async () => {
      expect(await createStranger().call("HEAD", "/v1/openapi.json")).toMatchObject({ status: 200 });
      for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
        const { headers, ...response } = await createStranger().send(method, "/v1/openapi.json");
        expect(response).toEqual(methodNotAllowed);
        expect(headers.get("allow")).toMatch(/^(GET, HEAD|HEAD, GET|GET)$/);
      }
    });
  });

  describe("a path parameter", () => {
    /** Builds a request for every endpoint with path parameters, all filled with the same text. */
    const buildRequests = (text: string, includesEndpoint = (_: Endpoint) => true) =>
      endpoints
        .filter((endpoint) => endpoint.path.includes("{") && includesEndpoint(endpoint))
        .map(({ method, path, body }) => [method, path.replace(/\{\w+\}/g, text), body?.(nowhere)] as const);
    const pickRequests = (text: string, includesEndpoint?: (endpoint: Endpoint) => boolean) =>
      buildRequests(text, includesEndpoint).filter((_, at) => at % 5 === 0);

    test("that is malformed is reported only after the token is checked", async () => {
      const { call } = await http.createOrganization();
      for (const request of buildRequests("%zz")) {
        expect(await call(...request), request.join(" ")).toEqual(malformed);
        expect(await createStranger().call(...request), request.join(" ")).toEqual(unauthorized);
      }
    });

    test.each(["%", "%2", "a%", "%u0041", "%e4", "%ff", "%c3%28", "%ed%a0%80", "%c0%80", "%f8%88%80%80%80"])(
      "is malformed if written %s",
      async (text) => {
        const { call } = await http.createOrganization();
        for (const request of pickRequests(text))
          expect(await call(...request), request[1]).toEqual(malformed);
      },
    );

    test("with NUL is not found", async () => {
      const { call } = await http.createOrganization();
      for (const request of buildRequests("%00"))
        expect(await call(...request), request[1]).toEqual(notFound);
    });

    test.each([
      "a%00",
      "%E2%80%8B",
      "%0A",
      "%7F",
      "x".repeat(5_000),
      "%25zz",
      "%2F",
      "a%2Fb",
      "a%5Cb",
      "%3F",
    ])("is not found if written %s", async (text) => {
      const { call } = await http.createOrganization();
      for (const request of pickRequests(text, ({ isNewByPath = false }) => !isNewByPath))
        expect(await call(...request), request[1]).toEqual(notFound);
    });

    test("is decoded once", async () => {
      const { acme, call } = await http.createOrganization();
      const user = await acme.users.create({ email: "ada@example.com", externalId: "a%2Fb" });
      expect(await call("GET", "/v1/users/a%252Fb")).toEqual(ok(user));
      expect(await call("GET", "/v1/users/a%2Fb")).toEqual(notFound);
    });

    test("may contain a colon", async () => {
      const { acme, call } = await http.createOrganization();
      const user = await acme.users.create({ email: "ada@example.com", externalId: "users:assign" });
      for (const id of ["users:assign", "users%3Aassign"]) {
        expect(await call("GET", `/v1/users/${id}`)).toEqual(ok(user));
      }
      expect(await call("POST", "/v1/user-tags/a:b/users:assign", { userIds: [user.id] })).toEqual(notFound);
    });

    test("may be percent-encoded where that is not needed", async () => {
      const { acme, call } = await http.createOrganization();
      const tag = await acme.tags.create({ name: "VIP" });
      expect(await call("GET", "/v1/user-tags/%76%69p")).toEqual(ok(tag));
    });
  });
});
