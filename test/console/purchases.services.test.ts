import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { openBrowser, openShop, signIn, visit, visitSignedIn } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

const DAY_MS = 86_400_000;
const LATE = { timeout: 20_000 };

interface Customer {
  readonly userId: string;
  readonly passId: string;
}

let templateId = "";

/** Creates a customer with a card that collects points. */
async function createCustomer(name: string): Promise<Customer> {
  const email = `${name.toLowerCase()}@example.com`;
  const { id, userId } = await shop.acme.passes.create(templateId, { user: { email, name } });
  return { userId, passId: id };
}

const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();

beforeAll(async () => {
  await shop.acme.settings.update({ timeZone: "Pacific/Auckland" });
  const template = await shop.acme.templates.create({
    name: "Club card",
    type: "LOYALTY_CARD",
    earning: {
      currency: "EUR",
      rules: [{ give: 1, per: { amount: 100 } }],
      bonuses: [{ percent: 200, only: { categories: ["coffee"] } }],
    },
    points: { pendingDays: 2, expiry: { months: 12, to: "month" } },
  });
  templateId = template.id;
});

/** Reads the dates and times of the listed purchases. */
const readTimes = (page: Page) =>
  page.getByRole("list", { name: "Purchases" }).locator("time").allInnerTexts();

describe("the list of purchases", () => {
  let ada: Customer;

  beforeAll(async () => {
    const { purchases } = shop.acme;
    ada = await createCustomer("Ada");
    const lines = [{ amount: 1_250 }];
    // In Auckland it is already the next day.
    await purchases.put("till-7", "1", {
      userId: ada.userId,
      currency: "EUR",
      at: "2026-07-01T20:00:00Z",
      lines,
    });
    await purchases.put("web", "2", { currency: "JPY", at: "2026-07-03T00:00:00Z", lines });
    for (let at = 1; at <= 26; at += 1) {
      await purchases.put("kiosk", `${at}`, { currency: "EUR", at: "2026-06-01T00:00:00Z", lines });
    }
  });

  it("shows the newest first, with amounts in their currency, the shop's time, and what each purchase gave", async () => {
    const { page, complaints, close } = await visitSignedIn(browser, shop, "/console");
    await page.getByRole("link", { name: "Purchases" }).first().click();
    const list = page.getByRole("list", { name: "Purchases" });
    const items = list.getByRole("listitem");
    await expect.poll(() => items.count(), LATE).toBe(25);
    await expect.poll(() => items.nth(0).innerText()).toContain("¥1,250");
    await expect.poll(() => items.nth(0).innerText()).toContain("No customer");
    const bought = items.nth(1);
    await expect.poll(() => bought.innerText()).toContain("€12.50");
    await bought.getByText("+12 points").waitFor();
    await bought.getByRole("link", { name: "Ada" }).waitFor();
    await expect
      .poll(async () => (await readTimes(page)).slice(0, 2))
      .toEqual([
        expect.stringMatching(/^Jul 3, 2026, 12:00\sPM$/),
        expect.stringMatching(/^Jul 2, 2026, 8:00\sAM$/),
      ]);
    await page.getByRole("button", { name: "Older purchases" }).click();
    await page.getByText("26–28 of 28").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("is filtered by customer, source, and days of the shop, and the filters are in the URL", async () => {
    const { page, complaints, close } = await visitSignedIn(browser, shop, "/console/purchases");
    const items = page.getByRole("list", { name: "Purchases" }).getByRole("listitem");
    await page.getByRole("button", { name: "Choose a customer" }).click();
    await page.getByRole("searchbox", { name: "Find a customer" }).fill("ada");
    await page.getByRole("button", { name: /ada@example.com/ }).click();
    await expect.poll(() => items.count(), LATE).toBe(1);
    await expect.poll(() => page.url()).toContain(`userId=${ada.userId}`);
    await page.getByRole("button", { name: "Remove the filter for Ada" }).click();
    await page.getByLabel("Till or shop").fill("WEB");
    await expect.poll(() => items.count(), LATE).toBe(1);
    await page.getByText("¥1,250").waitFor();
    await page.getByLabel("Till or shop").fill("");
    await page.getByLabel("From").fill("2026-07-02");
    await expect.poll(() => items.count(), LATE).toBe(2);
    await page.getByLabel("To").fill("2026-07-02");
    await expect.poll(() => items.count(), LATE).toBe(1);
    await page.getByText("€12.50").waitFor();
    await page.reload();
    await expect.poll(() => items.count(), LATE).toBe(1);
    await page.getByLabel("Till or shop").fill("nowhere");
    await page.getByText("No matching purchases").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await expect.poll(() => items.count(), LATE).toBe(25);
    expect(complaints).toEqual([]);
    await close();
  });

  it("says where purchases come from if the shop has none", async () => {
    const empty = await openShop();
    const { page, close } = await visitSignedIn(browser, empty, "/console/purchases");
    await page.getByText("No purchases yet").waitFor();
    const setUp = page.getByRole("link", { name: "Set up points" });
    await expect.poll(() => setUp.getAttribute("href")).toBe("/console/cards");
    await page.getByText("as soon as your till or shop records them").waitFor();
    await close();
    await empty.close();
  });
});

describe("a purchase", () => {
  it("explains its points, with shipping, a bonus, and a return", async () => {
    const { acme } = shop;
    const { userId } = await createCustomer("Bob");
    await acme.purchases.put("till-7", "a/b #1", {
      userId,
      currency: "EUR",
      at: daysAgo(5),
      lines: [
        { amount: 1_000, name: "Cake" },
        { amount: 500, quantity: 2, name: "Espresso", category: "coffee" },
        { amount: 490, kind: "shipping" },
      ],
    });
    const { page, complaints, close } = await visitSignedIn(browser, shop, "/console/purchases");
    await page
      .getByRole("listitem")
      .filter({ hasText: "a/b #1" })
      .getByRole("link", { name: "€19.90" })
      .click();
    await page.getByRole("heading", { name: "Purchase for €19.90" }).waitFor();
    const result = page.getByRole("region", { name: "What it gave" });
    await result
      .getByText("20 points: €15.00 of goods, 1 point for every €1.00; shipping doesn’t count")
      .waitFor();
    await result.getByText("Bonus: €5.00 counted 2 times.").waitFor();

    await page.getByRole("button", { name: "Return goods…" }).click();
    const dialog = page.getByRole("dialog", { name: "Which goods came back?" });
    await dialog.getByLabel("Espresso").fill("3");
    await dialog.getByText("0 to 2").waitFor();
    await dialog.getByLabel("Espresso").fill("1");
    await dialog.getByRole("button", { name: "Return", exact: true }).click();
    await page.getByRole("status").getByText("Returned: −5 points").waitFor();
    await result.getByText("15 points: €12.50 of goods").waitFor();
    await result.getByText("5 points fewer, because €2.50 came back.").waitFor();
    await page.getByRole("region", { name: "Items" }).getByText("1 returned (€2.50)").waitFor();

    await page.getByRole("button", { name: "Return goods…" }).click();
    await dialog.getByLabel("Everything that is left").check();
    await dialog.getByRole("button", { name: "Return", exact: true }).click();
    await page.getByRole("status").getByText("Returned: −15 points").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Return goods…" }).count()).toBe(0);
    await expect
      .poll(() => acme.purchases.get("till-7", "a/b #1"))
      .toMatchObject({
        total: 1_990,
        returnedTotal: 1_990,
      });
    expect(complaints).toEqual([]);
    await close();
  });

  it("lets staff make its pending points usable, and then has no button for it", async () => {
    const { acme } = shop;
    const { userId, passId } = await createCustomer("Cleo");
    await acme.purchases.put("till-7", "pending", { userId, currency: "EUR", lines: [{ amount: 900 }] });
    await expect.poll(() => acme.points.state(passId)).toMatchObject({ available: 0, pending: 9 });
    const { page, complaints, close } = await visitSignedIn(
      browser,
      shop,
      "/console/purchases/till-7/pending",
    );
    const confirmButton = page.getByRole("button", { name: "Make pending points usable now" });
    await confirmButton.click();
    await page.getByRole("status").getByText("The points are usable now").waitFor();
    await expect.poll(() => confirmButton.count()).toBe(0);
    await expect.poll(() => acme.points.state(passId)).toMatchObject({ available: 9, pending: 0 });
    expect(complaints).toEqual([]);
    await close();
  });

  it("is not found with a wrong receipt", async () => {
    const { page, close } = await visitSignedIn(browser, shop, "/console/purchases/till-7/none");
    await page.getByText("Page not found").waitFor();
    await close();
  });
});

describe("a card with points", () => {
  it("shows its points, lets staff add, undo and spend some, and links to the reason in two clicks", async () => {
    const { acme } = shop;
    const { userId, passId } = await createCustomer("Dora");
    await acme.purchases.put("till-7", "reason", {
      userId,
      currency: "EUR",
      at: daysAgo(5),
      lines: [{ amount: 1_250 }],
    });
    const { page, complaints, close } = await visitSignedIn(browser, shop, `/console/customers/${userId}`);
    const card = page.getByRole("region", { name: "Club card" });
    await card.getByText(/^12 points usable until /).waitFor();
    const dialog = page.getByRole("dialog");
    await card.getByRole("button", { name: "Add points" }).click();
    await dialog.getByLabel("Points", { exact: true }).fill("20");
    await dialog.getByLabel("Note").fill("Sorry");
    await dialog.getByRole("button", { name: "Add points" }).click();
    await page.getByRole("status").getByText("20 points added").waitFor();
    await card.getByRole("button", { name: "Why 32 points?" }).click();
    const history = card.getByRole("region", { name: "Point history" });
    await history.getByText("“Sorry”").waitFor();
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await history.getByText("Change undone: −20 points").waitFor();
    await card.getByRole("button", { name: "Why 12 points?" }).waitFor();
    const openChange = async (name: string) => {
      await card.getByRole("button", { name: "More for “Club card”" }).click();
      await card.getByRole("button", { name }).click();
    };
    await openChange("Spend points…");
    await dialog.getByLabel("Points", { exact: true }).fill("2");
    await dialog.getByRole("button", { name: "Spend points" }).click();
    await history.getByText("2 points spent").waitFor();
    await expect.poll(() => acme.points.state(passId)).toMatchObject({ available: 10, spent: 2 });
    // The balance is too low.
    await openChange("Remove points…");
    await dialog.getByLabel("Points", { exact: true }).fill("11");
    await dialog.getByText("1 to 10", { exact: true }).waitFor();
    await expect
      .poll(() => dialog.getByRole("button", { name: "Remove points" }).getAttribute("aria-disabled"))
      .toBe("true");

    await page.reload();
    await card.getByRole("button", { name: "Why 10 points?" }).click();
    await history.getByRole("link", { name: "+12 points for a purchase" }).click();
    await page.getByText("12 points: €12.50 of goods, 1 point for every €1.00").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows its history page by page", async () => {
    const { acme } = shop;
    const { userId, passId } = await createCustomer("Eve");
    for (let points = 1; points <= 12; points += 1) await acme.points.add(passId, { points });
    const { page, close } = await visitSignedIn(browser, shop, `/console/customers/${userId}`);
    await page.getByRole("button", { name: "Why 78 points?" }).click();
    const history = page.getByRole("region", { name: "Point history" });
    await history.getByText("12 points added").waitFor();
    await history.getByRole("button", { name: "Older entries" }).click();
    await history.getByText("1 point added", { exact: true }).waitFor();
    await expect.poll(() => history.getByText("12 points added").count()).toBe(0);
    await close();
  });
});

describe("a customer's timeline", () => {
  let customer: Customer;

  beforeAll(async () => {
    const { acme } = shop;
    customer = await createCustomer("Finn");
    const { userId, passId } = customer;
    const put = (receipt: string, at: string, amount: number, currency = "EUR") =>
      acme.purchases.put("till-7", receipt, { userId, currency, at, lines: [{ amount }] });
    await put("finn-old", "2020-01-01T12:00:00Z", 1_000);
    await put("finn-dollars", daysAgo(9), 500, "USD");
    await put("finn-returned", daysAgo(8), 700);
    await acme.purchases.addReturn("till-7", "finn-returned", {
      returnId: "r",
      lines: [{ id: "0", amount: 300 }],
    });
    await put("finn-new", daysAgo(7), 1_250);
    await acme.points.add(passId, { points: 5 });
    await acme.points.remove(passId, { points: 1 });
  });

  it("describes purchases, returns, and expired points in sentences that link to the purchase", async () => {
    const { page, complaints, close } = await visitSignedIn(
      browser,
      shop,
      `/console/customers/${customer.userId}`,
    );
    const timeline = page.getByRole("region", { name: "Timeline" });
    for (const sentence of [
      "Bought for €12.50: +12 points",
      "Bought for $5.00",
      "Bought for €7.00, €3.00 returned: 4 points",
      "−3 points for returned goods",
      "10 points expired",
      "5 points added",
      "1 point removed",
    ]) {
      await timeline.getByText(sentence, { exact: true }).waitFor();
    }
    // The purchase says what it gave, so its ledger entry isn't listed as well.
    await expect.poll(() => timeline.getByText("+12 points for a purchase").count()).toBe(0);
    await timeline.getByRole("link", { name: "−3 points for returned goods" }).click();
    await page.getByText("3 points fewer, because €3.00 came back.").waitFor();
    await page.goBack();
    await timeline.getByRole("link", { name: "All purchases" }).click();
    await page.getByRole("button", { name: "Remove the filter for Finn" }).waitFor();
    await expect
      .poll(() => page.getByRole("list", { name: "Purchases" }).getByRole("listitem").count(), LATE)
      .toBe(4);
    expect(complaints).toEqual([]);
    await close();
  });

  it("has the same sentences in German", async () => {
    const { page, complaints, close } = await visit(browser, { locale: "de-DE" });
    await page.goto(`${shop.url}/console`);
    await page.getByLabel("API-Token").fill(shop.token);
    await page.getByRole("button", { name: "Anmelden" }).click();
    await page.getByRole("navigation", { name: "Konsole" }).waitFor();
    await page.goto(`${shop.url}/console/customers/${customer.userId}`);
    const timeline = page.getByRole("region", { name: "Verlauf", exact: true });
    for (const sentence of [
      /^Einkauf für 12,50\s€: \+12 Punkte$/,
      /^Einkauf für 7,00\s€, 3,00\s€ zurückgegeben: 4 Punkte$/,
      /^−3 Punkte für eine Rückgabe$/,
      /^10 Punkte verfallen$/,
    ]) {
      await timeline.getByText(sentence).waitFor();
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows no purchases to a token that may not read them", async () => {
    const token = await shop.createToken("user:read", "pass:read", "template:read");
    const { page, complaints, close } = await visit(browser);
    await signIn(page, shop, `/console/customers/${customer.userId}`, token);
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("+12 points for a purchase").waitFor();
    await page.getByRole("button", { name: "Why 20 points?" }).click();
    const history = page.getByRole("region", { name: "Point history" });
    await history.getByText("+12 points for a purchase").waitFor();
    await expect.poll(() => page.getByText(/Bought for/).count()).toBe(0);
    await expect.poll(() => page.locator("a[href*='/purchases']").count()).toBe(0);
    await expect.poll(() => page.getByRole("button", { name: "Add points" }).count()).toBe(0);
    for (const path of ["purchases", "purchases/till-7/finn-new"]) {
      await page.goto(`${shop.url}/console/${path}`);
      await page.getByText(/You don’t have permission to do this. It requires purchase:read/).waitFor();
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it("offers no return and no confirmation to a token that may only read purchases", async () => {
    const token = await shop.createToken("user:read", "pass:read", "template:read", "purchase:read");
    const { page, close } = await visit(browser);
    await signIn(page, shop, "/console/purchases/till-7/finn-new", token);
    await page.getByText("12 points: €12.50 of goods").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /Return goods|Make pending/ }).count()).toBe(0);
    await close();
  });
});
