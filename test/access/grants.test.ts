import { createHash } from "node:crypto";
import type { App, LoyaltyService, Organization, Scope } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound } from "../kit/refusal.js";

const redirectUri = "https://app.example/callback";
const DAY = 86_400_000;
const codeVerifier = "a-verifier-that-has-at-least-43-characters-of-those";
const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
const scopes: Scope[] = ["user:read", "pass:read"];

/** Creates an app of a third organization, which is not one of the organizations that authorize it. */
async function createForeignApp(loyalty: LoyaltyService) {
  const input = { name: "Till", redirectUris: [redirectUri], scopes };
  return (await loyalty.organization("vendor").apps.create(input)).app;
}

function allow(
  { grants }: Organization,
  appId: string,
  subject: string,
  apiToken: string | null = null,
): Promise<string> {
  return grants.allow({ appId, subject, scopes, redirectUri, codeChallenge, apiToken });
}

function createExchanges(loyalty: LoyaltyService, app: App) {
  const { appTokens } = serviceInternals(loyalty);
  return {
    redeemCode: async (code: string) => {
      const tokens = await appTokens.redeem(app, { code, redirectUri, codeVerifier });
      if ("refused" in tokens) throw new Error(tokens.reason);
      return tokens;
    },
    refreshTokens: (refreshToken: string) => appTokens.refresh(app, { refreshToken, scopes: null }),
  };
}

describe.each(everyAdapter)("the grants of an organization on $name", ({ open }) => {
  it("are listed oldest first, if they are to existing apps of any organization", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open() });
    const [app, removedApp] = [await createForeignApp(loyalty), await createForeignApp(loyalty)];
    const expectedGrant = (subject: string) => ({
      id: expect.stringMatching(/^grt_[0-9a-f-]{36}$/),
      object: "grant",
      appId: app.id,
      subject,
      scopes,
      tokenId: null,
      createdAt: clock.timestamp,
      expiresAt: null,
    });
    const expected = [];
    for (const subject of ["grace", "ada"]) {
      await allow(acme, app.id, subject);
      expected.push(expectedGrant(subject));
      clock.move(1);
    }
    await allow(acme, removedApp.id, "ada");
    await allow(loyalty.organization("globex"), app.id, "eve");
    await loyalty.organization("vendor").apps.delete(removedApp.id);
    expect(await acme.grants.list()).toEqual(expected);
    expect(await loyalty.organization("vendor").grants.list()).toEqual([]);
  });

  it("end with their codes and tokens, immediately in every process, and without affecting other grants", async () => {
    const storage = await open();
    const { loyalty, acme, clock } = openAcme({ storage });
    const { loyalty: otherService } = openAcme({ storage, clock: clock.read });
    const app = await createForeignApp(loyalty);
    const createTokens = async (subject: string) => {
      const code = await allow(acme, app.id, subject);
      const tokens = await serviceInternals(loyalty).appTokens.redeem(app, {
        code,
        redirectUri,
        codeVerifier,
      });
      if ("refused" in tokens) throw new Error(tokens.reason);
      clock.move(1);
      return tokens;
    };
    const [endedTokens, remainingTokens] = [await createTokens("ada"), await createTokens("grace")];
    expect(await otherService.verifyToken(endedTokens.accessToken)).not.toBeNull();
    const [grant, other] = await acme.grants.list();
    await acme.grants.delete(grant?.id ?? "");
    expect(await otherService.verifyToken(endedTokens.accessToken)).toBeNull();
    const refreshed = await serviceInternals(otherService).appTokens.refresh(app, {
      refreshToken: endedTokens.refreshToken,
      scopes: null,
    });
    expect(refreshed).toMatchObject({ refused: "invalid_grant" });
    expect(await otherService.verifyToken(remainingTokens.accessToken)).not.toBeNull();
    expect(await acme.grants.list()).toEqual([other]);
    const code = await allow(acme, app.id, "eve");
    const [, newest] = await acme.grants.list();
    await acme.grants.delete(newest?.id ?? "");
    const redeemed = await serviceInternals(otherService).appTokens.redeem(app, {
      code,
      redirectUri,
      codeVerifier,
    });
    expect(redeemed).toMatchObject({ refused: "invalid_grant" });
  });

  it("end with the API token that they were created with, when it is revoked", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const app = await createForeignApp(loyalty);
    const { token, apiToken } = await acme.apiTokens.create({ name: "Ada", scopes });
    const { redeemCode, refreshTokens } = createExchanges(loyalty, app);
    await allow(acme, app.id, "grace");
    const tokens = await redeemCode(await allow(acme, app.id, "ada", token));
    const code = await allow(acme, app.id, "ada", token);
    expect((await acme.grants.list()).map(({ tokenId }) => tokenId)).toEqual([
      null,
      apiToken.id,
      apiToken.id,
    ]);
    await acme.apiTokens.delete(apiToken.id);
    expect(await loyalty.verifyToken(tokens.accessToken)).toBeNull();
    expect(await refreshTokens(tokens.refreshToken)).toMatchObject({ refused: "invalid_grant" });
    await expect(redeemCode(code)).rejects.toThrow("code");
    expect(await acme.grants.list()).toMatchObject([{ subject: "grace", tokenId: null }]);
  });

  it("end with the API token that they were created with, when it expires", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open() });
    const app = await createForeignApp(loyalty);
    const expiresAt = new Date(clock.now + 60_000).toISOString();
    const { token } = await acme.apiTokens.create({ name: "Ada", scopes, expiresAt });
    const { redeemCode, refreshTokens } = createExchanges(loyalty, app);
    const tokens = await redeemCode(await allow(acme, app.id, "ada", token));
    expect(tokens.expiresIn).toBe(60);
    expect(await acme.grants.list()).toMatchObject([{ expiresAt }]);
    clock.move(59_999);
    expect(await loyalty.verifyToken(tokens.accessToken)).not.toBeNull();
    const secondRefresh = await refreshTokens(tokens.refreshToken);
    if ("refused" in secondRefresh) throw new Error(secondRefresh.reason);
    clock.move(1);
    for (const { accessToken, refreshToken } of [tokens, secondRefresh]) {
      expect(await loyalty.verifyToken(accessToken)).toBeNull();
      expect(await refreshTokens(refreshToken)).toMatchObject({ refused: "invalid_grant" });
    }
    expect(await getRefusedFields(allow(acme, app.id, "ada", token))).toEqual(["apiToken"]);
  });

  it("can be created only with valid API tokens of their organization", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const app = await createForeignApp(loyalty);
    const revokedToken = await acme.apiTokens.create({ name: "Ada", scopes });
    await acme.apiTokens.delete(revokedToken.apiToken.id);
    const foreign = await loyalty.organization("globex").apiTokens.create({ name: "Eve", scopes });
    for (const token of ["", "x", revokedToken.token, foreign.token]) {
      expect(await getRefusedFields(allow(acme, app.id, "ada", token))).toEqual(["apiToken"]);
    }
    expect(await acme.grants.list()).toEqual([]);
  });

  it("can be ended only by their own organization, and only once", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await allow(acme, (await createForeignApp(loyalty)).id, "ada");
    const [grant] = await acme.grants.list();
    const id = grant?.id ?? "";
    for (const organization of ["globex", "vendor"]) {
      expect(await getErrorDetail(loyalty.organization(organization).grants.delete(id))).toEqual(notFound);
    }
    await acme.grants.delete(id);
    for (const gone of [id, "", "none", "\0"]) {
      expect(await getErrorDetail(acme.grants.delete(gone))).toEqual(notFound);
    }
  });

  it("no longer authorize automations that an app created, once the last of their tokens has expired", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open() });
    const requestedScopes: Scope[] = ["automation:manage", "user_tag:write", "user:read"];
    const input = { name: "Till", redirectUris: [redirectUri], scopes: requestedScopes };
    const { app } = await loyalty.organization("vendor").apps.create(input);
    const { redeemCode, refreshTokens } = createExchanges(loyalty, app);
    const code = await acme.grants.allow({
      appId: app.id,
      subject: "ada",
      scopes: requestedScopes,
      redirectUri,
      codeChallenge,
    });
    const tokens = await redeemCode(code);
    const [grant] = await acme.grants.list();
    if (grant === undefined) throw new Error("there is no grant");
    await acme.tags.create({ name: "New" });
    const actor = { kind: "app", id: app.id } as const;
    await loyalty
      .organization("acme", { scopes: requestedScopes, actor, session: grant.id })
      .automations.create({
        ...{ name: "Welcome", on: { event: "user.created" }, do: [{ assignTag: "new" }] },
      });
    const countTagsOfNewUser = async (email: string) => {
      const { id } = await acme.users.create({ email });
      await loyalty.runAutomations();
      return (await acme.tags.ofUser(id)).length;
    };
    clock.move(29 * DAY);
    await refreshTokens(tokens.refreshToken);
    clock.move(29 * DAY);
    expect(await countTagsOfNewUser("ada@example.com")).toBe(1);
    clock.move(DAY);
    expect(await countTagsOfNewUser("bob@example.com")).toBe(0);
    expect(await acme.automations.list()).toMatchObject([{ isEnabled: false }]);
  });
});
