import { type CallerOptions, LoyaltyService, type Scope, scopes } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { hashOfToken } from "../../src/base/secrets/token-format.js";
import { serviceInternals } from "../../src/internals.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { replaceTransactions } from "../kit/intercept-calls.js";
import { ManualClock } from "../kit/manual-clock.js";
import { challenge, redirectUri, verifier } from "../oauth/scene.js";

type Open = (typeof everyAdapter)[number]["open"];

const DAY = 86_400_000;
const requiredScopes: Scope[] = ["user_tag:read", "user_tag:write", "webhook:manage", "user:create"];
const keptScopes: Scope[] = ["user_tag:read", "user:create"];

/** A shop whose changes wait behind a gate. Changes by `admin` and `acme` never wait. */
async function openShop(open: Open) {
  const storage = await open();
  const clock = new ManualClock();
  let gate: Promise<void> | null = null;
  let waitingCount = 0;
  const heldStorage = replaceTransactions(storage, async (organizationId, work, options) => {
    if (gate !== null) {
      // The use of a token is recorded in the background, out of turn.
      if (options?.isOutOfTurn !== true) waitingCount += 1;
      await gate;
    }
    return storage.transaction(organizationId, work, options);
  });
  const loyalty = new LoyaltyService({ storage: heldStorage, clock: clock.read });
  const admin = new LoyaltyService({ storage, clock: clock.read });
  const acme = admin.organization("acme");
  onTestFinished(() => loyalty.close());
  const createApi = (service: LoyaltyService) =>
    createHttpApi(service, {
      authenticate: bearerTokens(service),
      extensions: [createConsole(service, { key: "a key of 32 bytes that both processes have" })],
      rateLimits: false,
    });
  const [waitingApi, promptApi] = [createApi(loyalty), createApi(admin)];
  const post = (
    path: string,
    headers: Record<string, string>,
    body: string | URLSearchParams,
    api = waitingApi,
  ) =>
    api.fetch(
      new Request(`https://shop.example${path}`, {
        method: "POST",
        headers: {
          "sec-fetch-site": "same-origin",
          ...(typeof body === "string" && { "content-type": "application/json" }),
          ...headers,
        },
        body,
      }),
    );
  const postToConsole = async (path: string, form: Record<string, string>) => {
    const response = await post(path, {}, new URLSearchParams(form));
    return { cookie: response.headers.get("set-cookie")?.split(";")[0] ?? "", "x-loyalty-console": "1" };
  };
  const signOut = (path: string, headers: Record<string, string>) =>
    post(path, headers, new URLSearchParams(), promptApi);
  /** Begins changes, runs `happens` while they wait, and opens the gate. */
  const runMeanwhile = async <T>(begin: () => readonly Promise<T>[], happens: () => Promise<unknown>) => {
    waitingCount = 0;
    let openGate = () => {};
    gate = new Promise((resolve) => {
      openGate = resolve;
    });
    const calls = begin();
    const results = Promise.allSettled(calls);
    await expect.poll(() => waitingCount).toBe(calls.length);
    await happens();
    gate = null;
    openGate();
    return results;
  };
  return { storage, clock, loyalty, admin, acme, post, postToConsole, signOut, runMeanwhile };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** A caller whose rights come from a stored row. */
interface Caller {
  /** Path prefix of the caller's requests. */
  readonly base: string;
  readonly headers: Record<string, string>;
  /** The ways in which the caller loses all rights. */
  readonly ends: Readonly<Record<string, () => Promise<unknown>>>;
  /** Leaves the caller the scopes {@link keptScopes}, or fewer. */
  readonly narrow: () => Promise<unknown>;
}

async function narrowScopes({ storage }: Shop, id: string) {
  const token = await runStep(storage.reader("acme").findApiToken(id));
  if (token === null) throw new Error("there is no such token");
  await storage.transaction("acme", function* (tx) {
    yield* tx.deleteApiToken(id);
    yield* tx.insertApiToken({ ...token, scopes: keptScopes });
  });
}

const callers: Readonly<Record<string, (shop: Shop) => Promise<Caller>>> = {
  async "an API token"(shop) {
    const { acme, clock } = shop;
    const expiresAt = new Date(clock.read() + DAY).toISOString();
    const { token, apiToken } = await acme.apiTokens.create({
      name: "till",
      scopes: requiredScopes,
      expiresAt,
    });
    return {
      base: "",
      headers: { authorization: `Bearer ${token}` },
      ends: {
        "is revoked": () => acme.apiTokens.delete(apiToken.id),
        "gets another secret": () => acme.apiTokens.rotate(apiToken.id),
        expires: async () => clock.move(DAY),
      },
      narrow: () => narrowScopes(shop, apiToken.id),
    };
  },

  async "an app"({ acme, admin, loyalty, storage, clock }) {
    const { apps } = admin.organization("vendor");
    const appInput = { name: "Till", redirectUris: [redirectUri], scopes: requiredScopes, isPublic: true };
    const { app } = await apps.create(appInput);
    const { token, apiToken } = await acme.apiTokens.create({ name: "me", scopes: requiredScopes });
    const code = await acme.grants.allow({
      ...{ appId: app.id, redirectUri, codeChallenge: challenge },
      ...{ subject: "ada", scopes: requiredScopes, apiToken: token },
    });
    const tokens = await serviceInternals(loyalty).appTokens.redeem(app, {
      code,
      redirectUri,
      codeVerifier: verifier,
    });
    if ("refused" in tokens) throw new Error(tokens.reason);
    const [grant] = await runStep(storage.reader("acme").listGrants());
    if (grant === undefined) throw new Error("there is no grant");
    return {
      base: "",
      headers: { authorization: `Bearer ${tokens.accessToken}` },
      ends: {
        "loses its grant": () => acme.grants.delete(grant.id),
        "loses the token that authorized it": () => acme.apiTokens.delete(apiToken.id),
        "is deleted": () => apps.delete(app.id),
        "revokes its own access token": () =>
          serviceInternals(admin).appTokens.revoke(app, tokens.accessToken),
        "has an expired access token": async () => clock.move(1_000 * tokens.expiresIn),
      },
      narrow: () =>
        storage.transaction("acme", function* (tx) {
          const found = yield* tx.all.findGrantTokenByHash(hashOfToken(tokens.accessToken));
          if (found === null) throw new Error("there is no such token");
          yield* tx.deleteGrant(grant.id);
          yield* tx.insertGrant({ ...grant, scopes: keptScopes });
          yield* tx.insertGrantToken(found.token);
        }),
    };
  },

  async "a person at the console"({ acme, postToConsole }) {
    const { person, link } = await acme.people.add({ email: "ada@shop.example", role: "owner" });
    return {
      base: "/console/api",
      headers: await postToConsole(link.path, {}),
      ends: {
        "is removed": () => acme.people.delete(person.id),
        "is signed out": () => acme.people.endSessions(person.id),
      },
      narrow: () => acme.people.update(person.id, { role: "till" }),
    };
  },

  async "a token at the console"(shop) {
    const { acme, postToConsole, signOut } = shop;
    const { token, apiToken } = await acme.apiTokens.create({ name: "me", scopes: requiredScopes });
    const headers = await postToConsole("/console", { token });
    return {
      base: "/console/api",
      headers,
      ends: {
        "is revoked": () => acme.apiTokens.delete(apiToken.id),
        "gets another secret": () => acme.apiTokens.rotate(apiToken.id),
        "is signed out": () => signOut("/console/sign-out", headers),
        "is signed out everywhere": () => signOut("/console/sign-out/everywhere", headers),
      },
      narrow: () => narrowScopes(shop, apiToken.id),
    };
  },
};

/** A change for each caller, with the scope that it needs. */
const changes: readonly (readonly [scope: Scope, path: string, body: object])[] = [
  ["user_tag:write", "/v1/user-tags", { name: "VIP" }],
  ["webhook:manage", "/v1/webhook-endpoints", { url: "https://hooks.example" }],
  ["user:create", "/v1/users", { email: "eve@example.com" }],
];

function beginChanges({ post }: Shop, { base, headers }: Caller, extra: Record<string, string> = {}) {
  return changes.map(([, path, body]) =>
    post(base + path, { ...headers, ...extra, ...idempotencyHeaders(extra, path) }, JSON.stringify(body)),
  );
}

/** Gives each request its own idempotency key. */
function idempotencyHeaders({ key }: Record<string, string>, path: string) {
  return key === undefined ? {} : { "idempotency-key": `${key} ${path}` };
}

function listStatuses(responses: readonly PromiseSettledResult<Response>[]): unknown[] {
  return responses.map((response) =>
    response.status === "fulfilled" ? response.value.status : response.reason,
  );
}

async function countRows({ acme }: Shop) {
  const [tags, webhooks, contacts] = [
    await acme.tags.list(),
    await acme.webhooks.list(),
    await acme.contacts.list(),
  ];
  return { tags: tags.length, webhooks: webhooks.length, users: contacts.totalElements };
}

describe.each(everyAdapter)("a waiting change on $name", ({ open }) => {
  describe.each(Object.entries(callers))("of %s", (name, newCaller) => {
    it("is made if the caller still has its rights", async () => {
      const shop = await openShop(open);
      const caller = await newCaller(shop);
      const responses = await shop.runMeanwhile(
        () => beginChanges(shop, caller),
        () => shop.acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD" }),
      );
      expect(listStatuses(responses)).toEqual([201, 201, 201]);
    });

    it.each([{}, { key: "k" }])(
      "is refused, and stores nothing, if the caller's access has ended: %j",
      async (extra) => {
        const names = Object.keys((await newCaller(await openShop(open))).ends);
        for (const name of names) {
          const shop = await openShop(open);
          const caller = await newCaller(shop);
          const end = caller.ends[name] ?? (() => Promise.reject(new Error(name)));
          const responses = await shop.runMeanwhile(() => beginChanges(shop, caller, extra), end);
          expect(listStatuses(responses), name).toEqual([401, 401, 401]);
          for (const response of responses) {
            if (response.status === "rejected") continue;
            expect(await response.value.json()).toEqual({ code: "unauthorized", params: null });
            expect(response.value.headers.get("www-authenticate")).toMatch(/^Bearer/);
          }
          expect(await countRows(shop)).toEqual({ tags: 0, webhooks: 0, users: 0 });
        }
      },
    );

    it("is refused if the caller has lost its scope, while other changes are made", async () => {
      const shop = await openShop(open);
      const caller = await newCaller(shop);
      const responses = await shop.runMeanwhile(() => beginChanges(shop, caller), caller.narrow);
      // The role `till` can't add customers.
      const isPerson = name === "a person at the console";
      const users = isPerson ? 403 : 201;
      expect(listStatuses(responses)).toEqual([403, 403, users]);
      for (const [at, [scope]] of changes.entries()) {
        const response = responses[at];
        if (response?.status !== "fulfilled" || response.value.status !== 403) continue;
        const errorBody: { message?: string } = JSON.parse(await response.value.text());
        expect(errorBody).toEqual({ code: "access_denied", message: expect.stringContaining(scope) });
      }
      expect(await countRows(shop)).toEqual({ tags: 0, webhooks: 0, users: isPerson ? 0 : 1 });
    });
  });

  it("grants no rights, secrets or ownership if its caller was removed or demoted in the meantime", async () => {
    for (const isRemoved of [true, false]) {
      const shop = await openShop(open);
      const { acme, loyalty } = shop;
      const { person } = await acme.people.add({ email: "ada@shop.example", role: "owner" });
      const { person: other } = await acme.people.add({ email: "bob@shop.example", role: "till" });
      const { apiToken } = await acme.apiTokens.create({ name: "till", scopes: ["user:read"] });
      const actor = { kind: "console", id: person.id, subject: person.id } as const;
      const ada = loyalty.organization("acme", { scopes, actor });
      const filter = { operator: "NOT" as const, conditions: [{ slug: "none" }] };
      await acme.users.create({ email: "eve@example.com" });
      await acme.tags.create({ name: "VIP" });
      const results = await shop.runMeanwhile<unknown>(
        () => [
          ada.people.add({ email: "eve@shop.example", role: "owner" }),
          ada.people.update(other.id, { role: "owner" }),
          ada.people.link(other.id),
          ada.apiTokens.create({ name: "mine", scopes: ["user:read"] }),
          ada.apiTokens.rotate(apiToken.id),
          ada.apps.create({ name: "Mine", redirectUris: [redirectUri], scopes: ["user:read"] }),
          ada.webhooks.create({ url: "https://hooks.example" }),
          ada.tags.assignUsers("vip", { filter }),
        ],
        () => (isRemoved ? acme.people.delete(person.id) : acme.people.update(person.id, { role: "till" })),
      );
      const code = isRemoved ? "unauthorized" : "access_denied";
      for (const result of results)
        expect(result).toMatchObject({ status: "rejected", reason: { detail: { code } } });
      expect((await acme.people.list()).content.map(({ role }) => role)).not.toContain("owner");
      expect((await acme.apiTokens.list()).map(({ id }) => id)).toEqual([apiToken.id]);
      expect(await acme.apps.list()).toEqual([]);
    }
  });

  it("is checked against the caller's current scopes, even where the change itself finds out what it needs", async () => {
    const shop = await openShop(open);
    const { acme, loyalty } = shop;
    const { person } = await acme.people.add({ email: "ada@shop.example", role: "owner" });
    const actor = { kind: "console", id: person.id } as const;
    const ada = loyalty.organization("acme", { scopes, actor });
    const { apiToken } = await acme.apiTokens.create({ name: "all", scopes: [...scopes] });
    const [result] = await shop.runMeanwhile(
      () => [ada.apiTokens.delete(apiToken.id)],
      () => acme.people.update(person.id, { role: "manager" }),
    );
    expect(result).toMatchObject({ status: "rejected", reason: { detail: { code: "access_denied" } } });
    expect(await acme.apiTokens.list()).toHaveLength(1);
  });

  it("requires no scope of another call of the same caller", async () => {
    const shop = await openShop(open);
    const { acme, loyalty } = shop;
    const { person } = await acme.people.add({ email: "ada@shop.example", role: "owner" });
    const actor = { kind: "console", id: person.id } as const;
    const ada = loyalty.organization("acme", { scopes, actor });
    const { apiToken } = await ada.apiTokens.create({ name: "till", scopes: ["user:read"] });
    await acme.people.update(person.id, { role: "manager" });
    expect(await ada.tags.create({ name: "VIP" })).toMatchObject({ slug: "vip" });
    await expect(ada.apiTokens.delete(apiToken.id)).rejects.toMatchObject({ code: "access_denied" });
    expect(await ada.tags.create({ name: "New" })).toMatchObject({ slug: "new" });
  });

  it("leaves no automation with the rights of the host's own code when its creator is removed", async () => {
    const shop = await openShop(open);
    const { acme, loyalty, clock } = shop;
    const { person } = await acme.people.add({ email: "ada@shop.example", role: "owner" });
    const { apiToken } = await acme.apiTokens.create({ name: "all", scopes: [...scopes] });
    const actors = [
      { kind: "console", id: person.id },
      { kind: "token", id: apiToken.id },
    ] as const;
    await acme.tags.create({ name: "New" });
    const ids: string[] = [];
    for (const actor of actors) {
      const { apiTokens, apps, automations } = loyalty.organization("acme", { scopes, actor });
      const [tokens, app] = [
        await apiTokens.create({ name: "till", scopes: ["user:read"] }),
        await apps.create({ name: "Till", redirectUris: [redirectUri], scopes: ["user:read"] }),
      ];
      expect([tokens.apiToken.createdBy, app.app.createdBy]).toEqual([actor.id, actor.id]);
      const { id } = await automations.create({
        ...{ name: "Welcome", on: { event: "user.created" }, do: [{ assignTag: "new" }] },
      });
      ids.push(id);
    }
    const [result] = await shop.runMeanwhile<unknown>(
      () =>
        actors.map((actor) =>
          loyalty.organization("acme", { scopes, actor }).automations.create({
            ...{ name: "Late", on: { event: "user.created" }, do: [{ assignTag: "new" }] },
          }),
        ),
      async () => {
        await acme.people.delete(person.id);
        await acme.apiTokens.delete(apiToken.id);
      },
    );
    expect(result).toMatchObject({ status: "rejected", reason: { code: "unauthorized" } });
    expect((await acme.automations.list()).map(({ id }) => id)).toEqual(ids);
    const eve = await acme.users.create({ email: "eve@example.com" });
    clock.move(1_000);
    await loyalty.runAutomations();
    expect(await acme.tags.ofUser(eve.id)).toEqual([]);
    for (const { isEnabled } of await acme.automations.list()) expect(isEnabled).toBe(false);
  });

  it("is made for callers without a row in storage, whatever their actor is", async () => {
    const shop = await openShop(open);
    const callerOptions: CallerOptions[] = [
      {},
      { actor: { kind: "token", id: "akt_of_the_host" } },
      { scopes: requiredScopes },
      { scopes: requiredScopes, actor: { kind: "token", id: "till 7" } },
      { scopes: requiredScopes, actor: { kind: "app", id: "app_1" }, session: "s1" },
      { scopes: requiredScopes, actor: { kind: "console", subject: "ada" } },
      { scopes: requiredScopes, actor: { kind: "customer", id: "per_1" } },
    ];
    for (const [at, options] of callerOptions.entries())
      await shop.loyalty.organization("acme", options).tags.create({ name: `Tag ${at}` });
    expect(await shop.acme.tags.list()).toHaveLength(callerOptions.length);
  });
});
