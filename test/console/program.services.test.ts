import type { CreateTemplate } from "loyalty-kit";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findViolations, isOverflowing, openBrowser, openShop, showInTheme, signIn, visit } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);
await shop.acme.settings.update({ currency: "EUR" });

type TemplateInput = Partial<Pick<CreateTemplate, "earning" | "points">>;

const loyaltyCard = { name: "Club", type: "LOYALTY_CARD" } as const;
const stampCard = { name: "Coffee", type: "STAMP_CARD", maxStamps: 10 } as const;

/** Opens the section about points for purchases, for a new card. */
async function openProgram(
  card: typeof loyaltyCard | typeof stampCard,
  program: TemplateInput = {},
  look: Parameters<typeof visit>[1] = {},
) {
  const { id } = await shop.acme.templates.create({ ...card, ...program });
  const browserVisit = await visit(browser, { locale: "en-US", ...look });
  const { page } = browserVisit;
  const path = `/console/cards/${id}/design#purchases`;
  if (look.locale?.startsWith("de")) await signInInGerman(page, path);
  else await signIn(page, shop, path);
  const section = page.locator("#purchases");
  await section.waitFor();
  const readTemplate = () => shop.acme.templates.get(id);
  const save = async () => {
    const saved = page.getByText("Saved. The changes apply to new purchases.");
    await saved.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await saved.waitFor();
  };
  return { ...browserVisit, id, section, readTemplate, save };
}

async function signInInGerman(page: Page, path: string): Promise<void> {
  await page.goto(`${shop.url}/console`);
  await page.getByLabel("API-Token").fill(shop.token);
  await page.getByRole("button", { name: "Anmelden" }).click();
  await page.getByRole("navigation", { name: "Konsole" }).waitFor({ state: "attached" });
  await page.goto(shop.url + path);
}

const readExample = (section: Locator) =>
  section.getByRole("region", { name: "Example" }).getByRole("status").textContent();

/** Returns the error message of a field, or an empty string. */
async function readFieldError(page: Page, field: Locator): Promise<string> {
  const about = (await field.getAttribute("aria-describedby")) ?? "";
  const error = about.split(" ").find((id) => id.endsWith("-error"));
  return error === undefined ? "" : ((await page.locator(`[id="${error}"]`).textContent()) ?? "");
}

describe("a card's points for purchases", () => {
  it("are set up without instructions, shown in an example, and saved as shown", async () => {
    const { page, complaints, section, readTemplate, save, close } = await openProgram(loyaltyCard);
    await section.getByText("This card doesn’t collect points.").waitFor();
    await section.getByRole("button", { name: "Give 1 point for every €1.00" }).click();
    await expect.poll(() => readExample(section)).toBe("A purchase of €12.50 on a Monday gives 12 points.");
    await page.getByRole("region", { name: "In Apple Wallet" }).getByText("120 points").waitFor();

    await section.getByRole("button", { name: "Add bonus" }).click();
    await expect.poll(() => readExample(section)).toBe("A purchase of €12.50 on a Monday gives 25 points.");
    await section.getByRole("button", { name: "Tuesday" }).click();
    await expect.poll(() => readExample(section)).toBe("A purchase of €12.50 on a Tuesday gives 25 points.");
    await section.getByLabel("Weekday", { exact: true }).selectOption("Wednesday");
    await expect
      .poll(() => readExample(section))
      .toBe("A purchase of €12.50 on a Wednesday gives 12 points.");

    await section.getByLabel("Gift cards").check();
    await section.getByLabel("What is bought").selectOption("Gift cards");
    await expect
      .poll(() => readExample(section))
      .toBe("A purchase of €12.50 on a Wednesday gives 12 points.");
    await section.getByLabel("Gift cards").uncheck();
    await expect.poll(() => readExample(section)).toBe("A purchase of €12.50 on a Wednesday gives 0 points.");
    await section.getByLabel("Amount of the example").fill("200");
    await section.getByLabel("What is bought").selectOption("Goods");
    await expect
      .poll(() => readExample(section))
      .toBe("A purchase of €200.00 on a Wednesday gives 200 points.");

    await save();
    const { earning, points, design } = await readTemplate();
    expect({ earning, points, design }).toEqual({
      earning: {
        currency: "EUR",
        rules: [{ give: 1, per: { amount: 100 }, minAmount: 0 }],
        combine: "sum",
        bonuses: [{ percent: 200, weekdays: [2] }],
        counts: { kinds: ["goods"], tax: true, paidWithPoints: false },
        limits: {},
        onReturn: "debt",
      },
      points: { unit: null, pendingDays: 0, expiry: null, graceDays: 0 },
      design: null,
    });
    await page.reload();
    await expect
      .poll(() => section.getByRole("button", { name: "Tuesday" }).getAttribute("aria-pressed"))
      .toBe("true");
    await expect.poll(() => readExample(section)).toBe("A purchase of €12.50 on a Tuesday gives 25 points.");
    expect(complaints).toEqual([]);
    await close();
  });

  it("can have rules for some products, with hours, limits, a unit name and an expiry", async () => {
    const { page, complaints, section, readTemplate, save, close } = await openProgram(loyaltyCard);
    await section.getByRole("button", { name: "Give 1 point for every €1.00" }).click();
    await section.getByLabel("Number of points").fill("5");
    await section.getByLabel("For what").selectOption("for every item");
    await section.getByText("Only some products, minimum amount").click();
    await section.getByLabel("Limit to some products").selectOption("Only these categories");
    const categories = section.getByRole("textbox", { name: "Only these categories" });
    await categories.fill("coffee");
    await categories.press("Enter");
    await categories.fill("tea");
    await section.getByLabel("Only if it comes to at least").fill("2.5");
    await section.getByText("coffee", { exact: true }).waitFor();
    await section.getByText("tea", { exact: true }).waitFor();
    await section.getByLabel("Number of items").fill("3");
    await expect.poll(() => readExample(section)).toBe("A purchase of €12.50 on a Monday gives 15 points.");

    await section.getByRole("button", { name: "Add rule" }).click();
    await section.getByLabel("Amount", { exact: true }).fill("10");
    await section.getByLabel("If several rules apply").selectOption("Use the rule that gives most");
    await section.getByRole("button", { name: "Add bonus" }).click();
    await section.getByLabel("Size of the bonus").selectOption("Other");
    await section.getByLabel("Percentage").fill("120");
    await section.getByText("Only some products, hours, dates").click();
    await section.getByLabel("From this time").fill("14:00");
    await section.getByLabel("Until this time").fill("17:00");
    await expect
      .poll(() => readExample(section))
      .toBe("A purchase of €12.50 on a Monday at 14:00 gives 18 points.");
    await section.getByText("More", { exact: true }).first().click();
    await section.getByLabel("At most per purchase").fill("16");
    await expect
      .poll(() => readExample(section))
      .toBe(
        "A purchase of €12.50 on a Monday at 14:00 gives 16 points. More isn’t possible because of the limit.",
      );
    await section.getByLabel("Tax counts").uncheck();
    await section.getByText("The example’s amount is without tax.").waitFor();
    await section.getByLabel("If goods come back").selectOption("The customer keeps them");
    await section.getByLabel("What points are called").fill("beans");
    await page.getByRole("region", { name: "In Google Wallet" }).getByText("120 beans").waitFor();
    await section.getByLabel("Points expire").selectOption("After some months, at the end of the month");
    await section.getByText("More", { exact: true }).last().click();
    await section.getByLabel("Days until new points can be used").fill("14");
    await save();
    const { earning, points } = await readTemplate();
    expect({ earning, points }).toEqual({
      earning: {
        currency: "EUR",
        rules: [
          { give: 5, per: "item", only: { categories: ["coffee", "tea"] }, minAmount: 250 },
          { give: 1, per: { amount: 1_000 }, minAmount: 0 },
        ],
        combine: "best",
        bonuses: [{ percent: 120, between: { from: "14:00", to: "17:00" } }],
        counts: { kinds: ["goods"], tax: false, paidWithPoints: false },
        limits: { perPurchase: 16 },
        onReturn: "forgive",
      },
      points: { unit: "beans", pendingDays: 14, expiry: { months: 12, to: "month" }, graceDays: 0 },
    });

    await section.getByRole("button", { name: "Remove tea" }).click();
    await section.getByRole("button", { name: "Remove rule 2" }).click();
    await section.getByRole("button", { name: "Remove bonus 1" }).click();
    await save();
    await expect
      .poll(async () => (await readTemplate()).earning)
      .toMatchObject({
        rules: [{ give: 5, per: "item", only: { categories: ["coffee"] }, minAmount: 250 }],
        combine: "best",
        bonuses: [],
        limits: { perPurchase: 16 },
      });
    await page.getByRole("status").getByRole("button", { name: "Undo" }).last().click();
    await expect
      .poll(async () => (await readTemplate()).earning?.rules.map(({ only }) => only?.categories))
      .toEqual([["coffee", "tea"], undefined]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("show errors at their fields, including the server's, and keep the input", async () => {
    const { page, section, readTemplate, save, close } = await openProgram(loyaltyCard);
    await section.getByRole("button", { name: "Give 1 point for every €1.00" }).click();
    const [give, amount] = [
      section.getByLabel("Number of points"),
      section.getByLabel("Amount", { exact: true }),
    ];
    await amount.fill("1,000");
    await section.getByText("Fill in all fields to see how much a purchase gives.").waitFor();
    const saveButton = page.getByRole("button", { name: "Save", exact: true });
    await saveButton.click();
    await expect.poll(() => readFieldError(page, amount)).toBe("Amount: must be an amount, such as 12.50");
    await expect.poll(() => amount.evaluate("document.activeElement?.value")).toBe("1,000");
    await amount.fill("1000");
    await give.fill("1000001");
    await section.getByRole("button", { name: "Add bonus" }).click();
    await section.getByText("Only some products, hours, dates").click();
    await section.getByLabel("From this time").fill("14:00");
    await section.getByText("Only some products, hours, dates").click();
    await saveButton.click();
    await expect.poll(() => readFieldError(page, give)).toBe("Number of points: must be at most 1000000");
    await expect
      .poll(() => readFieldError(page, section.getByLabel("Until this time")))
      .toBe("must be a time of day such as 14:00");
    // The section with the wrong field is unfolded.
    await expect.poll(() => section.getByLabel("Until this time").isVisible()).toBe(true);
    await expect.poll(async () => (await readTemplate()).earning).toBeNull();
    await give.fill("0");
    await section.getByLabel("From this time").fill("");
    await section.getByText("More", { exact: true }).last().click();
    const pendingDays = section.getByLabel("Days until new points can be used");
    await pendingDays.fill("366");
    await section.getByText("More", { exact: true }).last().click();
    await saveButton.click();
    await expect.poll(() => readFieldError(page, give)).toBe("Number of points: must be at least 1");
    await expect.poll(() => readFieldError(page, pendingDays)).toBe("must be at most 365");
    await expect.poll(() => pendingDays.isVisible()).toBe(true);
    await pendingDays.fill("0");
    await give.fill("7");
    await save();
    await expect
      .poll(async () => (await readTemplate()).earning)
      .toMatchObject({ rules: [{ give: 7, per: { amount: 100_000 } }], bonuses: [{ percent: 200 }] });
    await close();
  });

  it("are turned off after confirmation, and only when saved", async () => {
    const earning = { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] } as const;
    const program = { earning: { ...earning, rules: [...earning.rules] }, points: {} };
    const { page, complaints, section, readTemplate, save, close } = await openProgram(loyaltyCard, program);
    const stop = section.getByRole("button", { name: "Stop giving points for purchases" });
    await stop.click();
    const question = page.getByRole("dialog", { name: "Stop giving points for purchases?" });
    await question.getByText("Cards keep what they have.").waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    await question.getByRole("button", { name: "Keep" }).click();
    await stop.click();
    await question.getByRole("button", { name: "Turn off" }).click();
    await section.getByText("Purchases don’t give points.").waitFor();
    await expect.poll(async () => (await readTemplate()).earning).not.toBeNull();
    await save();
    await expect.poll(readTemplate).toMatchObject({ earning: null, points: { unit: null, graceDays: 0 } });
    await section.getByRole("button", { name: "Remove points" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove points" }).click();
    await section.getByText("This card doesn’t collect points.").waitFor();
    await save();
    await expect.poll(readTemplate).toMatchObject({ earning: null, points: null });
    await page.getByRole("status").getByRole("button", { name: "Undo" }).last().click();
    await expect.poll(readTemplate).toMatchObject({ earning: null, points: { unit: null } });
    expect(complaints).toEqual([]);
    await close();
  });

  it("are stamps on a stamp card, without the fields that only points have", async () => {
    const { page, complaints, section, readTemplate, save, close } = await openProgram(stampCard);
    await section.getByRole("button", { name: "Give 1 stamp for every purchase" }).click();
    await expect.poll(() => readExample(section)).toBe("A purchase of €12.50 on a Monday gives 1 stamp.");
    await section.getByLabel("Currency").selectOption("JPY");
    await expect.poll(() => readExample(section)).toBe("A purchase of ¥1,250 on a Monday gives 1 stamp.");
    await section.getByText("More", { exact: true }).click();
    await section.getByLabel("At most per purchase").waitFor();
    for (const label of ["If goods come back", "What points are called"])
      await expect.poll(() => section.getByLabel(label).count()).toBe(0);
    await save();
    await expect.poll(readTemplate).toMatchObject({
      earning: { currency: "JPY", rules: [{ give: 1, per: "purchase", minAmount: 0 }] },
      points: null,
      design: null,
    });

    await page.getByLabel("Stamp shape").selectOption("STAR");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Design saved.").waitFor();
    await expect
      .poll(readTemplate)
      .toMatchObject({ earning: { currency: "JPY" }, design: { stamps: { shape: "STAR" } } });
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(["en-US", "de-AT"])("are accessible and fit on every screen in %s", async (locale) => {
    const program: TemplateInput = {
      earning: {
        currency: "EUR",
        rules: [
          { give: 1, per: { amount: 100 } },
          { give: 5, per: "item", only: { categories: ["coffee"], notSkus: ["<b>X</b>"] }, minAmount: 1_000 },
        ],
        bonuses: [
          { percent: 200, weekdays: [2] },
          { percent: 175, between: { from: "14:00", to: "17:00" }, from: "2026-12-01", to: "2026-12-24" },
        ],
        counts: { tax: false },
        limits: { perDay: 100 },
      },
      points: { unit: "beans", pendingDays: 3, expiry: { days: 90 } },
    };
    const { page, complaints, close } = await openProgram(loyaltyCard, program, { locale });
    for (const theme of ["light", "dark"] as const) {
      for (const width of [390, 768, 1_440]) {
        await showInTheme(page, theme, width);
        await expect
          .poll(async () => [theme, width, await findViolations(page), await isOverflowing(page)])
          .toEqual([theme, width, [], false]);
      }
    }
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("the list of cards", () => {
  it("shows an example of a card's points, and links to the points for purchases", async () => {
    const { page, section, id, close } = await openProgram(loyaltyCard, { points: { unit: "stars" } });
    await page.goto(`${shop.url}/console/cards`);
    const item = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("img", { name: "Club. 120 stars" }) });
    await item.getByRole("button", { name: "More for Club" }).click();
    await page.getByRole("button", { name: "Points for purchases" }).click();
    await section.getByText("Purchases don’t give points.").waitFor();
    await expect.poll(async () => ((await section.boundingBox())?.y ?? 1_000) < 400).toBe(true);
    await expect.poll(() => page.url()).toContain(id);
    await close();
  });
});
