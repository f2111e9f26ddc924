import { expect, it } from "vitest";
import { openBrowser, openShop, signIn, visit } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

it.each([
  { screen: "cards", button: "New card", list: "templates", none: "No cards yet" },
  { screen: "tags", button: "New tag", list: "user-tags", none: "No tags yet" },
])(
  "a dialog opened before the list has loaded stays open when the list turns out to be empty: $screen",
  async (dialogCase) => {
    const { screen, button, list, none } = dialogCase;
    const { page, complaints, close } = await visit(browser);
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(`**/console/api/v1/${list}`, async (route) => {
      await isAnswered;
      await route.continue();
    });
    await signIn(page, shop, `/console/${screen}`);
    await page.getByRole("button", { name: button }).click();
    const name = page.getByRole("dialog").getByLabel("Name");
    await name.fill("Bagels");
    answer();
    await page.getByText(none).waitFor();
    await expect.poll(() => name.inputValue()).toBe("Bagels");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Leave without saving" }).click();
    await name.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await close();
  },
);

it("the page behind a dialog doesn't scroll until the dialog is closed", async () => {
  const { page, complaints, close } = await visit(browser);
  await signIn(page, shop, "/console/settings/shop");
  await page.setViewportSize({ width: 390, height: 500 });
  const scrollBy = async (distance: number) => {
    await page.mouse.wheel(0, distance);
    await page.waitForTimeout(200);
    return Number(await page.evaluate("scrollY"));
  };
  await page.mouse.move(195, 60);
  await expect.poll(() => scrollBy(40)).toBeGreaterThan(0);
  await page.evaluate("scrollTo(0, 0)");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").waitFor();
  await expect.poll(() => page.evaluate("document.activeElement.role")).toBe("combobox");
  await page.waitForTimeout(200);
  await page.mouse.move(195, 20);
  await expect.poll(() => scrollBy(40)).toBe(0);
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await expect.poll(() => scrollBy(40)).toBeGreaterThan(0);
  expect(complaints).toEqual([]);
  await close();
});
