import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { LoyaltyService, scopes } from "loyalty-kit";
import { bearerTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOAuthServer } from "../../adapters/apps/cli/server/oauth-server.js";
import { findViolations, hostile, isOverflowing, openBrowser, visit } from "../console/shop.js";
import { challenge, createParams } from "./scene.js";

const browser = await openBrowser();
let loyalty: LoyaltyService;
let issuer: string;
let appUrl: string;
let token: string;
const servers: Server[] = [];

beforeAll(async () => {
  loyalty = new LoyaltyService({ storage: memoryStorage() });
  const provider = await startListening();
  issuer = provider.url;
  const oauth = createOAuthServer(loyalty, issuer);
  const authenticate = bearerTokens(loyalty);
  provider.server.on("request", nodeListener(createHttpApi(loyalty, { authenticate, oauth })));
  const app = await startListening();
  appUrl = app.url;
  // The app redirects its users within its own site, as many do. The policy of the page must not prevent that.
  app.server.on("request", ({ url = "" }, response) => {
    const [path, query] = url.split("?");
    if (path === "/callback") response.writeHead(302, { location: `/done?${query}` }).end();
    else response.end("the app");
  });
  const acme = loyalty.organization("acme & <b>sons</b>");
  token = (await acme.apiTokens.create({ name: "me", scopes: [...scopes] })).token;
});

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  await loyalty?.close();
});

async function startListening() {
  const server = createServer().listen(0, "127.0.0.1");
  servers.push(server);
  await once(server, "listening");
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function createAuthorizationUrl(
  name = "Till of the bakery",
  { redirectUri = `${appUrl}/callback`, isPublic = false } = {},
): Promise<string> {
  const { app } = await loyalty
    .organization("vendor")
    .apps.create({ name, redirectUris: [redirectUri], scopes: [...scopes], isPublic });
  return `${issuer}/oauth2/authorize?${createParams({
    response_type: "code",
    client_id: app.id,
    redirect_uri: redirectUri,
    scope: "user:read pass:create loyalty:manage",
    state: "x",
    code_challenge: challenge,
    code_challenge_method: "S256",
  })}`;
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel("Your organization’s API token").fill(token);
  await page.getByRole("button", { name: "Continue" }).click();
}

describe("the consent page in a browser", () => {
  it.each([
    ["Allow", /\/done\?code=lkc_\w+&state=x&iss=/],
    ["Deny", /\/done\?error=access_denied&error_description=[^&]+&state=x&iss=/],
  ])("leads back to the app after %s", async (button, place) => {
    const { page, complaints, close } = await visit(browser);
    await page.goto(await createAuthorizationUrl());
    await signIn(page);
    await page.getByRole("button", { name: button }).click();
    await page.waitForURL(place);
    await expect.poll(() => page.textContent("body")).toBe("the app");
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(["Allow", "Deny"])(
    "leads to an app on the device after %s, without a violation of its own policy",
    async (button) => {
      const { page, complaints, close } = await visit(browser);
      const redirect = page.waitForRequest(/^com\.example\.till:/);
      await page.goto(
        await createAuthorizationUrl("Till", { redirectUri: "com.example.till:/callback", isPublic: true }),
      );
      await signIn(page);
      await page.getByRole("button", { name: button }).click();
      await expect
        .poll(async () => (await redirect).url())
        .toMatch(/^com\.example\.till:\/callback\?(code=lkc_|error=access_denied)/);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it("can be used with only the keyboard, and shows the focus", async () => {
    const { page, close } = await visit(browser);
    await page.goto(await createAuthorizationUrl());
    await page.keyboard.press("Tab");
    await page.keyboard.type(token);
    await page.keyboard.press("Enter");
    await page.waitForURL(/authorize/);
    const focused: (string | null)[] = [];
    for (let at = 0; at < 2; at += 1) {
      await page.keyboard.press("Tab");
      focused.push(await page.locator(":focus-visible").textContent());
      await expect
        .poll(() => page.evaluate("getComputedStyle(document.activeElement).outlineStyle"))
        .toBe("solid");
    }
    expect(focused).toEqual(["Allow", "Deny"]);
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    await page.waitForURL(/\/done\?code=/);
    await close();
  });

  it("shows names that are HTML as text", async () => {
    const { page, complaints, close } = await visit(browser);
    await page.goto(await createAuthorizationUrl(hostile));
    await signIn(page);
    const visibleName = hostile.replace("\u202e", "");
    const heading = await page.getByRole("heading", { level: 1 }).textContent();
    expect(heading).toBe(`Allow ${visibleName} to access acme & <b>sons</b>?`);
    await expect.poll(() => page.title()).toBe(`Allow ${visibleName}?`);
    await expect.poll(() => page.locator("script, img, b").count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each([
    ["light", 1_000],
    ["dark", 1_000],
    ["light", 320],
  ] as const)("has no violations that axe finds, %s at %d pixels", async (colorScheme, width) => {
    const { page, close } = await visit(browser, { colorScheme, viewport: { width, height: 800 } });
    const url = await createAuthorizationUrl();
    await page.goto(url);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await page.getByLabel("Your organization’s API token").fill("wrong");
    await page.getByRole("button", { name: "Continue" }).click();
    await expect.poll(() => page.getByRole("alert").textContent()).toContain("This API token isn’t valid");
    await signIn(page);
    await page.waitForURL(/authorize/);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await expect.poll(() => isOverflowing(page)).toBe(false);
    await page.goto(`${issuer}/oauth2/authorize`);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await close();
  });

  it("can't be framed by another site", async () => {
    const { page, close } = await visit(browser);
    const url = await createAuthorizationUrl();
    await page.goto(appUrl);
    await page.setContent(`<iframe src="${url}"></iframe>`);
    await expect.poll(() => page.frames().length).toBe(2);
    await expect.poll(() => page.frames()[1]?.content()).not.toContain("API token");
    await close();
  });
});
