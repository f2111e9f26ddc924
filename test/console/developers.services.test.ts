import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser, openShop, type Shop, signIn, visit } from "./shop.js";

let browser: Browser;
let shop: Shop;
beforeAll(async () => {
  [browser, shop] = await Promise.all([openBrowser(), openShop()]);
});
afterAll(async () => {
  await browser?.close();
  await shop?.close();
});

const at = async (path: string) => {
  const visited = await visit(browser);
  await signIn(visited.page, shop, path);
  return visited;
};

describe("the screens for developers", () => {
  it("make a token, show it once, and revoke it by name", async () => {
    const { page, complaints, close } = await at("/console/developers");
    await page.getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Make token" }).click();
    await dialog.getByText(/must have 1 to/).waitFor();
    await dialog.getByLabel("Name", { exact: true }).fill("till of the bakery");
    await dialog.getByLabel(/user:read/).check();
    await dialog.getByRole("button", { name: "Make token" }).click();
    const token = (await dialog.locator(".secret").textContent()) ?? "";
    expect(await shop.loyalty.verifyApiToken(token)).toMatchObject({ scopes: ["user:read"] });
    await dialog.getByRole("button", { name: "I have it" }).click();
    expect(await page.content()).not.toContain(token);
    const row = page.getByRole("listitem").filter({ hasText: "till of the bakery" });
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke till of the bakery" }).click();
    await page.getByText("The token “till of the bakery” was revoked").waitFor();
    expect(await shop.loyalty.verifyApiToken(token)).toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

  it("add a webhook endpoint, test it, and remove it", async () => {
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

  it("show events as they come", async () => {
    const { page, close } = await at("/console/developers/events");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await shop.acme.users.create({ email: "live@example.com" });
    await page.locator("summary").filter({ hasText: "user.created" }).click();
    await page.getByText("live@example.com").first().waitFor();
    await close();
  });

  it("let calls be tried in the reference, with a token that stays on the page", async () => {
    const { page, complaints, close } = await visit(browser);
    await page.goto(`${shop.url}/reference`);
    await page.getByLabel("Search operations").fill("list contacts");
    await page.getByText("/v1/contacts", { exact: true }).click();
    await page.getByLabel("API token, to try calls").fill(shop.token);
    await page.getByLabel(/^size/).fill("1");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText('"totalElements"').waitFor();
    expect(page.url()).toBe(`${shop.url}/reference`);
    expect(await page.evaluate("localStorage.length + sessionStorage.length")).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
