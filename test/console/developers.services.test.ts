import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { createResult } from "../webhooks/hooks.js";
import { findViolations, isOverflowing, openBrowser, openShop, visit, visitSignedIn } from "./shop.js";

const run = promisify(execFile);

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

const at = (path: string, token?: string) => visitSignedIn(browser, shop, path, token);

/** Creates an app of an organization, and an authorization code for it from a user (`subject`) of Acme. */
async function createGrantCode(organizationId: string, name: string, subject: string) {
  const input = { name, redirectUris: ["https://app.example/callback"], scopes: ["user:read" as const] };
  const { app } = await shop.loyalty.organization(organizationId).apps.create(input);
  const codeChallenge = createHash("sha256").update(name).digest("base64url");
  const grantInput = { appId: app.id, scopes: app.scopes, redirectUri: null, codeChallenge };
  await shop.acme.grants.allow({ ...grantInput, subject });
  return app;
}

describe("the developer screens", () => {
  it("create a token, show it once, and revoke it after confirmation by name", async () => {
    const { page, complaints, close } = await at("/console/developers");
    await page.getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Create token" }).click();
    await dialog.getByText("must not be empty").waitFor();
    await expect.poll(() => page.evaluate("document.activeElement?.labels?.[0]?.textContent")).toBe("Name");
    await dialog.getByLabel("Name", { exact: true }).fill("till of the bakery");
    await dialog.getByText("Scopes: none yet").click();
    await dialog.getByLabel(/user:read/).check();
    await dialog.getByRole("button", { name: "Create token" }).click();
    const token = (await dialog.locator(".secret").textContent()) ?? "";
    await expect.poll(() => shop.loyalty.verifyApiToken(token)).toMatchObject({ scopes: ["user:read"] });
    await dialog.getByRole("button", { name: "I have it" }).click();
    await expect.poll(() => page.content()).not.toContain(token);
    const row = page.getByRole("listitem").filter({ hasText: "till of the bakery" });
    const principal = await shop.loyalty.verifyApiToken(token);
    const tokenActor = { kind: "token", id: principal?.actor?.id ?? null } as const;
    await shop.loyalty
      .organization("acme", { actor: tokenActor })
      .apiTokens.create({ name: "made by it", scopes: ["user:read"] });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByText("These were created with it").waitFor();
    await page.getByRole("dialog").getByText("token made by it").waitFor();
    await page.getByRole("button", { name: "Revoke till of the bakery" }).click();
    await page.getByText("The token “till of the bakery” was revoked").waitFor();
    await expect.poll(() => shop.loyalty.verifyApiToken(token)).toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

  it("add a webhook endpoint, test it, disable and enable it, and remove it", async () => {
    const { page, complaints, close } = await at("/console/developers/webhooks");
    await page.getByRole("button", { name: "New endpoint" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("URL").fill("http://127.0.0.1/hooks");
    await dialog.getByRole("button", { name: "Add endpoint" }).click();
    await dialog.getByText(/must be an https URL/).waitFor();
    await dialog.getByLabel("URL").fill("https://receiver.example/hooks");
    await dialog.getByRole("button", { name: "Add endpoint" }).click();
    await dialog.getByText(/^whsec_/).waitFor();
    await dialog.getByRole("button", { name: "I have it" }).click();
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("webhook.test").waitFor();
    await page.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("button", { name: "Enable" }).waitFor();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("button", { name: "Remove https://receiver.example/hooks" }).click();
    await page.getByText("No webhook endpoints").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("register an app, show each of its secrets once, and delete it after confirmation by name", async () => {
    const { page, complaints, close } = await at("/console/developers/apps");
    await page.getByRole("button", { name: "New app" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Newsletter");
    const uris = dialog.getByLabel("Redirect URIs");
    await uris.fill("https://news.example/callback\nhttp://news.example/callback");
    await dialog.getByText("Scopes: none yet").click();
    await dialog.getByLabel(/user:read/).check();
    await dialog.getByRole("button", { name: "Register app" }).click();
    await dialog.getByText(/Item 2 must be an https URL/).waitFor();
    await expect.poll(() => uris.getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("Newsletter");
    await uris.fill("https://news.example/callback");
    await dialog.getByRole("button", { name: "Register app" }).click();
    const first = (await dialog.locator(".secret").textContent()) ?? "";
    // A secret that is shown only once does not disappear by accident.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await dialog.getByRole("button", { name: "I have it" }).click();
    const [app] = await shop.acme.apps.list();
    expect(app).toMatchObject({ name: "Newsletter", redirectUris: ["https://news.example/callback"] });

    const row = page.getByRole("listitem").filter({ hasText: "Newsletter" });
    await row.getByRole("button", { name: "New secret" }).click();
    await dialog.getByRole("button", { name: "Create new secret" }).click();
    const second = (await dialog.locator(".secret").textContent()) ?? "";
    await dialog.getByRole("button", { name: "I have it" }).click();
    const isGood = async (secret: string) =>
      (await serviceInternals(shop.loyalty).appTokens.authenticate(app?.id ?? "", secret)) !== null;
    await expect.poll(async () => [await isGood(first), await isGood(second)]).toEqual([true, true]);
    await row.getByRole("button", { name: "New secret" }).click();
    await dialog.getByRole("button", { name: "Revoke the old secret now" }).click();
    await dialog.getByRole("button", { name: "I have it" }).click();
    await expect.poll(() => isGood(second)).toBe(false);
    await expect.poll(() => page.content()).not.toContain(second);

    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Keep" }).click();
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete Newsletter" }).click();
    await page.getByText("The app “Newsletter” was deleted").waitFor();
    await page.getByText("No apps", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("register a public app, which has no secret and can't get one", async () => {
    const { page, complaints, close } = await at("/console/developers/apps");
    await page.getByRole("button", { name: "New app" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Pocket");
    await dialog.getByLabel("Redirect URIs").fill("com.example.pocket:/callback");
    await dialog.getByText("Scopes: none yet").click();
    await dialog.getByLabel(/user:read/).check();
    await dialog.getByRole("button", { name: "Register app" }).click();
    await dialog.getByText(/Item 1 must be .* unless the app is public/).waitFor();
    await dialog.getByLabel(/^Public/).check();
    await dialog.getByRole("button", { name: "Register app" }).click();
    await page.getByText("The app “Pocket” was registered").waitFor();
    const [app] = await shop.acme.apps.list();
    expect(app).toMatchObject({ isPublic: true, redirectUris: ["com.example.pocket:/callback"] });
    const row = page.getByRole("listitem").filter({ hasText: "Pocket" });
    await row.getByText("public", { exact: true }).waitFor();
    await expect.poll(() => row.getByRole("button", { name: "New secret" }).count()).toBe(0);
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete Pocket" }).click();
    await page.getByText("No apps", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("replay a delivery that has ended", async () => {
    const { webhookEndpoint } = await shop.acme.webhooks.create({
      url: "https://replayed.example/hooks",
      types: ["template.created"],
    });
    await shop.acme.templates.create({ name: "Told of", type: "LOYALTY_CARD" });
    const { webhookQueue } = serviceInternals(shop.loyalty);
    const endpointRef = { organizationId: "acme", endpointId: webhookEndpoint.id };
    const deliverNext = async () => {
      const { jobs } = await webhookQueue.claimNext(endpointRef, 10);
      const result = createResult(Date.now());
      await webhookQueue.recordResults(
        endpointRef,
        jobs.map((job) => ({ job, result })),
      );
      return jobs.length;
    };
    await expect.poll(deliverNext).toBe(1);
    const { page, complaints, close } = await at("/console/developers/webhooks");
    const panel = page.getByRole("region", { name: webhookEndpoint.url });
    await panel.getByText("delivered").waitFor();
    await panel.getByRole("button", { name: "Replay" }).click();
    await page.getByText("Replayed", { exact: true }).waitFor();
    await panel.getByText("pending").waitFor();
    expect(complaints).toEqual([]);
    await close();
    await shop.acme.webhooks.delete(webhookEndpoint.id);
  });

  it("list grants to apps of any organization, and revoke them with only the keyboard", async () => {
    const ownCode = await createGrantCode("acme", "Own app", "ada@acme.example");
    const foreign = await createGrantCode("vendor", "Foreign app", "grace@acme.example");
    const { page, complaints, close } = await at("/console/developers/apps");
    const grants = page.getByRole("region", { name: "Apps with access" });
    await grants.getByText("Own app for ada@acme.example").waitFor();
    await grants.getByText(`${foreign.id} for grace@acme.example`).waitFor();
    await expect.poll(() => page.content()).not.toContain("Foreign app");
    const end = grants
      .getByRole("listitem")
      .filter({ hasText: "grace@" })
      .getByRole("button", { name: "Revoke" });
    await end.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => end.evaluate("document.activeElement?.textContent")).toBe("Revoke");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Revoke for grace@acme.example" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText("no longer has access for grace@acme.example").waitFor();
    await expect.poll(() => shop.acme.grants.list()).toMatchObject([{ appId: ownCode.id }]);
    await shop.acme.apps.delete(ownCode.id);
    expect(complaints).toEqual([]);
    await close();
  });

  it("say why an app can't be changed, and keep the list visible while the server can't be reached", async () => {
    const app = await createGrantCode("acme", "Wider", "ada@acme.example");
    const { page, close } = await at("/console/developers/apps", await shop.createToken("api_token:manage"));
    const row = page.getByRole("listitem").filter({ hasText: app.id });
    await row.getByRole("button", { name: "New secret" }).click();
    await page.getByRole("button", { name: "Create new secret" }).click();
    await page.getByText(/You don’t have permission to do this. It requires .*user:read/).waitFor();
    await page.route("**/console/api/**", (route) => route.abort());
    await row.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete Wider" }).click();
    await page.getByText("The server can’t be reached.").waitFor();
    await expect.poll(() => row.isVisible()).toBe(true);
    await close();
    await shop.acme.apps.delete(app.id);
  });

  it("create a token from a preset, and show the scopes behind it", async () => {
    const { page, complaints, close } = await at("/console/developers");
    await page.getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("counter");
    const kinds = dialog.getByRole("group", { name: "Permissions" });
    await kinds.getByLabel(/^Read-only/).check();
    await dialog.getByText(/^Scopes: \d+$/).click();
    await expect.poll(() => dialog.getByLabel(/^webhook:manage/).isChecked()).toBe(false);
    await expect.poll(() => dialog.getByLabel(/^statistics:read/).isChecked()).toBe(true);
    await kinds.getByLabel(/^Till.*add stamps and points, and redeem rewards/).check();
    await expect.poll(() => dialog.getByLabel(/^statistics:read/).isChecked()).toBe(false);
    await dialog.getByLabel(/^pass:create/).check();
    await dialog.getByText("Scopes: 7, customized").waitFor();
    await expect.poll(() => kinds.getByLabel(/^Till/).isChecked()).toBe(false);
    await dialog.getByLabel(/^pass:create/).uncheck();
    await expect.poll(() => kinds.getByLabel(/^Till/).isChecked()).toBe(true);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await expect.poll(() => isOverflowing(page)).toBe(false);
    await dialog.getByRole("button", { name: "Create token" }).click();
    const token = (await dialog.locator(".secret").textContent()) ?? "";
    const { scopes: grantedScopes } = (await shop.loyalty.verifyApiToken(token)) ?? { scopes: [] };
    expect([...grantedScopes].sort()).toEqual([
      ...["loyalty:manage", "pass:read", "purchase:read", "purchase:write", "template:read", "user:read"],
    ]);
    await dialog.getByRole("button", { name: "I have it" }).click();
    const row = page.getByRole("listitem").filter({ hasText: "counter" });
    await row.getByText(/^Till: 6 scopes/).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("offer only presets that the signed-in person may grant", async () => {
    const token = await shop.createToken("api_token:manage", "user:read");
    const { page, close } = await at("/console/developers", token);
    await page.getByRole("button", { name: "New token" }).click();
    const kinds = page.getByRole("group", { name: "Permissions" });
    await kinds.getByLabel(/^Everything/).waitFor();
    await expect.poll(() => kinds.getByRole("radio").count()).toBe(2);
    await close();
  });

  it("show a delivery's next attempt, its payload and each response, and replay it", async () => {
    const { webhookEndpoint } = await shop.acme.webhooks.create({
      url: "https://failing.example/hooks",
      types: ["user.created"],
    });
    await shop.acme.users.create({ email: "payload@example.com" });
    const endpointRef = { organizationId: "acme", endpointId: webhookEndpoint.id };
    const failNext = async () => {
      const { jobs } = await serviceInternals(shop.loyalty).webhookQueue.claimNext(endpointRef, 10);
      const result = createResult(Date.now(), { status: 500, response: "out of order" });
      await serviceInternals(shop.loyalty).webhookQueue.recordResults(
        endpointRef,
        jobs.map((job) => ({ job, result })),
      );
      return jobs.length;
    };
    await expect.poll(failNext).toBe(1);
    const { page, complaints, close } = await at("/console/developers/webhooks");
    const panel = page.getByRole("region", { name: webhookEndpoint.url });
    const line = panel.getByRole("listitem").filter({ hasText: "last response: 500" });
    await line.getByText(/^1 attempt · last response: 500 · next attempt \w+ \d+, \d{4}, /).waitFor();
    await line.getByText("Payload and responses").click();
    await line.getByText("500 out of order").waitFor();
    await line.getByText("payload@example.com").waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    await expect.poll(() => isOverflowing(page)).toBe(false);
    await line.getByRole("button", { name: "Replay" }).click();
    await page.getByText("Replayed", { exact: true }).waitFor();
    await panel.getByText("0 attempts").waitFor();
    expect(complaints).toEqual([]);
    await close();
    await shop.acme.webhooks.delete(webhookEndpoint.id);
  });

  it("show events live, with who caused them and links to the customer and the card", async () => {
    const { page, complaints, close } = await at("/console/developers/events");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    const user = await shop.acme.users.create({ email: "live@example.com", name: "Live Lou" });
    const card = await shop.acme.templates.create({ name: "Scones", type: "STAMP_CARD", maxStamps: 9 });
    const pass = await shop.acme.passes.create(card.id, { userId: user.id });
    const { token, apiToken } = await shop.acme.apiTokens.create({
      name: "Till two",
      scopes: ["loyalty:manage"],
    });
    await fetch(`${shop.url}/v1/walletpasses/${pass.id}/stamps/add`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: "{}",
    });
    const line = page.locator(".event-line").filter({ hasText: "stamp.added" });
    await line.getByText("by Till two").waitFor();
    await line.getByRole("link", { name: "Scones" }).waitFor();
    await line.locator("code").click();
    await page.getByText('"currentStamps": 1').waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    await expect.poll(() => isOverflowing(page)).toBe(false);
    await line.getByRole("link", { name: "Live Lou" }).click();
    await page.getByRole("heading", { name: "Live Lou" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
    await shop.acme.apiTokens.delete(apiToken.id);
  });

  it("show names of customers and cards in the event log only if the token may read them", async () => {
    const token = await shop.createToken("webhook:manage");
    const { page, complaints, close } = await at("/console/developers/events", token);
    await page.locator(".event-line").filter({ hasText: "stamp.added" }).first().waitFor();
    await page.locator(".event-line").filter({ hasText: "user.created" }).first().waitFor();
    await expect.poll(() => page.locator(".event-line").getByText("Scones").count()).toBe(0);
    await expect.poll(() => page.locator(".event-line").getByText("Live Lou").count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("copy a filtered list, a customer and an event as curl and client code that works and contains no secret", async () => {
    const name = `O'Neil "$HOME" \`id\``;
    const user = await shop.acme.users.create({ email: "copied@example.com", name });
    await shop.acme.tags.create({ name: "Copied" });
    await shop.acme.tags.assign(user.id, "copied");
    const [event] = (await shop.acme.events.list({ userId: user.id })).content;
    const { page, complaints, close } = await at("/console/customers");
    const runSnippets = async (found: string) => {
      const dialog = page.getByRole("dialog", { name: "View as code" });
      for (const [verb, command, args] of [
        ["Copy as curl", "sh", ["-c"]],
        ["Copy as client code", process.execPath, ["--input-type=module", "-e"]],
      ] as const) {
        await dialog.getByRole("button", { name: verb }).click();
        const text = String(await page.evaluate("navigator.clipboard.readText()"));
        expect(text).toContain("LOYALTY_TOKEN");
        expect(text).not.toContain(shop.token);
        const env = { ...process.env, LOYALTY_TOKEN: shop.token };
        const { stdout } = await run(command, [...args, text], { env });
        expect(JSON.stringify(JSON.parse(stdout))).toContain(found);
      }
      await dialog.getByRole("button", { name: "Done" }).click();
    };
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const openAsCode = async (menu: string) => {
      await page.getByRole("button", { name: menu }).click();
      await page.getByRole("button", { name: /^View as code/ }).click();
    };
    await page.getByLabel("Search customers").fill(name);
    await page.getByText("1–1 of 1 customer").waitFor();
    await openAsCode("More about this list");
    await runSnippets('"totalElements":1');
    await page.getByLabel("Search customers").fill("");
    await page.getByLabel("With the tag").selectOption("Copied");
    await page.getByText("1–1 of 1 customer").waitFor();
    await openAsCode("More about this list");
    await runSnippets('"totalElements":1');
    await page.getByRole("link", { name: "O'Neil" }).click();
    await openAsCode("More about this customer");
    await runSnippets(`"id":"${user.id}"`);
    await page.goto(`${shop.url}/console/developers/events`);
    await page.getByLabel("Event type").selectOption("user.created");
    await page.getByRole("button", { name: "View list as code" }).click();
    await runSnippets(`"id":"${event?.id}"`);
    await page.locator(".event-line").filter({ hasText: "O'Neil" }).locator("code").click();
    await page.getByRole("button", { name: "View as code", exact: true }).click();
    await runSnippets(`"id":"${event?.id}"`);
    expect(complaints).toEqual([]);
    await close();
  });

  it("let a signed-in person call the API in the reference without a token, and link back to the console", async () => {
    const { page, complaints, close } = await at("/console");
    await page.getByRole("link", { name: "API reference" }).first().click();
    await page.getByLabel("Search operations").waitFor();
    await expect.poll(() => page.getByLabel("API token for test calls").count()).toBe(0);
    for (const [operation, description] of [
      ["list contacts", '"totalElements"'],
      ["openapi", '"openapi": "3.1'],
    ] as const) {
      await page.getByLabel("Search operations").fill(operation);
      await page.locator("summary").first().click();
      await page.getByRole("button", { name: "Send" }).first().click();
      await page.getByText(description).first().waitFor();
      await page.locator("summary").first().click();
    }
    await page.getByRole("link", { name: "Console" }).click();
    await page.waitForURL(`${shop.url}/console`);
    expect(complaints).toEqual([]);
    await close();
  });

  it("let anyone call the API in the reference with a token, which is never stored", async () => {
    const { page, complaints, close } = await visit(browser);
    await page.goto(`${shop.url}/reference`);
    await page.getByLabel("Search operations").fill("list contacts");
    await page.getByText("/v1/contacts", { exact: true }).click();
    await page.getByLabel("API token for test calls").fill(shop.token);
    await page.getByLabel(/^size/).fill("1");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText('"totalElements"').waitFor();
    expect(page.url()).toBe(`${shop.url}/reference`);
    await expect.poll(() => page.evaluate("localStorage.length + sessionStorage.length")).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
