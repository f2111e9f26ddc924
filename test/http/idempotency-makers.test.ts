import {
  type CreateMessage,
  LoyaltyService,
  type Organization,
  type Scope,
  type StorageAdapter,
  scopes,
} from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { type Authenticate, bearerTokens, createHttpApi, routes } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { scopesOfRole } from "../../src/base/scopes.js";
import { serviceInternals } from "../../src/internals.js";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";
import { readTokens, Scene } from "../oauth/scene.js";

interface Call {
  readonly path: string;
  readonly body?: unknown;
  /** Scopes that the caller needs for the operation besides the scope of its route. */
  readonly scopes?: readonly Scope[];
}

type PrepareCall = (acme: Organization) => Promise<Call>;

const appInput = {
  name: "Till",
  redirectUris: ["https://app.example/callback"],
  scopes: ["user:read"] as const,
};
const createUser = (acme: Organization) => acme.users.create({ email: someEmail() });
const createUserWithTag = async (acme: Organization) => {
  await acme.tags.create({ name: "VIP" });
  return createUser(acme);
};
const createCard = async (acme: Organization) => {
  const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 3 });
  const pass = await acme.passes.create(id, { userId: (await createUser(acme)).id });
  await acme.stamps.add(pass.id, { count: 5 });
  return pass;
};
const createEndpoint = async (acme: Organization) =>
  (await acme.webhooks.create({ url: "https://crm.example/hooks" })).webhookEndpoint;
const prepareStamping =
  (verb: string, body?: unknown): PrepareCall =>
  async (acme) => ({ path: `/v1/walletpasses/${(await createCard(acme)).id}/stamps/${verb}`, body });

const messageInput: CreateMessage = {
  name: "News",
  audience: { all: true },
  channels: ["email"],
  texts: [{ language: "en", subject: "News", text: "There is coffee." }],
};

const createPointCard = async (acme: Organization) => {
  const { id } = await acme.templates.create({ name: "Points", type: "LOYALTY_CARD", points: {} });
  const pass = await acme.passes.create(id, { userId: (await createUser(acme)).id });
  const { entryId } = await acme.points.add(pass.id, { points: 10 });
  return { path: `/v1/walletpasses/${pass.id}/points`, entryId };
};
const preparePoints =
  (verb: string): PrepareCall =>
  async (acme) => ({ path: `${(await createPointCard(acme)).path}/${verb}`, body: { points: 5 } });
const createPurchase = async (acme: Organization) => {
  const { source, receipt } = await acme.purchases.put("till-7", "991", {
    currency: "EUR",
    lines: [{ amount: 1_250 }],
  });
  return `/v1/purchases/${source}/${receipt}`;
};

/** Every operation that takes an idempotency key and stores its response. */
const operations: Readonly<Record<string, PrepareCall>> = {
  createUserTag: async () => ({ path: "/v1/user-tags", body: { name: "VIP" } }),
  assignUserTagToUsers: async (acme) => ({
    path: "/v1/user-tags/vip/users:assign",
    body: { userIds: [(await createUserWithTag(acme)).id] },
  }),
  unassignUserTagFromUsers: async (acme) => ({
    path: "/v1/user-tags/vip/users:unassign",
    body: { userIds: [(await createUserWithTag(acme)).id] },
  }),
  mergeUserTag: async (acme) => {
    await createUserWithTag(acme);
    await acme.tags.create({ name: "Gold" });
    return { path: "/v1/user-tags/vip/merge", body: { into: "gold" } };
  },
  assignUserTag: async (acme) => ({ path: `/v1/users/${(await createUserWithTag(acme)).id}/tags/vip` }),
  createUser: async () => ({ path: "/v1/users", body: { email: someEmail() } }),
  upsertUser: async () => ({
    path: "/v1/users:upsert",
    body: { email: someEmail() },
    scopes: ["user:create"],
  }),
  eraseUser: async (acme) => ({ path: `/v1/users/${(await createUser(acme)).id}/erase` }),
  ensureUserTag: async () => ({
    path: "/v1/user-tags:ensure",
    body: { slug: "gold" },
    scopes: ["user_tag:read"],
  }),
  ensureTemplate: async () => ({
    path: "/v1/templates:ensure",
    body: { key: "tea", name: "Tea", type: "LOYALTY_CARD" },
    scopes: ["template:read"],
  }),
  createTemplate: async () => ({ path: "/v1/templates", body: { name: "Tea", type: "LOYALTY_CARD" } }),
  createWalletPass: async (acme) => ({
    path: `/v1/templates/${(await createCard(acme)).templateId}/walletpasses`,
    body: { user: { email: someEmail() } },
  }),
  ensureWalletPass: async (acme) => ({
    path: `/v1/templates/${(await createCard(acme)).templateId}/walletpasses:ensure`,
    body: { user: { email: someEmail() } },
    scopes: ["pass:read"],
  }),
  notifyWalletPass: async (acme) => ({
    path: `/v1/walletpasses/${(await createCard(acme)).id}/notify`,
    body: {},
  }),
  createSegment: async () => ({
    path: "/v1/segments",
    body: { name: "Guests", filter: { operator: "AND", conditions: [{ slug: "vip" }] } },
    scopes: ["user_tag:read"],
  }),
  createAutomation: async (acme) => {
    await createUserWithTag(acme);
    const trigger = { event: "user.created" };
    return {
      path: "/v1/automations",
      body: { name: "New", on: trigger, do: [{ assignTag: "vip" }] },
      scopes: ["user:read", "user_tag:write"],
    };
  },
  createMessage: async () => ({ path: "/v1/messages", body: messageInput }),
  testMessage: async (acme) => ({
    path: `/v1/messages/${(await acme.messages.create(messageInput)).id}/test`,
    body: { userId: (await createUser(acme)).id },
  }),
  sendMessage: async (acme) => ({
    path: `/v1/messages/${(await acme.messages.create(messageInput)).id}/send`,
  }),
  cancelMessage: async (acme) => ({
    path: `/v1/messages/${(await acme.messages.create(messageInput)).id}/cancel`,
  }),
  bounceMessageDelivery: async (acme) => {
    const { id } = await acme.passes.notify((await createCard(acme)).id);
    return { path: `/v1/message-deliveries/${id}/bounce`, body: { kind: "hard" } };
  },
  bounceAddress: async () => ({
    path: "/v1/message-deliveries:bounce",
    body: { email: "ada@example.com", kind: "hard" },
  }),
  addStamps: prepareStamping("add", { count: 2 }),
  removeStamps: prepareStamping("remove", { count: 1 }),
  setStamps: prepareStamping("set", { stamps: 1 }),
  resetStamps: prepareStamping("reset"),
  redeemReward: prepareStamping("redeem"),
  reverseStampEntry: async (acme) => {
    const { id } = await createCard(acme);
    const { entryId } = await acme.stamps.add(id);
    return { path: `/v1/walletpasses/${id}/stamps/reverse`, body: { entryId } };
  },
  addPoints: preparePoints("add"),
  removePoints: preparePoints("remove"),
  spendPoints: preparePoints("spend"),
  reversePointEntry: async (acme) => {
    const { path, entryId } = await createPointCard(acme);
    return { path: `${path}/reverse`, body: { entryId } };
  },
  returnPurchase: async (acme) => ({
    path: `${await createPurchase(acme)}/returns`,
    body: { returnId: "1", all: true },
  }),
  confirmPurchase: async (acme) => ({ path: `${await createPurchase(acme)}/confirm` }),
  createWebhookEndpoint: async () => ({ path: "/v1/webhook-endpoints", body: { url: "https://x.example/" } }),
  rotateWebhookSecret: async (acme) => ({
    path: `/v1/webhook-endpoints/${(await createEndpoint(acme)).id}/rotate-secret`,
  }),
  replayWebhooks: async (acme) => ({
    path: `/v1/webhook-endpoints/${(await createEndpoint(acme)).id}/replay`,
    body: { since: "2020-01-01T00:00:00.000Z", until: "2020-01-02T00:00:00.000Z" },
  }),
  testWebhookEndpoint: async (acme) => ({
    path: `/v1/webhook-endpoints/${(await createEndpoint(acme)).id}/test`,
  }),
  createApiToken: async () => ({
    path: "/v1/api-tokens",
    body: { name: "Till", scopes: ["user:read", "loyalty:manage"] },
    scopes: ["user:read", "loyalty:manage"],
  }),
  rotateApiToken: async (acme) => {
    const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    return { path: `/v1/api-tokens/${apiToken.id}/rotate`, scopes: ["user:read"] };
  },
  invitePerson: async () => ({
    path: "/v1/people",
    body: { email: someEmail(), role: "till" },
    scopes: scopesOfRole.till,
  }),
  invitePersonAgain: async (acme) => {
    const { person } = await acme.people.add({ email: someEmail(), role: "till" });
    return { path: `/v1/people/${person.id}/invite`, scopes: scopesOfRole.till };
  },
  createApp: async () => ({ path: "/v1/apps", body: appInput, scopes: ["user:read"] }),
  rotateAppSecret: async (acme) => {
    const { app } = await acme.apps.create({ ...appInput, scopes: ["user:read"] });
    return { path: `/v1/apps/${app.id}/rotate-secret`, scopes: ["user:read"] };
  },
};

/** The operations that return a new secret. */
const secretive = new Set([
  "createWebhookEndpoint",
  "rotateWebhookSecret",
  "createApiToken",
  "rotateApiToken",
  "createApp",
  "rotateAppSecret",
]);

const secretPattern = /\b(?:lk[a-z]?_|whsec_)[0-9A-Za-z+/]{20}/;

/** Authenticates by a host's token, which contains the principal. */
const authenticateByHost: Authenticate = async (token) =>
  JSON.parse(Buffer.from(token, "base64url").toString());
const createHostToken = (principal: object) =>
  Buffer.from(JSON.stringify({ organizationId: "acme", scopes, ...principal })).toString("base64url");

function openApi(storage: StorageAdapter = memoryStorage(), authenticate?: Authenticate) {
  const loyalty = new LoyaltyService({ storage });
  serviceInternals(loyalty).backends.mail.attachSender({ host: "mail.example", sendSignIn: () => true });
  onTestFinished(() => loyalty.close());
  const extensions = [createConsole(loyalty)];
  const api = createHttpApi(loyalty, {
    authenticate: authenticate ?? bearerTokens(loyalty),
    extensions,
    rateLimits: false,
  });
  const acme = loyalty.organization("acme");
  const createToken = async (...grantedScopes: Scope[]) =>
    (await acme.apiTokens.create({ name: "caller", scopes: [...new Set(grantedScopes)] })).token;
  const fetchPath = (path: string, init: RequestInit = {}) =>
    api.fetch(new Request(`http://api.example${path}`, init));
  const postCall = async ({ path, body }: Call, token: string, headers: Record<string, string> = {}) => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const requestHeaders = {
      authorization: `Bearer ${token}`,
      "idempotency-key": "key",
      ...type,
      ...headers,
    };
    const text = body === undefined ? null : JSON.stringify(body);
    return readResponse(await fetchPath(path, { method: "POST", headers: requestHeaders, body: text }));
  };
  return { loyalty, acme, createToken, postCall, fetchPath };
}

async function readResponse(response: Response) {
  const { status, headers } = response;
  return { status, text: await response.text(), isReplayed: headers.get("idempotency-replayed") === "true" };
}

const reusedKeyError = {
  status: 422,
  text: JSON.stringify({ code: "idempotency_key_reused", params: null }),
};

it("every operation that takes an idempotency key is tested", () => {
  const posts = routes.flatMap((route) => (route.method === "POST" ? [route.operationId] : []));
  const queries = ["queryUsersByTags", "querySegment", "previewMessage", "testAutomation"];
  expect(Object.keys(operations).sort()).toEqual(posts.filter((id) => !queries.includes(id)).sort());
});

describe.each(everyAdapter)("a response stored for an idempotency key on $name", ({ open: openStorage }) => {
  it.each(Object.entries(operations))(
    "by %s is replayed only to callers who may have it",
    async (operationId, prepare) => {
      const { loyalty, acme, createToken, postCall } = openApi(await openStorage());
      const call = await prepare(acme);
      const scope = routes.find((route) => route.operationId === operationId)?.scope ?? "user:read";
      const maker = await createToken(...scopes);
      const equal = await createToken(...scopes);
      const lesser = await createToken(scope, ...(call.scopes ?? []));
      const token = await createToken(scope);
      const otherToken = await createToken(scope === "user:read" ? "pass:read" : "user:read");

      const first = await postCall(call, maker);
      expect(first.status).toBeLessThan(300);
      const holdsSecret = secretive.has(operationId);
      expect(secretPattern.test(first.text)).toBe(holdsSecret);
      const state = await acme.audit.list();
      const replay = { ...first, isReplayed: true };

      expect(await postCall(call, maker)).toEqual(replay);
      for (const token of [equal, lesser]) {
        expect(await postCall(call, token)).toMatchObject(holdsSecret ? reusedKeyError : replay);
      }
      // A replay requires the operation's additional scopes too.
      const result = await postCall(call, token);
      if (call.scopes === undefined) expect(result).toMatchObject(holdsSecret ? reusedKeyError : replay);
      else expect([403, 422]).toContain(result.status);
      expect(secretPattern.test(result.text)).toBe(false);
      expect((await postCall(call, otherToken)).status).toBe(403);
      expect(await acme.audit.list()).toEqual(state);
      expect(await loyalty.verifyApiToken(maker)).not.toBeNull();
    },
  );
});

describe("a stored response", () => {
  it("is not replayed to a caller who is limited to one user and could not have made the call", async () => {
    for (const [operationId, prepare] of Object.entries(operations)) {
      const { acme, postCall } = openApi(memoryStorage(), authenticateByHost);
      const call = await prepare(acme);
      const ada = await createUser(acme);
      expect((await postCall(call, createHostToken({ subject: "boss" }))).status, operationId).toBeLessThan(
        300,
      );
      const { status, text } = await postCall(call, createHostToken({ user: ada.id, subject: "boss" }));
      expect([status, JSON.parse(text).code], operationId).toEqual([403, "access_denied"]);
    }
  });

  const prepareRotation = async (acme: Organization): Promise<Call> => {
    const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    return { path: `/v1/api-tokens/${apiToken.id}/rotate` };
  };

  it("with a secret is replayed only to the same caller, as the host identifies it", async () => {
    const principals = [
      { subject: "ada" },
      { subject: "bob" },
      { subject: "ada", session: "one" },
      { subject: "ada", session: "two" },
      { actor: { kind: "token", id: "ada" } },
      { actor: { kind: "app", id: "ada" } },
      { subject: "ada", scopes: scopes.filter((scope) => scope !== "user:update") },
      {},
    ];
    for (const [at, maker] of principals.entries()) {
      const { acme, postCall } = openApi(memoryStorage(), authenticateByHost);
      const call = await prepareRotation(acme);
      const first = await postCall(call, createHostToken(maker));
      expect(first.status).toBe(200);
      for (const [index, other] of principals.entries()) {
        // A caller with the same rights and more is still the same caller.
        const isMaker = index === at || (at === 6 && index === 0);
        const repeatedResponse = await postCall(call, createHostToken(other));
        expect(repeatedResponse, JSON.stringify([maker, other])).toMatchObject(
          isMaker ? { text: first.text } : reusedKeyError,
        );
      }
    }
  });

  it("with a secret is replayed only to the same token if the host names nothing but the scopes", async () => {
    // The tokens differ, and the host says nothing else about the caller.
    const { acme, postCall } = openApi(memoryStorage(), async () => ({ organizationId: "acme", scopes }));
    const call = await prepareRotation(acme);
    const first = await postCall(call, "one");
    expect(await postCall(call, "one")).toMatchObject({ text: first.text });
    expect(await postCall(call, "two")).toMatchObject(reusedKeyError);
  });

  it("with a secret is replayed to the same token, even if the token acts for someone else", async () => {
    const { acme, createToken, postCall } = openApi();
    const token = await createToken(...scopes);
    const call = await prepareRotation(acme);
    const first = await postCall(call, token, { "loyalty-actor": "subject=ada" });
    expect(await postCall(call, token, { "loyalty-actor": "subject=bob" })).toMatchObject({
      text: first.text,
    });
  });

  it("with a token's own new secret is replayed to the previous secret while that is valid", async () => {
    const { acme, postCall } = openApi();
    const { token, apiToken } = await acme.apiTokens.create({ name: "Till", scopes: [...scopes] });
    const call = { path: `/v1/api-tokens/${apiToken.id}/rotate`, body: { overlapSeconds: 60 } };
    const first = await postCall(call, token);
    expect(first.status).toBe(200);
    expect(await postCall(call, token)).toEqual({ ...first, isReplayed: true });
  });

  it("with a secret is replayed to the same grant of an app with the same scopes, even with new tokens", async () => {
    const grantedScopes = ["api_token:manage", "user:read", "user:create"] as const;
    const scene = new Scene();
    const app = await scene.createApp(undefined, [...grantedScopes]);
    const acme = scene.loyalty.organization(scene.user.organizationId);
    const requestTokens = (scope = grantedScopes.join(" ")) => scene.createTokens(app, { scope });
    const call = await prepareRotation(acme);
    const postCall = async (token: string) =>
      readResponse(
        await scene.fetch(call.path, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "idempotency-key": "key" },
        }),
      );
    const [tokens, secondTokens, narrow] = [
      await requestTokens(),
      await requestTokens(),
      await requestTokens("api_token:manage user:read"),
    ];
    const first = await postCall(tokens.access_token);
    expect(first.status).toBe(200);
    const refreshedTokens = await readTokens(await scene.refresh(app, tokens.refresh_token));
    expect(await postCall(refreshedTokens.access_token)).toMatchObject({
      text: first.text,
      isReplayed: true,
    });
    expect(await postCall(secondTokens.access_token)).toMatchObject(reusedKeyError);
    expect(await postCall(narrow.access_token)).toMatchObject(reusedKeyError);
    const narrowedTokens = await scene.refresh(app, refreshedTokens.refresh_token, {
      scope: "api_token:manage",
    });
    expect(await postCall((await readTokens(narrowedTokens)).access_token)).toMatchObject(reusedKeyError);
  });

  it("with a secret is replayed at the console only to sessions of the same token", async () => {
    const { acme, createToken, fetchPath } = openApi();
    const sameOriginHeaders = { "sec-fetch-site": "same-origin" };
    const signIn = async (token: string) => {
      const response = await fetchPath("/console", {
        method: "POST",
        headers: sameOriginHeaders,
        body: new URLSearchParams({ token }),
      });
      return response.headers.get("set-cookie")?.split(";")[0] ?? "";
    };
    const [ada, bob] = [await createToken(...scopes), await createToken(...scopes)];
    const call = await prepareRotation(acme);
    const postCall = async (token: string) => {
      const headers = {
        ...sameOriginHeaders,
        "x-loyalty-console": "1",
        "idempotency-key": "key",
        cookie: await signIn(token),
      };
      return readResponse(await fetchPath(`/console/api${call.path}`, { method: "POST", headers }));
    };
    const first = await postCall(ada);
    expect(first.status).toBe(200);
    expect(await postCall(ada)).toEqual({ ...first, isReplayed: true });
    expect(await postCall(bob)).toMatchObject(reusedKeyError);
    const headers = { authorization: `Bearer ${ada}`, "idempotency-key": "key" };
    expect(await readResponse(await fetchPath(call.path, { method: "POST", headers }))).toMatchObject(
      reusedKeyError,
    );
  });

  it("with a secret is replayed by the library to the same actor with at least the creator's scopes", async () => {
    const { loyalty, acme } = openApi();
    const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    const actWith = (...grantedScopes: Scope[]) => loyalty.organization("acme", { scopes: grantedScopes });
    const key = { idempotencyKey: "key" };
    const rotation = await actWith("api_token:manage", "user:read").apiTokens.rotate(apiToken.id, key);
    expect(
      await actWith("api_token:manage", "user:read", "pass:read").apiTokens.rotate(apiToken.id, key),
    ).toEqual(rotation);
    expect(await acme.apiTokens.rotate(apiToken.id, key)).toEqual(rotation);
    const otherCallers = [
      actWith("api_token:manage"),
      loyalty.organization("acme", { actor: { kind: "token", id: "akt_1" } }),
      loyalty.organization("acme", { actor: { subject: "ada" } }),
    ];
    for (const other of otherCallers) {
      expect(await getErrorDetail(other.apiTokens.rotate(apiToken.id, key))).toMatchObject({
        code: "idempotency_key_reused",
      });
    }
  });
});
