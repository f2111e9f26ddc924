import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findViolations, isOverflowing, openBrowser, openShop, visitSignedIn } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

beforeAll(async () => {
  for (const name of ["Anna Able", "Anton Baker", "Carl Cook"])
    await shop.acme.users.create({ email: `${name.split(" ")[0]}@example.com`, name });
});

const at = async (path: string) => {
  const visit = await visitSignedIn(browser, shop, path);
  await visit.page.waitForLoadState("networkidle");
  return visit;
};

const readActive = (page: Page) =>
  page.evaluate(`document.getElementById(
    document.querySelector("[role=combobox]")?.getAttribute("aria-activedescendant") ?? "")?.textContent`);

describe("the palette", () => {
  it("finds customers, screens and actions with only the keyboard, and returns the focus", async () => {
    const { page, complaints, close } = await at("/console/segments");
    const link = page.getByRole("link", { name: "Cards" });
    await link.focus();
    await page.keyboard.press("Control+k");
    const field = page.getByRole("combobox", { name: "Search customers, screens, and actions" });
    await field.waitFor();
    await expect.poll(() => field.evaluate((input) => input.matches(":focus"))).toBe(true);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "detached" });
    await expect.poll(() => link.evaluate((element) => element.matches(":focus"))).toBe(true);

    await page.keyboard.press("Control+k");
    await page.keyboard.type("an");
    await page.getByRole("option", { name: /Anton Baker/ }).waitFor();
    await expect.poll(() => page.getByRole("option", { name: /Carl/ }).count()).toBe(0);
    const first = await readActive(page);
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => readActive(page)).toMatch(/^An/);
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => readActive(page)).toBe(first);
    await field.fill("anna a");
    await expect.poll(() => readActive(page)).toBe("Anna AbleAnna@example.com");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Anna Able" }).waitFor();

    await page.keyboard.press("Control+k");
    await page.keyboard.type("points");
    await expect.poll(() => readActive(page)).toBe("Cards");
    await field.fill("webhooks");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "New endpoint" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("add customer");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Add customer" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("never shows customers for an earlier search text", async () => {
    const { page, close } = await at("/console/cards");
    await page.keyboard.press("Control+k");
    let answerFirst = () => {};
    await page.route(/contacts\?.*search=anna&/, async (route) => {
      await new Promise<void>((resolve) => {
        answerFirst = resolve;
      });
      await route.continue().catch(() => {});
    });
    const field = page.getByRole("combobox");
    await field.fill("anna");
    await page.getByText("Searching…").waitFor();
    await field.fill("carl");
    await page.getByRole("option", { name: /Carl Cook/ }).waitFor();
    answerFirst();
    await page.waitForLoadState("networkidle");
    await expect
      .poll(() => page.getByRole("option").allTextContents())
      .toEqual(["Carl CookCarl@example.com"]);
    await close();
  });

  it("opens with Ctrl+K, also from fields; “/” and “?” are text in fields and at the till, and dialogs get all keys", async () => {
    const { page, complaints, close } = await at("/console/customers");
    await page.keyboard.press("/");
    const search = page.getByLabel("Search customers", { exact: true });
    await expect.poll(() => search.evaluate((input) => input.matches(":focus"))).toBe(true);
    await page.keyboard.type("/?");
    await expect.poll(() => search.inputValue()).toBe("/?");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search" });
    await palette.waitFor();
    await page.keyboard.press("Escape");
    await palette.waitFor({ state: "detached" });
    await expect.poll(() => search.evaluate((input) => input.matches(":focus"))).toBe(true);
    await expect.poll(() => search.inputValue()).toBe("/?");
    await page.getByRole("heading", { name: "Customers", exact: true }).click();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Control+k");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(1);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.goto(`${shop.url}/console/cards`);
    await page.getByRole("heading", { name: "Cards" }).first().waitFor();
    await page.keyboard.press("/");
    await page.getByRole("combobox").waitFor();
    await page.goto(`${shop.url}/console/till`);
    await page.getByText("Scan a card.").waitFor();
    await page.getByText("Scan a card.").click();
    await page.keyboard.press("?");
    await page.keyboard.press("/");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.keyboard.press("Control+k");
    await palette.waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("receives all text that is typed right after its shortcut, even if the page is busy", async () => {
    const { page, close } = await at("/console/customers");
    await page.evaluate(`for (const [key, ctrlKey] of [["k", true], ["c"], ["a"], ["r"]]) setTimeout(() => {
      const target = document.activeElement;
      target.dispatchEvent(new KeyboardEvent("keydown", { key, ctrlKey, bubbles: true, cancelable: true }));
      if (!ctrlKey) document.execCommand("insertText", false, key);
    })`);
    await page.getByRole("option", { name: /Carl Cook/ }).waitFor();
    await expect.poll(() => page.getByLabel(/^Search customers, screens/).inputValue()).toBe("car");
    await close();
  });

  it("opens with a button at every width, without axe violations or overflow", async () => {
    const { page, complaints, close } = await at("/console/customers");
    for (const [width, colorScheme] of [
      [390, "dark"],
      [768, "light"],
      [1_440, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      await page.emulateMedia({ colorScheme });
      await page.getByRole("button", { name: /^Search/ }).click();
      await page.getByRole("dialog").getByRole("combobox").fill("a");
      await page.getByRole("option", { name: /Anna/ }).waitFor();
      await expect
        .poll(async () => [width, await findViolations(page), await isOverflowing(page)])
        .toEqual([width, [], false]);
      await page.getByRole("button", { name: "Close" }).click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
    expect(complaints).toEqual([]);
    await close();
  });
});
