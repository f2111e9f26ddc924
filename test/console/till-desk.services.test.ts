import { beforeAll, describe, expect, it } from "vitest";
import { findViolations, isOverflowing, openBrowser, openShop, showInTheme } from "./shop.js";
import { visitTill } from "./till-scene.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);
let templateId = "";
beforeAll(async () => {
  templateId = (await shop.acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 4 })).id;
});

const createCard = async (name: string) => {
  const user = { name, email: `${crypto.randomUUID()}@example.com` };
  return shop.acme.passes.create(templateId, { user });
};

const desk = { viewport: { width: 1_440, height: 800 } };

describe("the till on a desktop screen", () => {
  it("keeps its text field focused, and shows the day's totals beside recent customers with undo", async () => {
    const { page, complaints, scanCodes, pressButton, waitForName, waitForStatus, close } = await visitTill(
      browser,
      shop,
      {},
      desk,
    );
    const [ada, bo] = [await createCard("Ada"), await createCard("Bo")];
    const field = page.getByLabel("Code, name, phone, or email");
    const readFocus = () => page.evaluate("document.activeElement?.getAttribute('aria-label') ?? null");
    const assertReady = () => expect.poll(readFocus).toBe("Code, name, phone, or email");
    const readDay = async () =>
      (
        await page.getByRole("region", { name: "Today at this till" }).locator(".big-number").allInnerTexts()
      ).map((text) => text.split("\n").toSorted().join(" "));
    const recent = page.getByRole("region", { name: "Recent customers" });
    await recent.getByText("The customers you serve appear here").waitFor();
    await page.getByRole("button", { name: "Till settings" }).getByText("Till settings").waitFor();
    await assertReady();
    await expect.poll(readDay).toEqual(["0 stamps given", "0 rewards handed out"]);

    await scanCodes(ada.qrCodeValue);
    await waitForName("Ada");
    await page.getByRole("button", { name: "Add one" }).click();
    await pressButton("Add 2 stamps");
    await waitForStatus("+2 stamps");
    await recent.getByText(/^Ada \+2 stamps/).waitFor();
    await assertReady();
    // A scanner types into the focused field.
    await scanCodes(bo.qrCodeValue);
    await waitForName("Bo");
    await pressButton("Add 1 stamp");
    await waitForStatus("+1 stamp");
    await expect.poll(readDay).toEqual(["3 stamps given", "0 rewards handed out"]);
    await expect.poll(() => field.inputValue()).toBe("");
    await recent.getByText(/^Ada \+2 stamps \d+:\d+/).waitFor();

    await recent.getByRole("button", { name: "Undo +2 stamps for Ada" }).click();
    await recent.getByText("2 stamps undone").waitFor();
    await expect.poll(readDay).toEqual(["1 stamp given", "0 rewards handed out"]);
    await expect.poll(async () => (await shop.acme.stamps.state(ada.id)).currentStamps).toBe(0);
    await assertReady();

    await pressButton("Till settings");
    await pressButton("Done");
    await assertReady();
    await page.reload();
    await expect.poll(readDay).toEqual(["1 stamp given", "0 rewards handed out"]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows a card in its own colors, light and dark", async () => {
    const design = { backgroundColor: "#3B2417", foregroundColor: "#FFF6EA" };
    const brown = { name: "Brown", type: "STAMP_CARD", maxStamps: 4, design } as const;
    const { id } = await shop.acme.templates.create(brown);
    const { qrCodeValue } = await shop.acme.passes.create(id, {
      user: { name: "Eve", email: "eve@example.com" },
    });
    const { page, scanCodes, waitForName, close } = await visitTill(browser, shop, {}, desk);
    await scanCodes(qrCodeValue);
    await waitForName("Eve");
    await page.locator(".stamp-card").waitFor();
    for (const theme of ["light", "dark"] as const) {
      await showInTheme(page, theme, 1_440);
      await expect
        .poll(() =>
          page.evaluate(
            "[getComputedStyle(document.querySelector('.stamp-card'))].map((style) => [style.backgroundColor, style.color])[0]",
          ),
        )
        .toEqual(["rgb(59, 36, 23)", "rgb(255, 246, 234)"]);
    }
    await close();
  });

  it("resets the day's numbers after midnight", async () => {
    const { page, scanCodes, pressButton, waitForStatus, close } = await visitTill(browser, shop, {}, desk);
    await page.clock.install({ time: new Date("2026-11-23T12:00:00") });
    await page.reload();
    const today = page.getByRole("region", { name: "Today at this till" });
    await scanCodes((await createCard("Cy")).qrCodeValue);
    await pressButton("Add 1 stamp");
    await waitForStatus("+1 stamp");
    await today.getByText("stamp given", { exact: true }).waitFor();
    await page.clock.setFixedTime(new Date("2026-11-24T08:00:00"));
    await page.reload();
    await today.getByText("stamps given").waitFor();
    await close();
  });

  it("has no axe violations or overflow, with a card and without", async () => {
    const { page, complaints, scanCodes, pressButton, waitForStatus, close } = await visitTill(
      browser,
      shop,
      {},
      desk,
    );
    const assertSound = async () => {
      for (const [colorScheme, width] of [
        ["light", 1_440],
        ["dark", 1_024],
      ] as const) {
        await showInTheme(page, colorScheme, width);
        await expect
          .poll(async () => [width, await findViolations(page), await isOverflowing(page)])
          .toEqual([width, [], false]);
      }
    };
    await assertSound();
    await scanCodes((await createCard("Dan")).qrCodeValue);
    await pressButton("Add 1 stamp");
    await waitForStatus("+1 stamp");
    await assertSound();
    await pressButton("Next customer");
    await page.getByText("Scan a card.").waitFor();
    await assertSound();
    expect(complaints).toEqual([]);
    await close();
  });
});
