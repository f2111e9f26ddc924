import { once } from "node:events";
import { createServer } from "node:http";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages } from "loyalty-kit/pages";
import { describe, expect, it, onTestFinished } from "vitest";
import { hostile, openBrowser, overflows, urlOf, violations, visit } from "../console/shop.js";

const browser = await openBrowser();

/** A shop with a card of a hostile name, served to browsers. */
async function openShop() {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    extensions: [createPages(loyalty)],
  });
  const server = createServer(nodeListener(api)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await loyalty.close();
  });
  const acme = loyalty.organization("acme");
  const card = await acme.templates.create({ name: hostile, type: "STAMP_CARD", maxStamps: 12 });
  return { acme, url: urlOf(server), join: `${urlOf(server)}/join/${card.id}` };
}

describe("the pages for customers", () => {
  it.each([
    ["light", 360],
    ["dark", 360],
    ["light", 1_440],
  ] as const)(
    "have nothing that axe finds wrong and nothing that sticks out, %s at %d pixels",
    async (colorScheme, width) => {
      const { join, url } = await openShop();
      const { page, complaints, close } = await visit(browser, {
        colorScheme,
        viewport: { width, height: 800 },
      });
      const look = async () => [await violations(page), await overflows(page)];
      await page.goto(join);
      expect(await look()).toEqual([[], false]);
      await page.getByRole("button").click();
      await page.getByText("Tell us your name.").waitFor();
      expect(await look()).toEqual([[], false]);
      await page.getByLabel("Name").fill("Ada");
      await page.getByLabel("Phone").fill("+49 30 123456");
      await page.getByLabel(/I agree/).check();
      await page.getByRole("button").click();
      await page.getByText("0 of 12 stamps").waitFor();
      expect(await look()).toEqual([[], false]);
      await page.goto(`${url}/c/neverGiven12`);
      expect(await look()).toEqual([[], false]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it("need no JavaScript, and the keyboard is enough", async () => {
    const { join } = await openShop();
    const { page, complaints, close } = await visit(browser, { javaScriptEnabled: false });
    await page.goto(join);
    const type = async (text: string) => {
      await page.keyboard.press("Tab");
      await page.keyboard.type(text);
    };
    await type("Ada");
    await type("ada@example.com");
    await type("");
    await type(" ");
    await page.keyboard.press("Enter");
    await page.getByText("0 of 12 stamps").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("turn around where a language is written from right to left", async () => {
    const { join } = await openShop();
    const { page, close } = await visit(browser, { viewport: { width: 360, height: 800 } });
    await page.goto(join);
    const box = page.getByLabel(/I agree/);
    const text = page.locator("label").filter({ hasText: "I agree" });
    const isBoxFirst = async () => ((await box.boundingBox())?.x ?? 0) < ((await text.boundingBox())?.x ?? 0);
    expect(await isBoxFirst()).toBe(true);
    await page.evaluate("document.documentElement.dir = 'rtl'");
    expect([await isBoxFirst(), await overflows(page)]).toEqual([false, false]);
    await close();
  });

  it("follow a stamp, and the end of the card", async () => {
    const { acme, join } = await openShop();
    const { page, close } = await visit(browser);
    await page.goto(join);
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel(/I agree/).check();
    await page.getByRole("button").click();
    await page.getByText("0 of 12 stamps").waitFor();
    const pass = await acme.passes.lookup(page.url().split("/").at(-1) ?? "");
    await acme.stamps.add(pass.id, { count: 12 });
    await page.getByText("1 reward is waiting for you").waitFor();
    await acme.passes.delete(pass.id);
    await page.getByText("There is no such card").waitFor();
    await close();
  });
});
