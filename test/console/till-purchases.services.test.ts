import type { BrowserContextOptions, Page, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findViolations, isOverflowing, openBrowser, openShop, showInTheme, signIn, visit } from "./shop.js";
import { scanTexts, visitTill } from "./till-scene.js";

const shop = await openShop();
const browser = await openBrowser();

const { id: clubId } = await shop.acme.templates.create({
  name: "Club",
  type: "LOYALTY_CARD",
  points: {},
  earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] },
});
const { id: coffeeId } = await shop.acme.templates.create({
  name: "Coffee",
  type: "STAMP_CARD",
  maxStamps: 5,
});

/** Blocks the till's service worker, so that its requests pass the routes of a page. */
const noWorker = { serviceWorkers: "block" } as const;

/** The queue is retried some seconds after a failure. */
const later = { timeout: 20_000 };

/** Pause before a scan, in milliseconds. A person takes longer from the last digit to the scanner. */
const SCAN_PAUSE_MS = 100;

/** Creates a customer with a card. */
async function createCard(name: string, templateId = clubId) {
  const user = { name, email: `${crypto.randomUUID()}@example.com` };
  const { id, userId, qrCodeValue: code } = await shop.acme.passes.create(templateId, { user });
  return { id, userId, code };
}

async function listPurchases(userId: string) {
  return (await shop.acme.purchases.list({ userId })).content;
}

async function countPoints(passId: string): Promise<number> {
  return (await shop.acme.points.state(passId)).available;
}

/** Opens a till that asks for an amount for a card. */
async function visitPad(code: string, options: BrowserContextOptions = {}, choices = {}) {
  const till = await visitTill(browser, shop, choices, options);
  const { page } = till;
  await till.scanCodes(code);
  const field = page.getByLabel(/^Amount in/);
  await field.waitFor();
  const pressKeys = async (...keys: string[]) => {
    for (const key of keys) await till.pressButton(key);
  };
  const waitForPreview = (text: string) => page.locator("output").getByText(text, { exact: true }).waitFor();
  return { ...till, field, pressKeys, waitForPreview };
}

/** Drops a route's responses after the requests have reached the server. */
async function loseResponses(page: Page, url: string, times: number): Promise<void> {
  const loseResponse = async (route: Route) => {
    await route.fetch();
    await route.abort();
  };
  await page.route(url, loseResponse, { times });
}

describe("an amount at the till", () => {
  it("is typed on large keys, shows what it gives before it is booked, and is undone with one press", async () => {
    const { id, userId, code } = await createCard("Ada");
    await shop.acme.points.add(id, { points: 328 });
    const { page, pressKeys, pressButton, waitForPreview, waitForStatus, complaints, close } =
      await visitPad(code);
    await waitForPreview("Type the amount");
    await pressKeys("1", "2", "9", "Delete the last digit", "5", "0");
    await waitForPreview("Gives 12 points");
    await expect.poll(() => listPurchases(userId)).toEqual([]);
    await pressButton("Book €12.50");
    await waitForStatus("12 points, now 340");
    await page.getByRole("region", { name: "Card" }).getByText("340 points").waitFor();
    const [purchase] = await listPurchases(userId);
    expect(purchase).toMatchObject({
      source: expect.stringMatching(/^till-[a-z0-9]{8}$/),
      receipt: expect.stringMatching(/^\d{8}-\d{6}-[a-z0-9]{6}$/),
      currency: "EUR",
      lines: [{ kind: "goods", amount: 1_250 }],
    });
    await expect
      .poll(() => page.evaluate(`localStorage.getItem("loyalty-till-source/console")`))
      .toBe(purchase?.source);
    await pressButton("Undo");
    await waitForStatus("€12.50 undone");
    await page.getByRole("region", { name: "Card" }).getByText("328 points").waitFor();
    await expect.poll(() => listPurchases(userId)).toMatchObject([{ total: 1_250, returnedTotal: 1_250 }]);
    // The returned purchase keeps its number, and the next one gets its own.
    await pressButton("Enter amount");
    await pressKeys("5", "00");
    await waitForPreview("Gives 5 points");
    await pressButton("Book €5.00");
    await waitForStatus("5 points, now 333");
    await expect
      .poll(async () => (await listPurchases(userId)).map(({ total }) => total).sort())
      .toEqual([1_250, 500]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("is typed on a keyboard, and a scan in the meantime opens the next card", async () => {
    const [bo, cy] = [await createCard("Bo"), await createCard("Cy")];
    const { page, field, scanCodes, waitForName, waitForPreview, waitForStatus, close } = await visitPad(
      bo.code,
    );
    await page.keyboard.type("7.5");
    await waitForPreview("Gives 7 points");
    await page.keyboard.press("Backspace");
    await page.keyboard.type("99");
    await expect.poll(() => field.inputValue()).toBe("€7.99");
    await page.waitForTimeout(SCAN_PAUSE_MS);
    // Codes have digits, too.
    await scanCodes(cy.code);
    await waitForName("Cy");
    await expect.poll(() => field.inputValue()).toBe("€0.00");
    await page.keyboard.press("Enter");
    await page.keyboard.type("2000");
    await waitForPreview("Gives 20 points");
    await page.waitForTimeout(SCAN_PAUSE_MS);
    // A product's barcode is not an amount.
    await scanTexts(page, "4006381333931");
    await page.getByText("No customer or card found").waitFor();
    await page.getByLabel("Code, name, phone, or email").fill("");
    await expect.poll(() => field.inputValue()).toBe("€20.00");
    await page.keyboard.press("Enter");
    await waitForStatus("20 points, now 20");
    await expect.poll(async () => [await countPoints(bo.id), await countPoints(cy.id)]).toEqual([0, 20]);
    // The next amount is for the next card.
    await scanCodes(bo.code);
    await waitForName("Bo");
    await page.keyboard.type("300");
    // For a moment after a result, presses are ignored.
    await expect.poll(() => page.getByRole("button", { name: "Book €3.00" }).isEnabled()).toBe(true);
    await page.keyboard.press("Enter");
    await waitForStatus("3 points, now 3");
    await close();
  });

  it("is skipped with one press, and the card gets stamps by hand as before", async () => {
    const { id: templateId } = await shop.acme.templates.create({
      name: "Tea",
      type: "STAMP_CARD",
      maxStamps: 10,
      earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 500 } }] },
    });
    const { id, code, userId } = await createCard("Dee", templateId);
    const { pressKeys, pressButton, waitForPreview, waitForStatus, close } = await visitPad(code);
    await pressKeys("9", "00");
    await waitForPreview("Gives 1 stamp");
    await pressButton("Skip");
    await pressButton("Add 1 stamp");
    await waitForStatus("+1 stamp");
    await expect.poll(() => listPurchases(userId)).toEqual([]);
    await pressButton("Enter amount");
    await pressKeys("1", "0", "00");
    await waitForPreview("Gives 2 stamps");
    await pressButton("Book €10.00");
    await waitForStatus("2 stamps");
    await waitForStatus("3 of 10");
    await expect.poll(async () => (await shop.acme.stamps.state(id)).currentStamps).toBe(3);
    await close();
  });

  it("counts for all cards of the customer, within what each may still get that day", async () => {
    const { id: goldId } = await shop.acme.templates.create({
      name: "Gold",
      type: "LOYALTY_CARD",
      points: { unit: "beans" },
      earning: { currency: "EUR", rules: [{ give: 2, per: { amount: 100 } }], limits: { perDay: 30 } },
    });
    const { id, userId, code } = await createCard("Eli", coffeeId);
    const club = await shop.acme.passes.create(clubId, { userId });
    const gold = await shop.acme.passes.create(goldId, { userId });
    const { pressKeys, pressButton, waitForPreview, waitForStatus, close } = await visitPad(code);
    await pressKeys("1", "0", "00");
    await waitForPreview("Gives up to 10 points on Club and 20 beans on Gold");
    await pressButton("Book €10.00");
    await waitForStatus("10 points on Club and 20 beans on Gold");
    await pressButton("Enter amount");
    await pressKeys("1", "0", "00");
    await pressButton("Book €10.00");
    await waitForStatus("10 points on Club and 10 beans on Gold (limit reached)");
    await expect.poll(async () => [await countPoints(club.id), await countPoints(gold.id)]).toEqual([20, 30]);
    await expect.poll(async () => (await shop.acme.stamps.state(id)).currentStamps).toBe(0);
    await close();
  });

  it("has the decimals of its currency", async () => {
    const { id: templateId } = await shop.acme.templates.create({
      name: "東京",
      type: "LOYALTY_CARD",
      points: {},
      earning: { currency: "JPY", rules: [{ give: 1, per: { amount: 100 } }] },
    });
    const { userId, code } = await createCard("Fumi", templateId);
    const { page, waitForPreview, waitForStatus, close } = await visitPad(code);
    await page.keyboard.type("1,250");
    await waitForPreview("Gives 12 points");
    await page.getByRole("button", { name: "Book ¥1,250" }).click();
    await waitForStatus("12 points, now 12");
    await expect.poll(() => listPurchases(userId)).toMatchObject([{ currency: "JPY", total: 1_250 }]);
    await close();
  });

  it("is asked for only if the card earns and the token may record purchases", async () => {
    const plain = await createCard("Gil", coffeeId);
    const { page, scanCodes, waitForName, close } = await visitTill(browser, shop);
    await scanCodes(plain.code);
    await waitForName("Gil");
    await page.getByRole("button", { name: "Add 1 stamp" }).waitFor();
    await expect.poll(() => page.getByLabel(/^Amount in/).count()).toBe(0);
    await close();
    const club = await createCard("Hue");
    const other = await visit(browser);
    const token = await shop.createToken("pass:read", "user:read", "purchase:read", "loyalty:manage");
    await signIn(other.page, shop, "/console/till", token);
    await other.page.getByLabel("Code, name, phone, or email").waitFor();
    await scanTexts(other.page, club.code);
    await other.page.locator(".till-name").getByText("Hue").waitFor();
    await expect.poll(() => other.page.getByLabel(/^Amount in/).count()).toBe(0);
    await other.close();
  });

  it("holds the queue if every scan is a stamp, until it is booked or skipped", async () => {
    const { id: templateId } = await shop.acme.templates.create({
      name: "Soup",
      type: "STAMP_CARD",
      maxStamps: 10,
      earning: { currency: "EUR", rules: [{ give: 1, per: "purchase" }] },
    });
    const [ida, jon] = [await createCard("Ida", templateId), await createCard("Jon", templateId)];
    const kai = await createCard("Kai", coffeeId);
    const { page, scanCodes, pressKeys, waitForName, pressButton, waitForStatus, close } = await visitPad(
      ida.code,
      {},
      { isEveryScanAStamp: true },
    );
    await scanCodes(jon.code, kai.code);
    await page.getByText("2 cards waiting").waitFor();
    await pressKeys("1", "00");
    await pressButton("Book €1.00");
    await waitForName("Jon");
    await pressButton("Skip");
    await waitForName("Kai");
    await waitForStatus("+1 stamp");
    for (const { id } of [ida, jon, kai])
      await expect.poll(async () => (await shop.acme.stamps.state(id)).totalStampsCollected).toBe(1);
    await expect.poll(() => listPurchases(jon.userId)).toEqual([]);
    await close();
  });

  it("is booked at the server's time if the device's clock is ahead", async () => {
    const { userId, code } = await createCard("Kim");
    const { page, pressKeys, pressButton, waitForStatus, close } = await visitPad(code);
    await page.evaluate("{ const { now } = Date; Date.now = () => now() + 3_600_000; }");
    await pressKeys("2", "00");
    await pressButton("Book €2.00");
    await waitForStatus("2 points, now 2");
    const [purchase] = await listPurchases(userId);
    expect(Math.abs(Date.parse(purchase?.at ?? "") - Date.now())).toBeLessThan(300_000);
    await close();
  });

  it("shows why the server refuses it, and can be corrected", async () => {
    const { id, userId, code } = await createCard("Leo");
    const { page, pressKeys, pressButton, waitForStatus, close } = await visitPad(code, noWorker);
    await page.route(
      "**/v1/purchases/**",
      (route) => route.fulfill({ status: 409, json: { code: "purchase_conflict", params: null } }),
      { times: 1 },
    );
    await pressKeys("2", "00");
    await pressButton("Book €2.00");
    await page.getByRole("alert").waitFor();
    await pressButton("Book €2.00");
    await waitForStatus("2 points, now 2");
    await expect
      .poll(async () => [(await listPurchases(userId)).length, await countPoints(id)])
      .toEqual([1, 2]);
    await close();
  });
});

describe("a purchase at a till that loses its connection", () => {
  it("is booked once, whatever is lost on the way", async () => {
    const { id, userId, code } = await createCard("Mia");
    const { page, pressKeys, pressButton, waitForStatus, close } = await visitPad(code, noWorker);
    await loseResponses(page, "**/v1/purchases/**", 2);
    await pressKeys("8", "00");
    await pressButton("Book €8.00");
    await waitForStatus("Saved: €8.00");
    await expect.poll(() => page.getByText("waiting for a connection").count(), later).toBe(0);
    await expect
      .poll(async () => [(await listPurchases(userId)).length, await countPoints(id)])
      .toEqual([1, 8]);
    await close();
  });

  it("is returned if it is undone before it is known whether it arrived", async () => {
    const { id, userId, code } = await createCard("Ned");
    const { page, pressKeys, pressButton, waitForStatus, close } = await visitPad(code, noWorker);
    await loseResponses(page, "**/v1/purchases/**", 1);
    await pressKeys("8", "00");
    await pressButton("Book €8.00");
    await waitForStatus("Saved: €8.00");
    await pressButton("Undo");
    await waitForStatus("€8.00 undone");
    await expect.poll(() => page.getByText("waiting for a connection").count(), later).toBe(0);
    await expect.poll(() => listPurchases(userId)).toMatchObject([{ total: 800, returnedTotal: 800 }]);
    await expect.poll(() => countPoints(id)).toBe(0);
    await close();
  });

  it("is booked once if the page is reloaded before the response", async () => {
    const { id, userId, code } = await createCard("Ola");
    const { page, pressKeys, pressButton, close } = await visitPad(code, noWorker);
    let isReached = false;
    await page.route(
      "**/v1/purchases/**",
      async (route) => {
        await route.fetch();
        isReached = true;
      },
      { times: 1 },
    );
    await pressKeys("6", "00");
    await pressButton("Book €6.00");
    await expect.poll(() => isReached).toBe(true);
    await page.reload();
    await page.getByLabel("Code, name, phone, or email").waitFor();
    await expect.poll(() => page.getByText("waiting for a connection").count(), later).toBe(0);
    await expect
      .poll(async () => [(await listPurchases(userId)).length, await countPoints(id)])
      .toEqual([1, 6]);
    await close();
  });

  it("is stored on the device with its time and number, and is booked once by two pages that reconnect", async () => {
    const { id, userId, code } = await createCard("Pia");
    const { page, context, scanCodes, pressButton, waitForStatus, close } = await visitTill(browser, shop);
    await page.evaluate("navigator.serviceWorker.ready.then(() => null)");
    await expect
      .poll(() =>
        page.evaluate("Object.keys(localStorage).some((key) => key.startsWith('loyalty-till-programs'))"),
      )
      .toBe(true);
    await context.setOffline(true);
    await scanCodes(code);
    await page.getByLabel("Amount in EUR").waitFor();
    await page.keyboard.type("400");
    await page
      .locator("output")
      .getByText(/^Gives up to 4 points on Club/)
      .waitFor();
    const bookedAt = Date.now();
    await pressButton("Book €4.00");
    await waitForStatus("Saved: €4.00");
    await pressButton("Undo");
    await waitForStatus("€4.00 undone");
    await pressButton("Enter amount");
    await page.keyboard.type("500");
    await page.keyboard.press("Enter");
    await waitForStatus("Saved: €5.00");
    await page.getByText("1 purchase waiting for a connection").waitFor();
    await page.reload();
    await page.getByText("1 purchase waiting for a connection").waitFor();
    const other = await context.newPage();
    await other.goto(`${shop.url}/console/till`);
    await other.getByText("1 purchase waiting for a connection").waitFor();
    await context.setOffline(false);
    for (const each of [page, other])
      await expect.poll(() => each.getByText("waiting for a connection").count(), later).toBe(0);
    const purchases = await listPurchases(userId);
    expect(purchases).toMatchObject([{ total: 500, returnedTotal: 0 }]);
    expect(Math.abs(Date.parse(purchases[0]?.at ?? "") - bookedAt)).toBeLessThan(60_000);
    await expect.poll(() => countPoints(id)).toBe(5);
    await close();
  });

  it("is shown with the reason if the server refuses it later", async () => {
    const { page, context, scanCodes, pressButton, waitForStatus, close } = await visitTill(browser, shop);
    await page.evaluate("navigator.serviceWorker.ready.then(() => null)");
    await expect
      .poll(() =>
        page.evaluate("Object.keys(localStorage).some((key) => key.startsWith('loyalty-till-programs'))"),
      )
      .toBe(true);
    await context.setOffline(true);
    await scanCodes("neverGiven12");
    await page.getByLabel("Amount in EUR").waitFor();
    await page.keyboard.type("400");
    await page.keyboard.press("Enter");
    await waitForStatus("Saved: €4.00");
    await context.setOffline(false);
    await page.getByText("Purchase of €4.00 · neverGiven12").waitFor(later);
    await page.getByText("No card has this code.").waitFor();
    await pressButton("Dismiss");
    await page.getByText("Not accepted").waitFor({ state: "detached" });
    await close();
  });
});

describe("the amount keypad", () => {
  it("has large keys that are in view on a phone, and no axe violations", async () => {
    const { code } = await createCard("Maximiliane Freifrau von Hohenlohe-Waldenburg-Schillingsfürst");
    const { page, pressKeys, close } = await visitPad(code);
    await pressKeys("1", "2", "5", "0");
    for (const [width, height] of [
      [360, 640],
      [390, 700],
      [1_280, 800],
    ] as const) {
      for (const colorScheme of ["light", "dark"] as const) {
        await showInTheme(page, colorScheme, width);
        await page.setViewportSize({ width, height });
        await page.mouse.move(0, 0);
        const outOfReach = await page.evaluate(`(() => {
          const nav = document.querySelector(".side").getBoundingClientRect();
          const bottom = nav.top > 0 ? nav.top : innerHeight;
          return [...document.querySelectorAll(".till-pad button, .till-pad input, .till-actions button, .till-name")]
            .filter((each) => {
              const box = each.getBoundingClientRect();
              const isSmall = !each.matches(".till-name") && Math.min(box.width, box.height) < 44;
              return isSmall || box.top < 0 || box.bottom > bottom;
            })
            .map(({ textContent }) => textContent);
        })()`);
        const found = [outOfReach, await findViolations(page), await isOverflowing(page)];
        expect([width, colorScheme, ...found]).toEqual([width, colorScheme, [], [], false]);
      }
    }
    await close();
  });
});
