import { createHash } from "node:crypto";
import { LoyaltyService, type Scope, scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped, wrongType } from "../kit/refusal.js";

const till = { name: "Till", scopes: ["user:read", "pass:read"] } as const;
const input = { name: till.name, scopes: [...till.scopes] };

describe.each(everyAdapter)("API tokens on $name", ({ open }) => {
  it("are shown in full once, and after that only by their first characters", async () => {
    const { acme, clock } = openAcme({ storage: await open() });
    const { token, apiToken } = await acme.apiTokens.create(input);
    expect(apiToken).toEqual({
      id: expect.stringMatching(/^akt_[0-9a-f-]{36}$/),
      object: "api_token",
      name: "Till",
      prefix: token.slice(0, apiToken.prefix.length),
      scopes: input.scopes,
      createdAt: clock.timestamp,
      lastUsedAt: null,
      expiresAt: null,
      allowedAddresses: null,
      createdBy: null,
    });
    expect(apiToken.prefix.length).toBeLessThan(token.length / 2);
    expect(await acme.apiTokens.list()).toEqual([apiToken]);
  });

  it("are stored only as their SHA-256 hash", async () => {
    const storage = await open();
    const { acme } = openAcme({ storage });
    const { token, apiToken } = await acme.apiTokens.create(input);
    const hash = createHash("sha256").update(token).digest("hex");
    const [found] = await runStep(storage.all.findApiTokensByHash([hash]));
    expect(found).toMatchObject({ organizationId: "acme", token: { id: apiToken.id, hash } });
    expect(JSON.stringify(found)).not.toContain(token.slice(apiToken.prefix.length));
  });

  it("authenticate their organization with their scopes", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { token } = await acme.apiTokens.create(input);
    const other = await loyalty.organization("globex").apiTokens.create({ name: "All", scopes: [...scopes] });
    expect(await loyalty.verifyApiToken(token)).toMatchObject({
      organizationId: "acme",
      scopes: input.scopes,
    });
    expect(await loyalty.verifyApiToken(other.token)).toMatchObject({
      organizationId: "globex",
      scopes: [...scopes],
    });
    expect(await acme.apiTokens.list()).toHaveLength(1);
  });

  it("can't be revoked by a caller that lacks one of their scopes", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["user:read", "pass:read"] });
    const lesser = loyalty.organization("acme", { scopes: ["api_token:manage", "user:read"] });
    const expectedError = { code: "access_denied", scope: "pass:read" };
    expect(await getErrorDetail(lesser.apiTokens.delete(apiToken.id))).toEqual(expectedError);
    expect(await acme.apiTokens.list()).toHaveLength(1);
    const ownToken = await lesser.apiTokens.create({ name: "Own", scopes: ["user:read"] });
    await lesser.apiTokens.delete(ownToken.apiToken.id);
    const app = { name: "App", redirectUris: ["https://app.example/"], scopes: ["pass:read"] as const };
    const { id } = (await acme.apps.create(app)).app;
    expect(await getErrorDetail(lesser.apps.rotateSecret(id))).toEqual(expectedError);
    expect(await getErrorDetail(lesser.apps.delete(id))).toEqual(expectedError);
    await acme.apps.delete(id);
  });

  it("get a new secret by rotation and otherwise stay the same; the previous secret ends immediately", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open() });
    const before = await acme.apiTokens.create(input);
    clock.move(1_000);
    const { token, apiToken } = await acme.apiTokens.rotate(before.apiToken.id);
    expect(apiToken).toEqual({ ...before.apiToken, prefix: token.slice(0, 9) });
    expect(await acme.apiTokens.list()).toEqual([apiToken]);
    expect(await loyalty.verifyApiToken(before.token)).toBeNull();
    expect(await loyalty.verifyApiToken(token)).toMatchObject({
      scopes: input.scopes,
      actor: { id: apiToken.id },
    });
    expect(await getErrorDetail(loyalty.organization("globex").apiTokens.rotate(apiToken.id))).toEqual(
      notFound,
    );
    const lesser = loyalty.organization("acme", { scopes: ["api_token:manage"] });
    expect(await getErrorDetail(lesser.apiTokens.rotate(apiToken.id))).toMatchObject({
      code: "access_denied",
    });
    const { content } = await acme.audit.list();
    expect(content.at(-1)).toMatchObject({ action: "api_token.rotated", target: apiToken.id });
    expect(JSON.stringify(content)).not.toContain(token);
  });

  it("keep the previous secret valid for the requested overlap, as a separate token", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open(), limits: { apiTokens: 2 } });
    const first = await acme.apiTokens.create({ name: "Till", scopes: ["user:read", "api_token:manage"] });
    const { id } = first.apiToken;
    const second = await acme.apiTokens.rotate(id, { overlapSeconds: 60 });
    const [, previous] = await acme.apiTokens.list();
    const expiresAt = new Date(clock.read() + 60_000).toISOString();
    expect(previous).toMatchObject({ name: "Till", prefix: first.apiToken.prefix, expiresAt });
    for (const { token } of [first, second]) expect(await loyalty.verifyApiToken(token)).not.toBeNull();
    expect(await getErrorDetail(acme.apiTokens.rotate(id, { overlapSeconds: 1 }))).toMatchObject({
      code: "too_many_api_tokens",
    });
    expect(await loyalty.verifyApiToken(second.token)).not.toBeNull();
    clock.move(60_000);
    expect(await loyalty.verifyApiToken(first.token)).toBeNull();
    expect(await loyalty.verifyApiToken(second.token)).not.toBeNull();
    const until = new Date(clock.read() + 5_000).toISOString();
    expect((await acme.apiTokens.rotate(id, { expiresAt: until })).apiToken.expiresAt).toBe(until);
    clock.move(5_000);
    expect(await getRefusedFields(acme.apiTokens.rotate(id))).toEqual(["expiresAt"]);
    expect(await getRefusedFields(acme.apiTokens.rotate(id, { overlapSeconds: 604_801 }))).toEqual([
      "overlapSeconds",
    ]);
    expect((await acme.apiTokens.rotate(id, { expiresAt: null })).apiToken.expiresAt).toBeNull();
  });

  it("end when their own organization revokes them; no other organization can", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { token, apiToken } = await acme.apiTokens.create(input);
    expect(await getErrorDetail(loyalty.organization("globex").apiTokens.delete(apiToken.id))).toEqual(
      notFound,
    );
    expect(await loyalty.verifyApiToken(token)).not.toBeNull();
    await acme.apiTokens.delete(apiToken.id);
    expect(await loyalty.verifyApiToken(token)).toBeNull();
    expect(await acme.apiTokens.list()).toEqual([]);
    expect(await getErrorDetail(acme.apiTokens.delete(apiToken.id))).toEqual(notFound);
  });

  it("end when they expire by the service's clock, and are still listed", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open() });
    const expiresAt = new Date(clock.now + 1_000).toISOString();
    const { token, apiToken } = await acme.apiTokens.create({ ...input, expiresAt });
    expect(apiToken.expiresAt).toBe(expiresAt);
    clock.move(999);
    expect(await loyalty.verifyApiToken(token)).not.toBeNull();
    clock.move(1);
    expect(await loyalty.verifyApiToken(token)).toBeNull();
    expect(await acme.apiTokens.list()).toMatchObject([{ id: apiToken.id, expiresAt }]);
  });

  it("outlive the service that created them", async () => {
    const storage = await open();
    const { acme } = openAcme({ storage });
    const { token } = await acme.apiTokens.create(input);
    const later = new LoyaltyService({ storage });
    expect(await later.verifyApiToken(token)).toMatchObject({ organizationId: "acme", scopes: input.scopes });
    await later.close();
  });
});

describe("an API token", () => {
  it("may expire at a time in any zone, shown in UTC; null means never", async () => {
    const { acme } = openAcme();
    const createUntil = async (expiresAt: string | null) =>
      (await acme.apiTokens.create({ ...input, expiresAt })).apiToken.expiresAt;
    expect(await createUntil("2026-06-01T02:00:00+02:00")).toBe("2026-06-01T00:00:00.000Z");
    expect(await createUntil("2026-06-01T00:00:00.123Z")).toBe("2026-06-01T00:00:00.123Z");
    expect(await createUntil(null)).toBeNull();
  });

  it("can't expire in the past or at an invalid time", async () => {
    const { acme, clock } = openAcme();
    const past = [clock.timestamp, new Date(clock.now - 1).toISOString(), "1999-01-01T00:00:00Z"];
    for (const expiresAt of [
      ...past,
      "",
      "tomorrow",
      "2026-13-01T00:00:00Z",
      "2027-02-30T00:00:00Z",
      "2027",
    ]) {
      expect(await getRefusedFields(acme.apiTokens.create({ ...input, expiresAt }))).toEqual(["expiresAt"]);
    }
    const { name } = input;
    expect(
      await getErrorDetail(acme.apiTokens.create(untyped({ ...input, expiresAt: clock.now + 1 }))),
    ).toEqual(wrongType("expiresAt"));
    expect(await getRefusedFields(acme.apiTokens.create({ name, scopes: [] }))).toEqual(["scopes"]);
    expect(await getRefusedFields(acme.apiTokens.create(untyped({ name })))).toEqual(["scopes"]);
    const unknown = acme.apiTokens.create(untyped({ name, scopes: ["user:read", "user:*"] }));
    expect(await getRefusedFields(unknown)).toEqual(["scopes.1"]);
    expect(await acme.apiTokens.list()).toEqual([]);
  });

  it("can't have a scope that its creator lacks", async () => {
    const { loyalty, acme } = openAcme();
    const limitedCaller = loyalty.organization("acme", { scopes: ["api_token:manage", "user:read"] });
    expect(
      await getErrorDetail(
        limitedCaller.apiTokens.create({ name: "Till", scopes: ["user:read", "pass:read"] }),
      ),
    ).toEqual({
      code: "access_denied",
      scope: "pass:read",
    });
    expect(await acme.apiTokens.list()).toEqual([]);
    const { token } = await limitedCaller.apiTokens.create({ name: "Till", scopes: ["user:read"] });
    expect(await loyalty.verifyApiToken(token)).toMatchObject({
      organizationId: "acme",
      scopes: ["user:read"],
    });
  });
});

describe("input for a token", () => {
  it("may list 1,000 scopes; a longer list is refused with a single error", async () => {
    const { apiTokens } = openAcme().acme;
    const repeatScope = (length: number) => Array.from({ length }, () => "user:read" as const);
    expect((await apiTokens.create({ name: "Till", scopes: repeatScope(1_000) })).apiToken.scopes).toEqual([
      "user:read",
    ]);
    const rejectScopes = (scopes: Scope[]) => getErrorDetail(apiTokens.create({ name: "Till", scopes }));
    const scopesError = (scopes: string) => ({ code: "validation_failed", fields: { scopes } });
    for (const scopes of [repeatScope(1_001), untyped(Array(300_000).fill(""))]) {
      expect(await rejectScopes(scopes)).toEqual(scopesError("must have at most 1000 items"));
    }
    expect(await rejectScopes([])).toEqual(scopesError("must not be empty"));
  });

  it("may set an expiry up to the latest time that a timestamp can express", async () => {
    const { apiTokens } = openAcme().acme;
    const createTillToken = (expiresAt: string) =>
      apiTokens.create({ name: "Till", scopes: ["user:read"], expiresAt });
    expect((await createTillToken("9999-12-31T23:59:59.999Z")).apiToken.expiresAt).toBe(
      "9999-12-31T23:59:59.999Z",
    );
    expect(await getRefusedFields(createTillToken("9999-12-31T23:59:59-14:00"))).toEqual(["expiresAt"]);
  });
});
