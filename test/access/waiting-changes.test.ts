import { type CallerOptions, LoyaltyService, type Scope, scopes } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { hashOfToken } from "../../src/base/secrets/token-format.js";
import { serviceInternals } from "../../src/internals.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { replaceTransactions } from "../kit/intercepted.js";
import { ManualClock } from "../kit/manual-clock.js";
import { challenge, redirectUri, verifier } from "../oauth/scene.js";

type Open = (typeof everyAdapter)[number]["open"];

const DAY = 86_400_000;
const needed: Scope[] = ["user_tag:read", "user_tag:write", "webhook:manage", "user:create"];
const kept: Scope[] = ["user_tag:read", "user:create"];

/** A shop whose changes wait from a moment on until they are let go. Those of `admin` and `acme` never wait. */
async function openShop(open: Open) {
  const storage = await open();
  const clock = new ManualClock();
  let gate: Promise<void> | null = null;
  let waiting = 0;
  const held = replaceTransactions(storage, async (work, options) => {
    if (gate !== null) {
      // The use of a token is written beside, and names no organization.
      if (options?.organizationId !== undefined) waiting += 1;
      await gate;
    }
    return storage.transaction(work, options);
  });
  const loyalty = new LoyaltyService({ storage: held, clock: clock.read });
  const admin = new LoyaltyService({ storage, clock: clock.read });
  const acme = admin.organization("acme");
  onTestFinished(() => loyalty.close());
  const apiOf = (service: LoyaltyService) =>
    createHttpApi(service, {
      authenticate: bearerTokens(service),
      extensions: [createConsole(service, { key: "a key of 32 bytes that both processes have" })],
      rateLimits: false,
    });
  const [waitingApi, promptApi] = [apiOf(loyalty), apiOf(admin)];
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
  const atConsole = async (path: string, form: Record<string, string>) => {
    const answer = await post(path, {}, new URLSearchParams(form));
    return { cookie: answer.headers.get("set-cookie")?.split(";")[0] ?? "", "x-loyalty-console": "1" };
  };
  const signOut = (path: string, headers: Record<string, string>) =>
    post(path, headers, new URLSearchParams(), promptApi);
  /** Begins changes, has something happen while they wait, and lets them go. */
  const meanwhile = async <T>(begin: () => readonly Promise<T>[], happens: () => Promise<unknown>) => {
    waiting = 0;
    let open = () => {};
    gate = new Promise((resolve) => {
      open = resolve;
    });
    const begun = begin();
    const settled = Promise.allSettled(begun);
    await expect.poll(() => waiting).toBe(begun.length);
    await happens();
    gate = null;
    open();
    return settled;
  };
  return { storage, clock, loyalty, admin, acme, post, atConsole, signOut, meanwhile };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** Somebody whose rights a row gives. */
interface Caller {
  /** Below this path the caller's requests are answered. */
  readonly base: string;
  readonly headers: Record<string, string>;
  /** Each takes all rights from the caller. */
  readonly ends: Readonly<Record<string, () => Promise<unknown>>>;
  /** Leaves the caller the scopes {@link kept}, or fewer. */
  readonly narrow: () => Promise<unknown>;
}

async function narrowToken({ storage }: Shop, id: string) {
  const token = await runStep(storage.findApiToken("acme", id));
  if (token === null) throw new Error("there is no such token");
  await storage.transaction(function* (tx) {
    yield* tx.deleteApiToken("acme", id);
    yield* tx.insertApiToken("acme", { ...token, scopes: kept });
  });
}

const callers: Readonly<Record<string, (shop: Shop) => Promise<Caller>>> = {
  async "an API token"(shop) {
    const { acme, clock } = shop;
    const expiresAt = new Date(clock.read() + DAY).toISOString();
    const { token, apiToken } = await acme.apiTokens.create({ name: "till", scopes: needed, expiresAt });
    return {
      base: "",
      headers: { authorization: `Bearer ${token}` },
      ends: {
        "is revoked": () => acme.apiTokens.delete(apiToken.id),
        "gets another secret": () => acme.apiTokens.rotate(apiToken.id),
        expires: async () => clock.move(DAY),
      },
      narrow: () => narrowToken(shop, apiToken.id),
    };
  },

  async "an app"({ acme, admin, loyalty, storage, clock }) {
    const { apps } = admin.organization("vendor");
    const registered = { name: "Till", redirectUris: [redirectUri], scopes: needed, isPublic: true };
    const { app } = await apps.create(registered);
    const { token, apiToken } = await acme.apiTokens.create({ name: "me", scopes: needed });
    const code = await acme.grants.allow({
      ...{ appId: app.id, redirectUri, codeChallenge: challenge },
      ...{ subject: "ada", scopes: needed, apiToken: token },
    });
    const issued = await serviceInternals(loyalty).appTokens.redeem(app, {
      code,
      redirectUri,
      codeVerifier: verifier,
    });
    if ("refused" in issued) throw new Error(issued.reason);
    const [grant] = await runStep(storage.listGrants("acme"));
    if (grant === undefined) throw new Error("there is no grant");
    return {
      base: "",
      headers: { authorization: `Bearer ${issued.accessToken}` },
      ends: {
        "loses its grant": () => acme.grants.delete(grant.id),
        "loses the token that allowed it": () => acme.apiTokens.delete(apiToken.id),
        "is no app any more": () => apps.delete(app.id),
        "gives its access token back": () =>
          serviceInternals(admin).appTokens.revoke(app, issued.accessToken),
        "has an access token that expires": async () => clock.move(1_000 * issued.expiresIn),
      },
      narrow: () =>
        storage.transaction(function* (tx) {
          const found = yield* tx.findGrantTokenByHash(hashOfToken(issued.accessToken));
          if (found === null) throw new Error("there is no such token");
          yield* tx.deleteGrant("acme", grant.id);
          yield* tx.insertGrant("acme", { ...grant, scopes: kept });
          yield* tx.insertGrantToken("acme", found.token);
        }),
    };
  },

  async "a person at the console"({ acme, atConsole }) {
    const { person, link } = await acme.people.add({ email: "ada@shop.example", role: "owner" });
    return {
      base: "/console/api",
      headers: await atConsole(link.path, {}),
      ends: {
        "is removed": () => acme.people.delete(person.id),
        "is signed out": () => acme.people.endSessions(person.id),
      },
      narrow: () => acme.people.update(person.id, { role: "till" }),
    };
  },

  async "a token at the console"(shop) {
    const { acme, atConsole, signOut } = shop;
    const { token, apiToken } = await acme.apiTokens.create({ name: "me", scopes: needed });
    const headers = await atConsole("/console", { token });
    return {
      base: "/console/api",
      headers,
      ends: {
        "is revoked": () => acme.apiTokens.delete(apiToken.id),
        "gets another secret": () => acme.apiTokens.rotate(apiToken.id),
        "is signed out": () => signOut("/console/sign-out", headers),
        "is signed out everywhere": () => signOut("/console/sign-out/everywhere", headers),
      },
      narrow: () => narrowToken(shop, apiToken.id),
    };
  },
};

/** A change of each caller, by the scope that it needs. */
const changes: readonly (readonly [scope: Scope, path: string, body: object])[] = [
  ["user_tag:write", "/v1/user-tags", { name: "VIP" }],
  ["webhook:manage", "/v1/webhook-endpoints", { url: "https://hooks.example" }],
  ["user:create", "/v1/users", { email: "eve@example.com" }],
];

function begin({ post }: Shop, { base, headers }: Caller, extra: Record<string, string> = {}) {
  return changes.map(([, path, body]) =>
    post(base + path, { ...headers, ...extra, ...keyOf(extra, path) }, JSON.stringify(body)),
  );
}

/** Each of several requests has an idempotency key of its own. */
function keyOf({ key }: Record<string, string>, path: string) {
  return key === undefined ? {} : { "idempotency-key": `${key} ${path}` };
}

function statusesOf(answers: readonly PromiseSettledResult<Response>[]): unknown[] {
  return answers.map((answer) => (answer.status === "fulfilled" ? answer.value.status : answer.reason));
}

async function leftBy({ acme }: Shop) {
  const [tags, webhooks, contacts] = [
    await acme.tags.list(),
    await acme.webhooks.list(),
    await acme.contacts.list(),
  ];
  return { tags: tags.length, webhooks: webhooks.length, users: contacts.totalElements };
}

describe.each(everyAdapter)("a change that waits on $name", ({ open }) => {
  describe.each(Object.entries(callers))("of %s", (name, newCaller) => {
    it("is made while the caller has its rights", async () => {
      const shop = await openShop(open);
      const caller = await newCaller(shop);
      const answers = await shop.meanwhile(
        () => begin(shop, caller),
        () => shop.acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD" }),
      );
      expect(statusesOf(answers)).toEqual([201, 201, 201]);
    });

    it.each([{}, { key: "k" }])(
      "is refused, and leaves nothing, when the caller has gone: %j",
      async (extra) => {
        const names = Object.keys((await newCaller(await openShop(open))).ends);
        for (const name of names) {
          const shop = await openShop(open);
          const caller = await newCaller(shop);
          const end = caller.ends[name] ?? (() => Promise.reject(new Error(name)));
          const answers = await shop.meanwhile(() => begin(shop, caller, extra), end);
          expect(statusesOf(answers), name).toEqual([401, 401, 401]);
          for (const answer of answers) {
            if (answer.status === "rejected") continue;
            expect(await answer.value.json()).toEqual({ code: "unauthorized", params: null });
            expect(answer.value.headers.get("www-authenticate")).toMatch(/^Bearer/);
          }
          expect(await leftBy(shop)).toEqual({ tags: 0, webhooks: 0, users: 0 });
        }
      },
    );

    it("is refused when the caller may no longer make it, and others are made", async () => {
      const shop = await openShop(open);
      const caller = await newCaller(shop);
      const answers = await shop.meanwhile(() => begin(shop, caller), caller.narrow);
      // The role of a till adds no customers.
      const isPerson = name === "a person at the console";
      const users = isPerson ? 403 : 201;
      expect(statusesOf(answers)).toEqual([403, 403, users]);
      for (const [at, [scope]] of changes.entries()) {
        const answer = answers[at];
        if (answer?.status !== "fulfilled" || answer.value.status !== 403) continue;
        const told: { message?: string } = JSON.parse(await answer.value.text());
        expect(told).toEqual({ code: "access_denied", message: expect.stringContaining(scope) });
      }
      expect(await leftBy(shop)).toEqual({ tags: 0, webhooks: 0, users: isPerson ? 0 : 1 });
    });
  });

  it("gives no rights, secrets or owners for somebody who was removed or has a smaller role by then", async () => {
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
      const answers = await shop.meanwhile<unknown>(
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
      for (const answer of answers)
        expect(answer).toMatchObject({ status: "rejected", reason: { detail: { code } } });
      expect((await acme.people.list()).content.map(({ role }) => role)).not.toContain("owner");
      expect((await acme.apiTokens.list()).map(({ id }) => id)).toEqual([apiToken.id]);
      expect(await acme.apps.list()).toEqual([]);
    }
  });

  it("is judged by what the caller may do then, where the change itself finds out what it needs", async () => {
    const shop = await openShop(open);
    const { acme, loyalty } = shop;
    const { person } = await acme.people.add({ email: "ada@shop.example", role: "owner" });
    const actor = { kind: "console", id: person.id } as const;
    const ada = loyalty.organization("acme", { scopes, actor });
    const { apiToken } = await acme.apiTokens.create({ name: "all", scopes: [...scopes] });
    const [answer] = await shop.meanwhile(
      () => [ada.apiTokens.delete(apiToken.id)],
      () => acme.people.update(person.id, { role: "manager" }),
    );
    expect(answer).toMatchObject({ status: "rejected", reason: { detail: { code: "access_denied" } } });
    expect(await acme.apiTokens.list()).toHaveLength(1);
  });

  it("asks for no scope of another call of the same caller", async () => {
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

  it("leaves nothing with the rights of the host's own code when its creator goes", async () => {
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
      const [tokens, registered] = [
        await apiTokens.create({ name: "till", scopes: ["user:read"] }),
        await apps.create({ name: "Till", redirectUris: [redirectUri], scopes: ["user:read"] }),
      ];
      expect([tokens.apiToken.createdBy, registered.app.createdBy]).toEqual([actor.id, actor.id]);
      const { id } = await automations.create({
        ...{ name: "Welcome", on: { event: "user.created" }, do: [{ assignTag: "new" }] },
      });
      ids.push(id);
    }
    const [answer] = await shop.meanwhile<unknown>(
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
    expect(answer).toMatchObject({ status: "rejected", reason: { code: "unauthorized" } });
    expect((await acme.automations.list()).map(({ id }) => id)).toEqual(ids);
    const eve = await acme.users.create({ email: "eve@example.com" });
    clock.move(1_000);
    await loyalty.runAutomations();
    expect(await acme.tags.ofUser(eve.id)).toEqual([]);
    for (const { isEnabled } of await acme.automations.list()) expect(isEnabled).toBe(false);
  });

  it("is made for callers that the storage has no row of, whatever they are called", async () => {
    const shop = await openShop(open);
    const given: CallerOptions[] = [
      {},
      { actor: { kind: "token", id: "akt_of_the_host" } },
      { scopes: needed },
      { scopes: needed, actor: { kind: "token", id: "till 7" } },
      { scopes: needed, actor: { kind: "app", id: "app_1" }, session: "s1" },
      { scopes: needed, actor: { kind: "console", subject: "ada" } },
      { scopes: needed, actor: { kind: "customer", id: "per_1" } },
    ];
    for (const [at, options] of given.entries())
      await shop.loyalty.organization("acme", options).tags.create({ name: `Tag ${at}` });
    expect(await shop.acme.tags.list()).toHaveLength(given.length);
  });
});
