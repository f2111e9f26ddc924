import type { Scope } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { findViolations, openBrowser, openShop, visitSignedIn } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

async function signInWithScopes(path: string, ...scopes: Scope[]) {
  const visit = await visitSignedIn(browser, shop, path, await shop.createToken(...scopes));
  const { page } = visit;
  const readLinks = () => page.getByRole("navigation", { name: "Console" }).getByRole("link").allInnerTexts();
  const readPath = () => new URL(page.url()).pathname;
  return { ...visit, readLinks, path: readPath };
}

describe("the navigation", () => {
  it("leads people who work at the till to the till, and only to screens that they may see", async () => {
    const till = await signInWithScopes(
      "/console",
      "user:read",
      "pass:read",
      "template:read",
      "loyalty:manage",
    );
    await till.page.getByText("Scan a card.").waitFor();
    expect(till.path()).toBe("/console/till");
    await expect.poll(till.readLinks).toEqual(["Customers", "Cards", "Till", "Settings"]);
    await till.page.getByRole("link", { name: "Settings" }).first().click();
    const tabs = till.page.getByRole("navigation", { name: "Settings" }).getByRole("link");
    await expect.poll(() => tabs.allInnerTexts()).toEqual(["Sign-in"]);
    expect(till.complaints).toEqual([]);
    await till.close();
  });

  it("leads people who manage webhooks to the developer screens, and says at the start what they may not see", async () => {
    const hooks = await signInWithScopes("/console", "webhook:manage");
    await expect.poll(hooks.readLinks).toEqual(["Settings", "Developers", "API reference"]);
    await hooks.page.getByText("You don’t have access to statistics").waitFor();
    await hooks.page.getByRole("link", { name: "Developers" }).first().click();
    await hooks.page.getByRole("button", { name: "New endpoint" }).waitFor();
    const tabs = hooks.page.getByRole("navigation", { name: "Developers" }).getByRole("link");
    await expect.poll(() => tabs.allInnerTexts()).toEqual(["Webhooks", "Events"]);
    expect(hooks.complaints).toEqual([]);
    await hooks.close();
  });

  it("has five items at the bottom of a phone, the last of which opens the rest", async () => {
    const { page, complaints, close } = await visitSignedIn(browser, shop, "/console/customers");
    await page.setViewportSize({ width: 390, height: 844 });
    const navigation = page.getByRole("navigation", { name: "Console" });
    await expect
      .poll(() => navigation.getByRole("link").allInnerTexts())
      .toEqual(["Overview", "Customers", "Messages", "Till"]);
    const more = navigation.getByRole("button", { name: "More" });
    const openMore = async () => {
      await more.click();
      await navigation.getByRole("link", { name: "Segments" }).waitFor();
    };
    await openMore();
    await expect.poll(() => findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await navigation.getByRole("link", { name: "Segments" }).waitFor({ state: "detached" });
    await expect.poll(() => more.evaluate((button) => button.matches(":focus"))).toBe(true);
    await openMore();
    await page.getByRole("heading", { name: "Customers", exact: true }).click();
    await navigation.getByRole("link", { name: "Segments" }).waitFor({ state: "detached" });
    await openMore();
    for (const name of ["Purchases", "Automations", "Cards", "Settings", "Developers"])
      await navigation.getByRole("link", { name }).waitFor();
    await navigation.getByRole("link", { name: "Automations" }).click();
    await page.getByRole("heading", { name: "Automations", exact: true }).waitFor();
    await navigation.getByRole("link", { name: "Automations" }).waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await close();
  });

  it("starts at the first screen that a person may see, and an unknown page leads back there", async () => {
    const { page, path, close } = await signInWithScopes("/console", "user:read", "message:read");
    await page.getByRole("heading", { name: "Customers", exact: true }).waitFor();
    expect(path()).toBe("/console/customers");
    await page.goto(`${shop.url}/console/nowhere`);
    await page.getByRole("link", { name: "Go to overview" }).click();
    await page.getByRole("heading", { name: "Customers", exact: true }).waitFor();
    await close();
  });
});
