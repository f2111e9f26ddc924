import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";

const redirectUri = "https://app.example/callback";
const codeChallenge = createHash("sha256").update("verifier").digest("base64url");
const scopes = ["api_token:manage", "webhook:manage", "user:read"] as const;

describe.each(everyAdapter)("resources created by an API token, on $name", ({ open }) => {
  it("are listed while the token is valid and after it is revoked, with the grants that ended by then", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { token, apiToken } = await acme.apiTokens.create({ name: "Leaked", scopes: [...scopes] });
    const principal = await loyalty.verifyApiToken(token);
    if (principal?.actor === undefined) throw new Error("the token is not valid");
    const tokenCaller = loyalty.organization("acme", { scopes: principal.scopes, actor: principal.actor });
    const hiddenToken = await tokenCaller.apiTokens.create({ name: "Hidden", scopes: ["user:read"] });
    const input = { name: "App", redirectUris: [redirectUri], scopes: ["user:read" as const] };
    const { app } = await tokenCaller.apps.create(input);
    const hook = await tokenCaller.webhooks.create({ url: "https://hooks.example/" });
    const deletedEndpoint = await tokenCaller.webhooks.create({ url: "https://hooks.example/gone" });
    await acme.webhooks.delete(deletedEndpoint.webhookEndpoint.id);
    const grantInput = { appId: app.id, scopes: input.scopes, redirectUri, codeChallenge };
    for (const subject of ["ada", "grace"])
      await acme.grants.allow({ ...grantInput, subject, apiToken: token });
    const [first, second] = await acme.grants.list();
    await acme.grants.delete(first?.id ?? "");

    await acme.apiTokens.create({ name: "Another", scopes: ["user:read"] });
    await acme.apps.create(input);
    await acme.webhooks.create({ url: "https://hooks.example/another" });
    await acme.grants.allow({ ...grantInput, subject: "eve" });
    await loyalty.organization("globex").webhooks.create({ url: "https://hooks.example/" });

    const expected = {
      object: "created_by_token",
      tokenId: apiToken.id,
      apiTokens: [hiddenToken.apiToken],
      apps: [app],
      grants: [second],
      endedGrantIds: [first?.id],
      webhookEndpointIds: [hook.webhookEndpoint.id],
    };
    expect(await acme.apiTokens.listCreated(apiToken.id)).toEqual(expected);
    await acme.apiTokens.delete(apiToken.id);
    expect(await acme.apiTokens.listCreated(apiToken.id)).toEqual({
      ...expected,
      grants: [],
      endedGrantIds: [first?.id, second?.id],
    });
    const { content } = await acme.audit.list({ limit: 1_000 });
    expect(content.at(-1)).toMatchObject({
      action: "api_token.revoked",
      target: apiToken.id,
      details: { endedGrants: 1, endedGrantIds: [second?.id] },
    });
  });

  it("lose their grants when the token is rotated, and the audit trail names these grants", async () => {
    const { acme } = openAcme({ storage: await open() });
    const { token, apiToken } = await acme.apiTokens.create({ name: "Ada", scopes: ["user:read"] });
    const { app } = await acme.apps.create({
      name: "App",
      redirectUris: [redirectUri],
      scopes: ["user:read"],
    });
    const grantInput = { appId: app.id, subject: "ada", scopes: ["user:read" as const], redirectUri };
    await acme.grants.allow({ ...grantInput, codeChallenge, apiToken: token });
    const [grant] = await acme.grants.list();
    await acme.apiTokens.rotate(apiToken.id);
    await expect(acme.grants.allow({ ...grantInput, codeChallenge, apiToken: token })).rejects.toThrow(
      "apiToken must be a valid token of the organization",
    );
    const { content } = await acme.audit.list();
    expect(content.at(-1)).toMatchObject({
      action: "api_token.rotated",
      details: { endedGrants: 1, endedGrantIds: [grant?.id] },
    });
    expect(await acme.apiTokens.listCreated(apiToken.id)).toMatchObject({
      grants: [],
      endedGrantIds: [grant?.id],
    });
  });

  it("are hidden from other organizations and from callers without the scope, and other ids aren't found", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    const { apiToken } = await acme.apiTokens.create({ name: "Ada", scopes: [...scopes] });
    const { app } = await acme.apps.create({
      name: "App",
      redirectUris: [redirectUri],
      scopes: ["user:read"],
    });
    const globex = loyalty.organization("globex");
    await globex.apps.create({ name: "App", redirectUris: [redirectUri], scopes: ["user:read"] });
    expect(await getErrorDetail(globex.apiTokens.listCreated(apiToken.id))).toEqual(notFound);
    for (const id of [app.id, "akt_none", "\0", ""]) {
      expect(await getErrorDetail(acme.apiTokens.listCreated(id))).toEqual(notFound);
    }
    const reader = loyalty.organization("acme", { scopes: ["user:read"] });
    expect(await getErrorDetail(reader.apiTokens.listCreated(apiToken.id))).toMatchObject({
      code: "access_denied",
    });
  });
});
