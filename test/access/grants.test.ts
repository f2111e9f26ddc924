import { createHash } from "node:crypto";
import type { LoyaltyService, Organization, Scope } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/adapters.js";
import { notFound, refusal } from "../kit/refusal.js";

const redirectUri = "https://app.example/callback";
const codeVerifier = "a-verifier-that-has-at-least-43-characters-of-those";
const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
const scopes: Scope[] = ["user:read", "pass:read"];

/** An app of another organization than those that let it in. */
async function foreignApp(loyalty: LoyaltyService) {
  const input = { name: "Till", redirectUris: [redirectUri], scopes };
  return (await loyalty.organization("vendor").apps.create(input)).app;
}

function allow({ grants }: Organization, appId: string, subject: string): Promise<string> {
  return grants.allow({ appId, subject, scopes, redirectUri, codeChallenge });
}

describe.each(everyAdapter)("the grants of an organization on $name", ({ open }) => {
  it("are listed oldest first, to apps of whatever organization that still exist", async () => {
    const { loyalty, acme, clock } = openAcme({ storage: await open() });
    const [app, removed] = [await foreignApp(loyalty), await foreignApp(loyalty)];
    const grant = (subject: string) => ({
      id: expect.stringMatching(/^grt_[0-9a-f-]{36}$/),
      object: "grant",
      appId: app.id,
      subject,
      scopes,
      createdAt: clock.timestamp,
    });
    const expected = [];
    for (const subject of ["grace", "ada"]) {
      await allow(acme, app.id, subject);
      expected.push(grant(subject));
      clock.move(1);
    }
    await allow(acme, removed.id, "ada");
    await allow(loyalty.organization("globex"), app.id, "eve");
    await loyalty.organization("vendor").apps.delete(removed.id);
    expect(await acme.grants.list()).toEqual(expected);
    expect(await loyalty.organization("vendor").grants.list()).toEqual([]);
  });

  it("end with their codes and tokens, at once in every process, and alone", async () => {
    const storage = await open();
    const { loyalty, acme, clock } = openAcme({ storage });
    const { loyalty: another } = openAcme({ storage, clock: clock.read });
    const app = await foreignApp(loyalty);
    const tokensOf = async (subject: string) => {
      const code = await allow(acme, app.id, subject);
      const tokens = await loyalty.appTokens.redeem(app, { code, redirectUri, codeVerifier });
      if ("refused" in tokens) throw new Error(tokens.reason);
      clock.move(1);
      return tokens;
    };
    const [ended, kept] = [await tokensOf("ada"), await tokensOf("grace")];
    expect(await another.verifyToken(ended.accessToken)).not.toBeNull();
    const [grant, other] = await acme.grants.list();
    await acme.grants.delete(grant?.id ?? "");
    expect(await another.verifyToken(ended.accessToken)).toBeNull();
    const refreshed = await another.appTokens.refresh(app, {
      refreshToken: ended.refreshToken,
      scopes: null,
    });
    expect(refreshed).toMatchObject({ refused: "invalid_grant" });
    expect(await another.verifyToken(kept.accessToken)).not.toBeNull();
    expect(await acme.grants.list()).toEqual([other]);
    const code = await allow(acme, app.id, "eve");
    const [, newest] = await acme.grants.list();
    await acme.grants.delete(newest?.id ?? "");
    const redeemed = await another.appTokens.redeem(app, { code, redirectUri, codeVerifier });
    expect(redeemed).toMatchObject({ refused: "invalid_grant" });
  });

  it("are ended by their own organization alone, and once", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    await allow(acme, (await foreignApp(loyalty)).id, "ada");
    const [grant] = await acme.grants.list();
    const id = grant?.id ?? "";
    for (const organization of ["globex", "vendor"]) {
      expect(await refusal(loyalty.organization(organization).grants.delete(id))).toEqual(notFound);
    }
    await acme.grants.delete(id);
    for (const gone of [id, "", "none", "\0"]) {
      expect(await refusal(acme.grants.delete(gone))).toEqual(notFound);
    }
  });
});
