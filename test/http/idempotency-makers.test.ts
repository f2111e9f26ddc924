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
import { scopesOfRole } from "../../src/base/roles.js";
import { serviceInternals } from "../../src/internals.js";
import { someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail } from "../kit/refusal.js";
import { readTokens, Scene } from "../oauth/scene.js";

interface Call {
  readonly path: string;
  readonly body?: unknown;
  /** What else the operation asks of a caller, beside the scope of its route. */
  readonly scopes?: readonly Scope[];
}

type Prepared = (acme: Organization) => Promise<Call>;

const someApp = {
  name: "Till",
  redirectUris: ["https://app.example/callback"],
  scopes: ["user:read"] as const,
};
const withUser = (acme: Organization) => acme.users.create({ email: someEmail() });
const withTag = async (acme: Organization) => {
  await acme.tags.create({ name: "VIP" });
  return withUser(acme);
};
const withCard = async (acme: Organization) => {
  const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 3 });
  const pass = await acme.passes.create(id, { userId: (await withUser(acme)).id });
  await acme.stamps.add(pass.id, { count: 5 });
  return pass;
};
const withEndpoint = async (acme: Organization) =>
  (await acme.webhooks.create({ url: "https://crm.example/hooks" })).webhookEndpoint;
const stamping =
  (verb: string, body?: unknown): Prepared =>
  async (acme) => ({ path: `/v1/walletpasses/${(await withCard(acme)).id}/stamps/${verb}`, body });

const someMessage: CreateMessage = {
  name: "News",
  audience: { all: true },
  channels: ["email"],
  texts: [{ language: "en", subject: "News", text: "There is coffee." }],
};

/** Every operation that takes a key and keeps its answer. */
const operations: Readonly<Record<string, Prepared>> = {
  createUserTag: async () => ({ path: "/v1/user-tags", body: { name: "VIP" } }),
  assignUserTagToUsers: async (acme) => ({
    path: "/v1/user-tags/vip/users:assign",
    body: { userIds: [(await withTag(acme)).id] },
  }),
  unassignUserTagFromUsers: async (acme) => ({
    path: "/v1/user-tags/vip/users:unassign",
    body: { userIds: [(await withTag(acme)).id] },
  }),
  mergeUserTag: async (acme) => {
    await withTag(acme);
    await acme.tags.create({ name: "Gold" });
    return { path: "/v1/user-tags/vip/merge", body: { into: "gold" } };
  },
  assignUserTag: async (acme) => ({ path: `/v1/users/${(await withTag(acme)).id}/tags/vip` }),
  createUser: async () => ({ path: "/v1/users", body: { email: someEmail() } }),
  upsertUser: async () => ({
    path: "/v1/users:upsert",
    body: { email: someEmail() },
    scopes: ["user:create"],
  }),
  eraseUser: async (acme) => ({ path: `/v1/users/${(await withUser(acme)).id}/erase` }),
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
    path: `/v1/templates/${(await withCard(acme)).templateId}/walletpasses`,
    body: { user: { email: someEmail() } },
  }),
  ensureWalletPass: async (acme) => ({
    path: `/v1/templates/${(await withCard(acme)).templateId}/walletpasses:ensure`,
    body: { user: { email: someEmail() } },
    scopes: ["pass:read"],
  }),
  notifyWalletPass: async (acme) => ({
    path: `/v1/walletpasses/${(await withCard(acme)).id}/notify`,
    body: {},
  }),
  createSegment: async () => ({
    path: "/v1/segments",
    body: { name: "Guests", filter: { operator: "AND", conditions: [{ slug: "vip" }] } },
    scopes: ["user_tag:read"],
  }),
  createAutomation: async (acme) => {
    await withTag(acme);
    const on = { event: "user.created" };
    return {
      path: "/v1/automations",
      body: { name: "New", on, do: [{ assignTag: "vip" }] },
      scopes: ["user:read", "user_tag:write"],
    };
  },
  createMessage: async () => ({ path: "/v1/messages", body: someMessage }),
  testMessage: async (acme) => ({
    path: `/v1/messages/${(await acme.messages.create(someMessage)).id}/test`,
    body: { userId: (await withUser(acme)).id },
  }),
  sendMessage: async (acme) => ({
    path: `/v1/messages/${(await acme.messages.create(someMessage)).id}/send`,
  }),
  cancelMessage: async (acme) => ({
    path: `/v1/messages/${(await acme.messages.create(someMessage)).id}/cancel`,
  }),
  bounceMessageDelivery: async (acme) => {
    const { id } = await acme.passes.notify((await withCard(acme)).id);
    return { path: `/v1/message-deliveries/${id}/bounce`, body: { kind: "hard" } };
  },
  bounceAddress: async () => ({
    path: "/v1/message-deliveries:bounce",
    body: { email: "ada@example.com", kind: "hard" },
  }),
  addStamps: stamping("add", { count: 2 }),
  removeStamps: stamping("remove", { count: 1 }),
  setStamps: stamping("set", { stamps: 1 }),
  resetStamps: stamping("reset"),
  redeemReward: stamping("redeem"),
  reverseStampEntry: async (acme) => {
    const { id } = await withCard(acme);
    const { entryId } = await acme.stamps.add(id);
    return { path: `/v1/walletpasses/${id}/stamps/reverse`, body: { entryId } };
  },
  createWebhookEndpoint: async () => ({ path: "/v1/webhook-endpoints", body: { url: "https://x.example/" } }),
  rotateWebhookSecret: async (acme) => ({
    path: `/v1/webhook-endpoints/${(await withEndpoint(acme)).id}/rotate-secret`,
  }),
  replayWebhooks: async (acme) => ({
    path: `/v1/webhook-endpoints/${(await withEndpoint(acme)).id}/replay`,
    body: { since: "2020-01-01T00:00:00.000Z", until: "2020-01-02T00:00:00.000Z" },
  }),
  testWebhookEndpoint: async (acme) => ({
    path: `/v1/webhook-endpoints/${(await withEndpoint(acme)).id}/test`,
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
  createApp: async () => ({ path: "/v1/apps", body: someApp, scopes: ["user:read"] }),
  rotateAppSecret: async (acme) => {
    const { app } = await acme.apps.create({ ...someApp, scopes: ["user:read"] });
    return { path: `/v1/apps/${app.id}/rotate-secret`, scopes: ["user:read"] };
  },
};

/** Those that show a new secret. */
const secretive = new Set([
  "createWebhookEndpoint",
  "rotateWebhookSecret",
  "createApiToken",
  "rotateApiToken",
  "createApp",
  "rotateAppSecret",
]);

const anySecret = /\b(?:lk[a-z]?_|whsec_)[0-9A-Za-z+/]{20}/;

/** What a token of the host's own says: whose it is, and what it may do. */
const byHost: Authenticate = async (token) => JSON.parse(Buffer.from(token, "base64url").toString());
const hostToken = (principal: object) =>
  Buffer.from(JSON.stringify({ organizationId: "acme", scopes, ...principal })).toString("base64url");

function open(storage: StorageAdapter = memoryStorage(), authenticate?: Authenticate) {
  const loyalty = new LoyaltyService({ storage });
  serviceInternals(loyalty)
    .mailBackend()
    .attachSender({ host: "mail.example", sendSignIn: () => true });
  onTestFinished(() => loyalty.close());
  const extensions = [createConsole(loyalty)];
  const api = createHttpApi(loyalty, {
    authenticate: authenticate ?? bearerTokens(loyalty),
    extensions,
    rateLimits: false,
  });
  const acme = loyalty.organization("acme");
  const tokenWith = async (...granted: Scope[]) =>
    (await acme.apiTokens.create({ name: "caller", scopes: [...new Set(granted)] })).token;
  const fetch = (path: string, init: RequestInit = {}) =>
    api.fetch(new Request(`http://api.example${path}`, init));
  const post = async ({ path, body }: Call, token: string, headers: Record<string, string> = {}) => {
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const sent = { authorization: `Bearer ${token}`, "idempotency-key": "key", ...type, ...headers };
    const text = body === undefined ? null : JSON.stringify(body);
    return seen(await fetch(path, { method: "POST", headers: sent, body: text }));
  };
  return { loyalty, acme, tokenWith, post, fetch };
}

async function seen(answer: Response) {
  const { status, headers } = answer;
  return { status, text: await answer.text(), isReplayed: headers.get("idempotency-replayed") === "true" };
}

const reused = { status: 422, text: JSON.stringify({ code: "idempotency_key_reused", params: null }) };

it("every operation that takes a key is tried", () => {
  const posts = routes.flatMap((route) => (route.method === "POST" ? [route.operationId] : []));
  const queries = ["queryUsersByTags", "querySegment", "previewMessage", "testAutomation"];
  expect(Object.keys(operations).sort()).toEqual(posts.filter((id) => !queries.includes(id)).sort());
});

describe.each(everyAdapter)("the answer kept for a key on $name", ({ open: openStorage }) => {
  it.each(Object.entries(operations))("of %s is for who may have it", async (operationId, prepare) => {
    const { loyalty, acme, tokenWith, post } = open(await openStorage());
    const call = await prepare(acme);
    const scope = routes.find((route) => route.operationId === operationId)?.scope ?? "user:read";
    const maker = await tokenWith(...scopes);
    const equal = await tokenWith(...scopes);
    const lesser = await tokenWith(scope, ...(call.scopes ?? []));
    const least = await tokenWith(scope);
    const another = await tokenWith(scope === "user:read" ? "pass:read" : "user:read");

    const first = await post(call, maker);
    expect(first.status).toBeLessThan(300);
    const holdsSecret = secretive.has(operationId);
    expect(anySecret.test(first.text)).toBe(holdsSecret);
    const state = await acme.audit.list();
    const replay = { ...first, isReplayed: true };

    expect(await post(call, maker)).toEqual(replay);
    for (const token of [equal, lesser]) {
      expect(await post(call, token)).toMatchObject(holdsSecret ? reused : replay);
    }
    // What the operation asks for besides is asked of who repeats it.
    const told = await post(call, least);
    if (call.scopes === undefined) expect(told).toMatchObject(holdsSecret ? reused : replay);
    else expect([403, 422]).toContain(told.status);
    expect(anySecret.test(told.text)).toBe(false);
    expect((await post(call, another)).status).toBe(403);
    expect(await acme.audit.list()).toEqual(state);
    expect(await loyalty.verifyApiToken(maker)).not.toBeNull();
  });
});

describe("a kept answer", () => {
  it("is for no caller who is one user, whose call it could not have been", async () => {
    for (const [operationId, prepare] of Object.entries(operations)) {
      const { acme, post } = open(memoryStorage(), byHost);
      const call = await prepare(acme);
      const ada = await withUser(acme);
      expect((await post(call, hostToken({ subject: "boss" }))).status, operationId).toBeLessThan(300);
      const { status, text } = await post(call, hostToken({ user: ada.id, subject: "boss" }));
      expect([status, JSON.parse(text).code], operationId).toEqual([403, "access_denied"]);
    }
  });

  const rotation = async (acme: Organization): Promise<Call> => {
    const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    return { path: `/v1/api-tokens/${apiToken.id}/rotate` };
  };

  it("that tells a secret is for the same caller of the host's, by what the host says of it", async () => {
    const told = [
      { subject: "ada" },
      { subject: "bob" },
      { subject: "ada", session: "one" },
      { subject: "ada", session: "two" },
      { actor: { kind: "token", id: "ada" } },
      { actor: { kind: "app", id: "ada" } },
      { subject: "ada", scopes: scopes.filter((scope) => scope !== "user:update") },
      {},
    ];
    for (const [at, maker] of told.entries()) {
      const { acme, post } = open(memoryStorage(), byHost);
      const call = await rotation(acme);
      const first = await post(call, hostToken(maker));
      expect(first.status).toBe(200);
      for (const [index, other] of told.entries()) {
        // Whoever has as many rights and more is the same caller still.
        const isMaker = index === at || (at === 6 && index === 0);
        const again = await post(call, hostToken(other));
        expect(again, JSON.stringify([maker, other])).toMatchObject(isMaker ? { text: first.text } : reused);
      }
    }
  });

  it("that tells a secret is for nobody when nothing is known of the caller but the scopes", async () => {
    // Each token is another one, and the host tells nothing else.
    const { acme, post } = open(memoryStorage(), async () => ({ organizationId: "acme", scopes }));
    const call = await rotation(acme);
    const first = await post(call, "one");
    expect(await post(call, "one")).toMatchObject({ text: first.text });
    expect(await post(call, "two")).toMatchObject(reused);
  });

  it("that tells a secret is not for whom the same token acts now, but for the token", async () => {
    const { acme, tokenWith, post } = open();
    const token = await tokenWith(...scopes);
    const call = await rotation(acme);
    const first = await post(call, token, { "loyalty-actor": "subject=ada" });
    expect(await post(call, token, { "loyalty-actor": "subject=bob" })).toMatchObject({ text: first.text });
  });

  it("that tells a token its own new secret comes again to the secret before, while that is good", async () => {
    const { acme, post } = open();
    const { token, apiToken } = await acme.apiTokens.create({ name: "Till", scopes: [...scopes] });
    const call = { path: `/v1/api-tokens/${apiToken.id}/rotate`, body: { overlapSeconds: 60 } };
    const first = await post(call, token);
    expect(first.status).toBe(200);
    expect(await post(call, token)).toEqual({ ...first, isReplayed: true });
  });

  it("that tells a secret comes again to the grant of an app, whose tokens change, and to no other", async () => {
    const granted = ["api_token:manage", "user:read", "user:create"] as const;
    const scene = new Scene();
    const app = await scene.createApp(undefined, [...granted]);
    const acme = scene.loyalty.organization(scene.user.organizationId);
    const grant = (scope = granted.join(" ")) => scene.createTokens(app, { scope });
    const call = await rotation(acme);
    const post = async (token: string) =>
      seen(
        await scene.fetch(call.path, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "idempotency-key": "key" },
        }),
      );
    const [one, two, narrow] = [await grant(), await grant(), await grant("api_token:manage user:read")];
    const first = await post(one.access_token);
    expect(first.status).toBe(200);
    const refreshed = await readTokens(await scene.refresh(app, one.refresh_token));
    expect(await post(refreshed.access_token)).toMatchObject({ text: first.text, isReplayed: true });
    expect(await post(two.access_token)).toMatchObject(reused);
    expect(await post(narrow.access_token)).toMatchObject(reused);
    const narrowed = await scene.refresh(app, refreshed.refresh_token, { scope: "api_token:manage" });
    expect(await post((await readTokens(narrowed)).access_token)).toMatchObject(reused);
  });

  it("that tells a secret is for the sessions of one token at the console, and for nobody else's", async () => {
    const { acme, tokenWith, fetch } = open();
    const own = { "sec-fetch-site": "same-origin" };
    const signIn = async (token: string) => {
      const answer = await fetch("/console", {
        method: "POST",
        headers: own,
        body: new URLSearchParams({ token }),
      });
      return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
    };
    const [ada, bob] = [await tokenWith(...scopes), await tokenWith(...scopes)];
    const call = await rotation(acme);
    const post = async (token: string) => {
      const headers = {
        ...own,
        "x-loyalty-console": "1",
        "idempotency-key": "key",
        cookie: await signIn(token),
      };
      return seen(await fetch(`/console/api${call.path}`, { method: "POST", headers }));
    };
    const first = await post(ada);
    expect(first.status).toBe(200);
    expect(await post(ada)).toEqual({ ...first, isReplayed: true });
    expect(await post(bob)).toMatchObject(reused);
    const headers = { authorization: `Bearer ${ada}`, "idempotency-key": "key" };
    expect(await seen(await fetch(call.path, { method: "POST", headers }))).toMatchObject(reused);
  });

  it("in the library tells a secret to who has the scopes that its maker had, and to the same actor", async () => {
    const { loyalty, acme } = open();
    const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    const as = (...granted: Scope[]) => loyalty.organization("acme", { scopes: granted });
    const key = { idempotencyKey: "key" };
    const made = await as("api_token:manage", "user:read").apiTokens.rotate(apiToken.id, key);
    expect(await as("api_token:manage", "user:read", "pass:read").apiTokens.rotate(apiToken.id, key)).toEqual(
      made,
    );
    expect(await acme.apiTokens.rotate(apiToken.id, key)).toEqual(made);
    const others = [
      as("api_token:manage"),
      loyalty.organization("acme", { actor: { kind: "token", id: "akt_1" } }),
      loyalty.organization("acme", { actor: { subject: "ada" } }),
    ];
    for (const other of others) {
      expect(await getErrorDetail(other.apiTokens.rotate(apiToken.id, key))).toMatchObject({
        code: "idempotency_key_reused",
      });
    }
  });
});
