import { join } from "node:path";
import { expect, it } from "vitest";
import { firstLookTexts } from "../../adapters/apps/cli/server/first-look-texts.js";
import { findViolations, isOverflowing, openBrowser, visit } from "../console/shop.js";
import { createEmptyFolder, startServer } from "./command.js";

const browser = await openBrowser();

/** Starts a demo, and returns its server and the URL of its first look. */
async function openDemo() {
  const server = await startServer(["--demo", "--database", join(createEmptyFolder(), "loyalty.db")]);
  const [url = ""] = await server.waitForOutput(/http:\S+\/demo\/first-look\/\w+/);
  return { server, url };
}

const demo = openDemo();

it.each([
  ["light", 390, "de-AT", "de"],
  ["dark", 390, "fr", "fr"],
  ["light", 1_440, "pt-BR", "pt"],
  ["dark", 1_440, "es", "es"],
  ["light", 390, "it", "en"],
] as const)(
  "the first look has five steps, %s at %d pixels, in a browser set to %s, and axe finds no violations",
  async (colorScheme, width, locale, language) => {
    const { url } = await demo;
    const { page, complaints, close } = await visit(browser, {
      ...{ colorScheme, locale },
      viewport: { width, height: 800 },
    });
    await page.goto(url);
    const texts = firstLookTexts[language];
    await page.getByRole("heading", { name: texts?.title ?? "none" }).waitFor();
    await expect.poll(() => page.locator("html").getAttribute("lang")).toBe(language);
    await expect.poll(() => page.locator("ol > li").count()).toBe(5);
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    expect(complaints).toEqual([]);
    await close();
  },
);

it("the first look opens each screen signed in, empties the shop with one button, and hides with another", async () => {
  const { server, url } = await openDemo();
  const { page, complaints, close } = await visit(browser, { viewport: { width: 1_280, height: 900 } });
  await page.goto(url);
  await page.getByRole("button", { name: "Try it" }).click();
  await page.getByRole("heading", { name: "Stamps given" }).waitFor();
  for (const [step, path] of [
    ["Add a stamp", "/console/till"],
    ["See who hasn’t come back", "/console/segments"],
    ["Message your customers", "/console/messages"],
  ] as const) {
    await page.goto(url);
    await page.getByRole("link", { name: step }).click();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await expect.poll(() => page.url()).toContain(path);
    await expect.poll(() => page.getByLabel("API token").count()).toBe(0);
  }

  // The customers' pages have no way back, so the tour stays open beside them.
  await page.goto(url);
  const opened = page.waitForEvent("popup");
  await page.getByRole("link", { name: "Become a customer" }).click();
  const joinPage = await opened;
  await joinPage.getByRole("heading", { level: 1 }).waitFor();
  expect(joinPage.url()).toContain("/join/");
  await joinPage.close();

  await page.getByRole("button", { name: "Start from scratch" }).click();
  await page.getByRole("button", { name: "Open your shop" }).click();
  await page.goto(`${server.url}/console/customers`);
  await page.getByText(/^No customers/).waitFor();

  await page.getByRole("link", { name: "First look" }).click();
  await page.getByRole("button", { name: "Hide this tour permanently" }).click();
  await page.waitForURL(/\/console$/);
  for (const _ of ["now", "after a reload"]) {
    await page.reload();
    await page.getByRole("link", { name: "Demo mailbox" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "First look" }).count()).toBe(0);
  }
  await expect.poll(async () => (await fetch(url)).status).toBe(404);
  expect(complaints).toEqual([]);
  await close();
});

it("the first look is only available at its secret URL, and rejects requests from other sites", async () => {
  const { url } = await demo;
  await expect.poll(async () => (await fetch(url.slice(0, -1))).status).toBe(404);
  await expect.poll(async () => (await fetch(`${url}/empty`)).status).toBe(405);
  const foreign = { method: "POST", headers: { origin: "https://elsewhere.example" } };
  for (const act of ["empty", "close"])
    await expect.poll(async () => (await fetch(`${url}/${act}`, foreign)).status).toBe(404);
  await expect.poll(async () => (await fetch(url)).status).toBe(200);
});
