import type { AppWithSecret } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped, wrongType } from "../kit/refusal.js";

const HOUR = 3_600_000;

const input = {
  name: "Till",
  redirectUris: ["https://app.example/callback"],
  scopes: ["user:read", "pass:read"] as const,
};

describe.each(everyAdapter)("apps on $name", ({ open }) => {
  it("are shown with their secret once, and without it afterwards", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const { clientSecret, app } = await acme.apps.create(input);
    expect(clientSecret).toMatch(/^lks_[0-9A-Za-z]{38}$/);
    expect(app).toEqual({
      id: expect.stringMatching(/^app_[0-9a-f-]{36}$/),
      object: "app",
      ...input,
      createdBy: null,
      isPublic: false,
      createdAt: clock.timestamp,
      updatedAt: clock.timestamp,
    });
    expect(await acme.apps.list()).toEqual([app]);
    expect(await acme.apps.get(app.id)).toEqual(app);
  });

  it("can be seen and changed only by their own organization", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { app } = await acme.apps.create(input);
    const { apps } = loyalty.organization("globex");
    expect(await apps.list()).toEqual([]);
    expect(await getErrorDetail(apps.get(app.id))).toEqual(notFound);
    expect(await getErrorDetail(apps.rotateSecret(app.id))).toEqual(notFound);
    expect(await getErrorDetail(apps.delete(app.id))).toEqual(notFound);
    expect(await acme.apps.list()).toEqual([app]);
  });

  it("accept their newest secret, and the previous one for 24 hours", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open() });
    const before = await acme.apps.create(input);
    const { id } = before.app;
    clock.move(5);
    const after = await acme.apps.rotateSecret(id);
    expect(after.app).toEqual({ ...before.app, updatedAt: clock.timestamp });
    const authenticateAll = (secrets: readonly AppWithSecret[]) =>
      Promise.all(
        secrets.map(
          async ({ clientSecret }) =>
            (await serviceInternals(loyalty).appTokens.authenticate(id, clientSecret)) !== null,
        ),
      );
    clock.move(24 * HOUR - 1);
    expect(await authenticateAll([before, after])).toEqual([true, true]);
    clock.move(1);
    expect(await authenticateAll([before, after])).toEqual([false, true]);
    const newest = await acme.apps.rotateSecret(id);
    const last = await acme.apps.rotateSecret(id);
    expect(await authenticateAll([before, after, newest, last])).toEqual([false, false, true, true]);
    await acme.apps.delete(id);
    expect(await authenticateAll([newest, last])).toEqual([false, false]);
    expect(await acme.apps.list()).toEqual([]);
  });

  it("drop the previous secret immediately on request", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { app, clientSecret } = await acme.apps.create(input);
    const after = await acme.apps.rotateSecret(app.id, { immediately: true });
    expect(await serviceInternals(loyalty).appTokens.authenticate(app.id, clientSecret)).toBeNull();
    expect(await serviceInternals(loyalty).appTokens.authenticate(app.id, after.clientSecret)).toEqual(
      after.app,
    );
  });
});

describe.each(everyAdapter)("a public app on $name", ({ open }) => {
  it("has no secret, and can't get one", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { app, clientSecret } = await acme.apps.create({ ...input, isPublic: true });
    expect([app.isPublic, clientSecret]).toEqual([true, null]);
    expect(await acme.apps.list()).toEqual([app]);
    expect(await getErrorDetail(acme.apps.rotateSecret(app.id))).toEqual({
      code: "app_has_no_secret",
      params: null,
    });
    const other = await acme.apps.create(input);
    const authenticate = (id: string, secret: string | null) =>
      serviceInternals(loyalty).appTokens.authenticate(id, secret);
    expect(await authenticate(app.id, null)).toEqual(app);
    expect(await authenticate(app.id, other.clientSecret)).toBeNull();
    expect(await authenticate(other.app.id, null)).toBeNull();
  });
});

describe("an app", () => {
  it("can't be registered for a scope that the caller lacks", async () => {
    const { loyalty } = openAcme();
    const limitedCaller = loyalty.organization("acme", { scopes: ["api_token:manage", "user:read"] });
    expect(await getErrorDetail(limitedCaller.apps.create(input))).toEqual({
      code: "access_denied",
      scope: "pass:read",
    });
    await limitedCaller.apps.create({ ...input, scopes: ["user:read"] });
  });

  it("must have a name, scopes and redirect URIs", async () => {
    const { acme } = openAcme();
    expect(await getRefusedFields(acme.apps.create(untyped({})))).toEqual(["name", "redirectUris", "scopes"]);
    expect(await getErrorDetail(acme.apps.create(untyped({ ...input, redirectUris: "x" })))).toEqual(
      wrongType("redirectUris"),
    );
    for (const redirectUris of [[], Array.from({ length: 21 }, (_, at) => `https://a.example/${at}`)]) {
      expect(await getRefusedFields(acme.apps.create({ ...input, redirectUris }))).toEqual(["redirectUris"]);
    }
  });

  it.each([
    ...[
      "https://app.example",
      "https://app.example/",
      "https://app.example:8443/a?b=c%20d&e",
      "https://a-b.c/~x",
    ],
    ...[
      "http://localhost/",
      "http://127.0.0.1:5000/callback",
      "http://[::1]:5000/callback",
      "https://[2001:db8::1]/",
    ],
  ])("may have the redirect URI %s", async (uri) => {
    const { acme } = openAcme();
    const { app } = await acme.apps.create({ ...input, redirectUris: [uri, uri] });
    expect(app.redirectUris).toEqual([uri]);
  });

  it.each([
    ...["", "app.example", "/callback", "//app.example/", "https:", "https://", "https:app.example/callback"],
    ...[
      "http://app.example/",
      "ftp://app.example/",
      "javascript:alert(1)",
      "app://callback",
      "urn:ietf:wg:oauth:2.0:oob",
    ],
    ...[
      "https://app.example/#",
      "https://app.example/#x",
      "https://u@app.example/",
      "https://u:p@app.example/",
    ],
    ...["https://app.example\\@evil.example/", "https:\\\\app.example/", "https://app.example/\\x"],
    ...["HTTPS://app.example/", "https://App.example/", "https://app.example/ ", " https://app.example/"],
    ...[
      "https://app.example/ä",
      "https://ä.example/",
      "https://app.example/\r\nx: y",
      "https://app.example/\0",
    ],
    ...[
      "https://app.example:x/",
      "https://app.example:99999/",
      "https://a;b.example/",
      "https://a,b.example/",
    ],
    ...[
      "https://app.example/<script>",
      'https://app.example/"',
      "https://*.example/",
      "https://app.example%2f/",
    ],
    ...[
      "http://localhost.evil.example/",
      "http://127.0.0.1.evil.example/",
      `https://app.example/${"x".repeat(2_000)}`,
    ],
    ...["https://[::1", "https://[x]/", "https://-.example/"],
  ])("can't have the redirect URI %j", async (uri) => {
    const { acme } = openAcme();
    const call = acme.apps.create({ ...input, redirectUris: [input.redirectUris[0] ?? "", uri] });
    expect(await getRefusedFields(call)).toEqual(["redirectUris.1"]);
  });
});

describe("a public app", () => {
  it.each([
    ...["com.example.app:/callback", "com.example.app:/", "com.example.app:/a/b?c=d", "a-b.c2:/x"],
    ...["http://127.0.0.1/callback", "http://[::1]/callback", "http://localhost:5173/"],
    ...["https://app.example/callback"],
  ])("may have the redirect URI %s", async (uri) => {
    const { acme } = openAcme();
    const { app } = await acme.apps.create({ ...input, redirectUris: [uri], isPublic: true });
    expect(app.redirectUris).toEqual([uri]);
  });

  it.each([
    ...["app:/callback", "app://callback", "javascript:/x", "urn:ietf:wg:oauth:2.0:oob", "com.example.app:"],
    ...["com.example.app://callback", "com.example.app:///callback", "com.example.app:callback"],
    ...[
      "com..example:/callback",
      ".com.example:/callback",
      "com.example.:/callback",
      "1com.example:/callback",
    ],
    ...["Com.example:/callback", "com.exämple:/callback", "com.example:/call back", "com.example:/#x"],
    ...["com.example:/\\x", "com.example:\\x", "http://app.example/", `com.example:/${"x".repeat(2_000)}`],
  ])("can't have the redirect URI %j", async (uri) => {
    const { acme } = openAcme();
    const call = acme.apps.create({ ...input, redirectUris: [uri], isPublic: true });
    expect(await getRefusedFields(call)).toEqual(["redirectUris.0"]);
  });

  it("is the only kind of app that may have a scheme that any app on the device can claim", async () => {
    const { acme } = openAcme();
    const redirectUris = ["https://app.example/", "com.example.app:/callback"];
    for (const isPublic of [false, undefined]) {
      const call = acme.apps.create({ ...input, redirectUris, ...(isPublic === false && { isPublic }) });
      expect(await getRefusedFields(call)).toEqual(["redirectUris.1"]);
    }
    expect(await getErrorDetail(acme.apps.create(untyped({ ...input, isPublic: "yes" })))).toEqual(
      wrongType("isPublic"),
    );
  });
});

describe("a grant", () => {
  const grantInputFor = (appId: string) => ({
    appId,
    subject: "ada",
    scopes: ["user:read"] as const,
    redirectUri: null,
    codeChallenge: "x".repeat(43),
  });

  it("can't include a scope that the caller lacks or that the app isn't registered for", async () => {
    const { loyalty, acme } = openAcme();
    const { app } = await acme.apps.create(input);
    const limitedCaller = loyalty.organization("globex", { scopes: ["pass:read"] });
    expect(await getErrorDetail(limitedCaller.grants.allow(grantInputFor(app.id)))).toEqual({
      code: "access_denied",
      scope: "user:read",
    });
    const wide = { ...grantInputFor(app.id), scopes: ["user:update"] as const };
    expect(await getRefusedFields(acme.grants.allow(wide))).toEqual(["scopes"]);
  });

  it("needs an existing app, a user and a redirect URI of the app", async () => {
    const { acme } = openAcme();
    const { app } = await acme.apps.create(input);
    const valid = grantInputFor(app.id);
    expect(await getErrorDetail(acme.grants.allow(grantInputFor("app_none")))).toEqual(notFound);
    for (const [field, value] of [
      ["redirectUri", "https://evil.example/"],
      ["subject", ""],
      ["subject", "x".repeat(256)],
      ["codeChallenge", "x"],
    ] as const) {
      expect(await getRefusedFields(acme.grants.allow({ ...valid, [field]: value }))).toEqual([field]);
    }
    expect(await acme.grants.allow(valid)).toMatch(/^lkc_/);
  });
});
