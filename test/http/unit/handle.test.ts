import { LoyaltyService, scopes } from "loyalty-kit";
import {
  apiTokens,
  createHttpApi,
  type HttpApiOptions,
  type HttpBody,
  type HttpRequest,
  routes,
} from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, test, vi } from "vitest";

const none: HttpBody = { kind: "none" };

/** Creates an API with a token for every scope, and records the errors that the host's logger receives. */
async function createApi(options: Partial<HttpApiOptions> = {}) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "Test", scopes: [...scopes] });
  const errors: unknown[] = [];
  const { handle } = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    onError: (error) => errors.push(error),
    ...options,
  });
  const sendRequest = (request: Partial<HttpRequest>) =>
    handle({
      method: "GET",
      url: "/v1/templates",
      headers: [["Authorization", `Bearer ${token}`]],
      body: none,
      prefix: "",
      address: null,
      ...request,
    });
  return { acme, token, errors, sendRequest };
}

describe("a request that the host's parser refused", () => {
  test.each(routes.filter(({ scope }) => scope !== null))(
    "never reaches a use case: $method $path",
    async ({ method, path }) => {
      const { sendRequest, token } = await createApi();
      const headers = [
        ["authorization", `Bearer ${token}`],
        ["content-type", "application/json"],
      ] as const;
      const url = path.replaceAll(/\{\w+\}/g, "x");
      for (const [code, status] of [
        ["malformed_request", 400],
        ["payload_too_large", 413],
        ["unsupported_media_type", 415],
      ] as const) {
        const response = await sendRequest({ method, url, headers, body: { kind: "refused", code } });
        expect(response).toMatchObject({ status, body: JSON.stringify({ code, params: null }) });
      }
    },
  );

  test("still gets its response in the order of checks", async () => {
    const { sendRequest } = await createApi();
    const body: HttpBody = { kind: "refused", code: "malformed_request" };
    expect(await sendRequest({ method: "POST", url: "/v1/nothing", body })).toMatchObject({ status: 404 });
    expect(await sendRequest({ method: "PUT", url: "/v1/users", body })).toMatchObject({ status: 405 });
    expect(await sendRequest({ method: "POST", url: "/v1/users", headers: [], body })).toMatchObject({
      status: 401,
    });
  });
});

describe("a body that the host has parsed", () => {
  const parsedBody = { kind: "parsed", value: { email: "ada@example.com" } } as const;

  test("still needs the content type", async () => {
    const { sendRequest, token } = await createApi();
    const headers = [["Authorization", `Bearer ${token}`]] as const;
    expect(await sendRequest({ method: "POST", url: "/v1/users", headers, body: parsedBody })).toMatchObject({
      status: 415,
    });
    const typedHeaders = [...headers, ["Content-Type", "application/json"]] as const;
    expect(
      await sendRequest({ method: "POST", url: "/v1/users", headers: typedHeaders, body: parsedBody }),
    ).toMatchObject({
      status: 201,
    });
  });
});

describe("authentication", () => {
  test("accepts only one Authorization header", async () => {
    const { sendRequest, token } = await createApi();
    const header = ["Authorization", `Bearer ${token}`] as const;
    expect(await sendRequest({ headers: [header] })).toMatchObject({ status: 200 });
    expect(await sendRequest({ headers: [header, header] })).toMatchObject({
      status: 401,
      headers: { "www-authenticate": 'Bearer error="invalid_token"' },
    });
  });

  test("that fails is an internal error, and the host's logger receives the cause", async () => {
    const cause = new Error("no directory");
    const { sendRequest, errors } = await createApi({ authenticate: () => Promise.reject(cause) });
    expect(await sendRequest({})).toMatchObject({ status: 500 });
    expect(errors).toEqual([cause]);
  });

  test("that returns an invalid organization id is an internal error, not the client's", async () => {
    const { sendRequest, errors } = await createApi({
      authenticate: async () => ({ organizationId: "", scopes: [] }),
    });
    expect(await sendRequest({})).toMatchObject({ status: 500 });
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining("organization id") }),
    ]);
  });
});

describe("the host's authenticate function", () => {
  test("grants no access if it returns no scopes, and the error is reported to the host", async () => {
    const authenticateWithoutScopes: HttpApiOptions["authenticate"] = async () =>
      JSON.parse('{ "organizationId": "acme" }');
    const { sendRequest, errors } = await createApi({ authenticate: authenticateWithoutScopes });
    expect((await sendRequest({})).status).toBe(500);
    expect(errors).toHaveLength(1);
  });

  test("may also return undefined if it finds no caller", async () => {
    const authenticateAsNobody: HttpApiOptions["authenticate"] = async () => JSON.parse("[]")[0];
    const { sendRequest } = await createApi({ authenticate: authenticateAsNobody });
    expect((await sendRequest({})).status).toBe(401);
  });
});

test("a failing logger of the host doesn't block a response", async () => {
  const consoleError = vi.spyOn(console, "error").mockReturnValue();
  const throwInLogger = () => {
    throw new Error("the logger is down");
  };
  const { sendRequest } = await createApi({ authenticate: throwInLogger, onError: throwInLogger });
  expect((await sendRequest({})).status).toBe(500);
  expect(consoleError).toHaveBeenCalledOnce();
  consoleError.mockRestore();
});

test.each(["/v1/user-tags", "/v1/templates"])(
  "a long list of %s is sent in pieces of 64 KiB",
  async (url) => {
    const { acme, sendRequest } = await createApi();
    const [description, reward] = ["x".repeat(500), "x".repeat(150)];
    for (let at = 0; at < 240; at += 1) {
      await acme.tags.create({ name: `Tag ${at}`, description });
      await acme.templates.create({ name: `Template ${at}`, type: "STAMP_CARD", maxStamps: 10, reward });
    }
    const { body } = await sendRequest({ url });
    if (body === null || typeof body === "string" || body instanceof Uint8Array) throw new Error("one piece");
    const pieces: Buffer[] = [];
    for await (const piece of body) pieces.push(Buffer.from(piece));
    expect(pieces.length).toBeGreaterThan(1);
    for (const { length } of pieces) expect(length).toBeLessThan(67_000);
    for (const { length } of pieces.slice(0, -1)) expect(length).toBeGreaterThan(65_536);
    const listedItems = url === "/v1/user-tags" ? await acme.tags.list() : await acme.templates.list();
    expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual(listedItems);
  },
);

test("a path that doesn't begin with a slash is not found", async () => {
  const { sendRequest } = await createApi();
  expect((await sendRequest({ url: "/v1/templates" })).status).toBe(200);
  expect((await sendRequest({ url: "_v1/templates" })).status).toBe(404);
});
