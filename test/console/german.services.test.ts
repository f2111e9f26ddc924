import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { consents } from "../../adapters/apps/console/browser/words/de/consents.js";
import { customer } from "../../adapters/apps/console/browser/words/de/customer.js";
import { customers } from "../../adapters/apps/console/browser/words/de/customers.js";
import { tags } from "../../adapters/apps/console/browser/words/de/tags.js";
import { till } from "../../adapters/apps/console/browser/words/de/till.js";
import { everything, exporting } from "../../adapters/apps/console/browser/words/de/transfer.js";
import { listTexts } from "./console-words.js";
import { type EveryScreen, fillEveryScreen } from "./every-screen.js";
import { isOverflowing, openBrowser, openShop, showInTheme, visit } from "./shop.js";

/** Timeout in milliseconds for visiting all screens, one after the other, on a busy machine. */
const LONG = 240_000;

/** Timeout for a single screen on a busy machine. */
const LATE = { timeout: 20_000 };

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);
let screens: EveryScreen["screens"];

beforeAll(async () => {
  ({ screens } = await fillEveryScreen(shop));
});

/** English texts that are long enough to be recognized on a German page. */
const german = listTexts("de");
const english = [...listTexts("en")].filter((text) => !german.has(text) && /\p{L}{3}/u.test(text));
const single = new Set(english.filter((text) => !text.includes(" ")));
const several = english.filter((text) => text.includes(" ") && text.length > 6);

/**
 * Reads all visible and spoken text of a page, except for code, the API reference, and cards and mails in their own
 * language.
 */
const readScript = `(() => {
  const isLeftOut = (element) => element.closest("code, pre, script, style, .reference section, .wallet-card *, .mail-page *") !== null;
  const texts = [document.title];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (!isLeftOut(walker.currentNode.parentElement)) texts.push(walker.currentNode.data);
  for (const element of document.querySelectorAll("[aria-label], [placeholder], [title], [alt], option[label]")) {
    if (isLeftOut(element)) continue;
    for (const name of ["aria-label", "placeholder", "title", "alt"]) texts.push(element.getAttribute(name) ?? "");
  }
  return texts.map((text) => text.trim().replace(/\\s+/g, " ")).filter((text) => text !== "");
})()`;

async function findEnglishTexts(page: Page): Promise<string[]> {
  const texts: unknown = await page.evaluate(readScript);
  if (!Array.isArray(texts)) throw new Error("the page could not be read");
  return texts.map(String).filter((text) => single.has(text) || several.some((each) => text.includes(each)));
}

/** Opens the console as a browser in Austria does. */
async function visitInGerman(width: number) {
  const browserVisit = await visit(browser, { locale: "de-AT", viewport: { width, height: 800 } });
  const { page } = browserVisit;
  await page.goto(`${shop.url}/console`);
  await page.getByLabel("API-Token").fill(shop.token);
  await page.getByRole("button", { name: "Anmelden" }).click();
  await page.getByRole("navigation", { name: "Konsole" }).waitFor({ state: "attached" });
  return browserVisit;
}

/** Waits until a screen has loaded. */
async function openScreen(page: Page, path: string): Promise<void> {
  await page.goto(shop.url + path, { waitUntil: "networkidle" });
  await page.locator("main h1, main video").first().waitFor({ state: "attached" });
  await expect.poll(() => page.locator(".skeleton").count(), LATE).toBe(0);
}

describe("the console in a browser that prefers German", () => {
  it("has enough texts that differ from the English ones to compare", () => {
    expect(single.size).toBeGreaterThan(50);
    expect(several.length).toBeGreaterThan(200);
  });

  it(
    "shows every screen entirely in German, without overflow, at 360, 390 and 1,440 pixels",
    async () => {
      const { page, complaints, close } = await visitInGerman(1_440);
      for (const [path] of screens) {
        await openScreen(page, path);
        for (const width of [360, 390, 1_440]) {
          const at = `${path} at ${width} pixels`;
          await showInTheme(page, "light", width);
          await expect.poll(async () => [at, await findEnglishTexts(page)], LATE).toEqual([at, []]);
          await expect.poll(async () => [at, await isOverflowing(page)], LATE).toEqual([at, false]);
        }
        await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("de");
      }
      expect(complaints).toEqual([]);
      await close();
    },
    LONG,
  );

  it(
    "shows its dialogs in German, without overflow",
    async () => {
      const { page, complaints, close } = await visitInGerman(360);
      const findPath = (part: RegExp) => screens.find(([each]) => part.test(each))?.[0] ?? "";
      const customerPath = findPath(/customers\/./);
      for (const [path, button] of [
        ["/console/customers", customers.add],
        ["/console/customers", customers.import],
        ["/console/customers", customers.export],
        ["/console/customers", customers.columns.title],
        [customerPath, customer.edit],
        [customerPath, consents.noteConsent],
        [customerPath, consents.noteRefusal],
        [customerPath, consents.changeLanguage],
        ["/console/tags", tags.add],
        ["/console/till", till.settings],
      ] as const) {
        await openScreen(page, path);
        // On a phone, the actions for the whole list are in a menu.
        if (path === "/console/customers")
          await page.getByRole("button", { name: customers.moreOfList, exact: true }).click();
        await page.getByRole("button", { name: button, exact: true }).first().click();
        await page.getByRole("dialog").waitFor();
        await expect.poll(async () => [button, await findEnglishTexts(page)], LATE).toEqual([button, []]);
        await expect.poll(async () => [button, await isOverflowing(page)], LATE).toEqual([button, false]);
      }
      expect(complaints).toEqual([]);
      await close();
    },
    LONG,
  );

  it("gives German names to the files that it downloads", async () => {
    const { page, close } = await visitInGerman(1_440);
    const downloadName = async (button: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: button, exact: true }).last().click(),
      ]);
      return download.suggestedFilename();
    };
    await openScreen(page, "/console/customers");
    await page.getByRole("button", { name: customers.export, exact: true }).click();
    await page.getByRole("dialog", { name: exporting.title }).waitFor();
    const customersFile = await downloadName(exporting.verb);
    expect(customersFile).toBe("kunden.csv");
    await openScreen(page, "/console/settings/shop");
    const everythingFile = await downloadName(everything.verb);
    expect(everythingFile).toMatch(/^alles-\d{4}-\d\d-\d\d\.zip$/);
    await close();
  });

  it("stays in German at the till while offline", async () => {
    const { page, context, close } = await visitInGerman(390);
    await openScreen(page, "/console/till");
    await expect
      .poll(() => page.evaluate("navigator.serviceWorker.ready.then(({ active }) => active.scriptURL)"), LATE)
      .toContain("language=de");
    await expect.poll(() => page.evaluate(`navigator.serviceWorker.controller !== null`), LATE).toBe(true);
    await context.setOffline(true);
    await page.reload();
    await page.getByText(till.scan).waitFor();
    await close();
  });

  it("is in English instead if the browser prefers a language that isn't supported", async () => {
    const { page, close } = await visit(browser, { locale: "fr-FR" });
    await page.goto(`${shop.url}/console`);
    await page.getByLabel("API token").waitFor();
    await expect.poll(() => page.locator("html").getAttribute("lang")).toBe("en");
    await close();
  });
});
