import { LoyaltyService } from "loyalty-kit";
import { createOAuth } from "loyalty-kit/auth";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";

type Headers = readonly (readonly [name: string, value: string])[];

const json = "application/json";
const form = "application/x-www-form-urlencoded";

async function openServer() {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "till", scopes: ["user:create"] });
  const appInput = { name: "Till", redirectUris: ["https://till.example/back"], scopes: ["user:read"] };
  const { app, clientSecret } = await acme.apps.create({ ...appInput, scopes: ["user:read"] });
  const signedIn = () => ({ redirect: "https://shop.example/login" });
  const oauth = createOAuth(loyalty, { issuer: "https://shop.example", signedIn });
  const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), oauth, rateLimits: false });
  const sendText = async (path: string, headers: Headers, text: string) => {
    async function* generateChunks() {
      yield new TextEncoder().encode(text);
    }
    const body = { kind: "bytes", chunks: generateChunks() } as const;
    const { status } = await api.handle({
      method: "POST",
      url: path,
      headers,
      body,
      prefix: "",
      address: null,
    });
    return status;
  };
  let users = 0;
  const bearer = ["authorization", `Bearer ${token}`] as const;
  const basic = ["authorization", `Basic ${btoa(`${app.id}:${clientSecret}`)}`] as const;
  return {
    bearer,
    basic,
    addUser: (...headers: Headers) => {
      users += 1;
      return sendText("/v1/users", headers, JSON.stringify({ email: `user${users}@shop.example` }));
    },
    revoke: (...headers: Headers) => sendText("/oauth2/revoke", headers, "token=none"),
  };
}

const host = ["host", "shop.example"] as const;

describe("a request", () => {
  it("is refused if it has two tokens, in two headers or one", async () => {
    const { bearer, addUser } = await openServer();
    const type = ["content-type", json] as const;
    expect(await addUser(host, type, bearer)).toBe(201);
    expect(await addUser(host, type, bearer, bearer)).toBe(401);
    expect(await addUser(host, type, bearer, ["authorization", "Basic YTpi"])).toBe(401);
    expect(await addUser(host, type, [bearer[0], `${bearer[1]}, ${bearer[1]}`])).toBe(401);
  });

  it("is refused if it names two apps", async () => {
    const { basic, revoke } = await openServer();
    const type = ["content-type", form] as const;
    expect(await revoke(host, type, basic)).toBe(200);
    expect(await revoke(host, type, basic, basic)).toBe(401);
    expect(await revoke(host, type, [basic[0], `${basic[1]}, ${basic[1]}`])).toBe(401);
  });

  it("is refused if its body has two types or a malformed one, wherever the second one is", async () => {
    const { bearer, basic, addUser, revoke } = await openServer();
    for (const [type, sendAs] of [
      [json, (...types: string[]) => addUser(host, bearer, ...types.map(contentTypeHeader))],
      [form, (...types: string[]) => revoke(host, basic, ...types.map(contentTypeHeader))],
    ] as const) {
      for (const right of [
        type,
        `${type.toUpperCase()} ; charset="utf-8"`,
        `${type};`,
        `${type}; x=y;z="a;b"`,
      ])
        expect(await sendAs(right), right).toBeLessThan(300);
      for (const wrong of [
        ...[
          [type, "text/plain"],
          ["text/plain", type],
          [`${type}, text/plain`],
          [`${type}; x=y, text/plain`],
        ],
        ...[[`${type}; charset=utf-8; charset=latin1`], [`${type} x`], [`${type}; "`], [""]],
      ])
        expect(await sendAs(...wrong), wrong.join(" and ")).toBeGreaterThanOrEqual(400);
    }
  });

  it("is refused if it names two hosts, even by HTTP/2's :authority", async () => {
    const { bearer, addUser } = await openServer();
    const type = ["content-type", json] as const;
    expect(await addUser([":authority", "shop.example"], ["host", "Shop.example"], type, bearer)).toBe(201);
    expect(await addUser([":authority", "shop.example"], type, bearer)).toBe(201);
    for (const second of [
      ["host", "evil.example"],
      [":authority", "evil.example"],
    ] as const)
      expect(await addUser([":authority", "shop.example"], second, type, bearer), second[0]).toBe(400);
    expect(await addUser(host, host, type, bearer)).toBe(400);
  });
});

function contentTypeHeader(type: string): readonly [string, string] {
  return ["content-type", type];
}
