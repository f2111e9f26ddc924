import { describe, expect, it } from "vitest";
import { findViolations, isOverflowing, openBrowser, openShop, showInTheme, signIn, visit } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

describe("the cards screen", () => {
  it("previews a card while it is created, and shows errors in the form, which keeps the input", async () => {
    const { page, complaints, close } = await visit(browser);
    await signIn(page, shop, "/console/cards");
    await page.getByRole("button", { name: "New card" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Card name").fill("Bagels");
    await dialog.getByLabel("Stamps until the reward").fill("7");
    await dialog.getByRole("img", { name: "Bagels. 4 of 7 stamps" }).waitFor();
    await dialog.getByLabel("Stamps until the reward").fill("101");
    await dialog.getByRole("button", { name: "Create card" }).click();
    await dialog.getByRole("alert").waitFor();
    await expect.poll(() => dialog.getByLabel("Card name").inputValue()).toBe("Bagels");
    await dialog.getByLabel("Stamps until the reward").fill("7");
    await dialog.getByLabel("Reward for a full card").fill("A bagel with cheese");
    await dialog.getByRole("img", { name: /4 of 7 stamps.*A bagel with cheese/ }).waitFor();
    await dialog.getByRole("button", { name: "Create card" }).click();
    await page.getByText("“Bagels” was saved").waitFor();
    await expect
      .poll(() => shop.acme.templates.list())
      .toMatchObject([{ name: "Bagels", maxStamps: 7, reward: "A bagel with cheese" }]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("asks before it discards the input for a new card", async () => {
    const { page, complaints, close } = await visit(browser, { viewport: { width: 360, height: 740 } });
    await signIn(page, shop, "/console/cards");
    const newCard = page.getByRole("button", { name: "New card" });
    await newCard.click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Card name").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await newCard.click();
    await dialog.getByLabel("Card name").fill("Bread");
    await page.setViewportSize({ width: 390, height: 600 });
    await page.keyboard.press("Escape");
    const question = dialog.getByText("Your changes haven’t been saved.");
    await expect
      .poll(async () => {
        const { y = -1, height = 0 } = (await question.boundingBox()) ?? {};
        return y >= 0 && y + height <= 600;
      })
      .toBe(true);
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    await dialog.getByRole("button", { name: "Stay" }).click();
    await dialog.getByRole("button", { name: "Create card" }).waitFor();
    await page.setViewportSize({ width: 1280, height: 720 });
    // Browsers don't let a page keep its dialog open on the second of two key presses.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await expect.poll(() => dialog.getByLabel("Card name").inputValue()).toBe("Bread");
    await dialog.getByRole("button", { name: "Stay" }).click();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByRole("button", { name: "Leave without saving" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await close();
  });

  it("asks a new shop for its name and a color, and offers card designs for its trade", async () => {
    const fresh = await openShop();
    const { page, complaints, close } = await visit(browser, { timezoneId: "Europe/Berlin" });
    await signIn(page, fresh, "/console/cards");
    await page.getByRole("button", { name: "New card" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/Times will follow this device’s time zone, Europe\/Berlin\.$/).waitFor();
    await dialog.getByLabel("Your shop").fill("Café Ada");
    await dialog.getByLabel("Card name").fill("Coffee card");
    await expect
      .poll(() => dialog.getByRole("group", { name: "Design" }).getByRole("radio").count())
      .toBe(11);
    await dialog.getByLabel("Café", { exact: true }).check();
    await dialog.getByRole("img", { name: /5 of 10 stamps.*A coffee of your choice/ }).waitFor();
    for (const width of [390, 768, 1440])
      for (const theme of ["light", "dark"] as const) {
        await showInTheme(page, theme, width);
        await expect
          .poll(async () => [await findViolations(page), await isOverflowing(page)])
          .toEqual([[], false]);
      }
    await dialog.getByLabel("Color", { exact: true }).fill("#0b4f8a");
    await dialog.getByRole("button", { name: "Create card" }).click();
    await page.getByText("“Coffee card” was saved").waitFor();
    const [card] = await fresh.acme.templates.list();
    expect(card).toMatchObject({
      reward: "A coffee of your choice",
      design: {
        backgroundColor: "#0B4F8A",
        foregroundColor: "#FFFFFF",
        strip: expect.stringMatching(/^[0-9a-f]{64}$/),
        stamps: { shape: "CUP" },
        texts: [{ language: "en", stampsLabel: "Coffees" }],
      },
    });
    await expect
      .poll(() => fresh.acme.settings.get())
      .toMatchObject({ name: "Café Ada", timeZone: "Europe/Berlin" });
    // The name appears above the navigation immediately, and isn't asked for again.
    await expect.poll(() => page.locator(".shop-name").first().innerText()).toBe("Café Ada");
    await page.getByRole("button", { name: "New card" }).click();
    await dialog.getByLabel("Card name").waitFor();
    await expect.poll(() => dialog.getByLabel("Your shop").count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("sets the shop's name only once the card is saved", async () => {
    const fresh = await openShop();
    const { page, complaints, close } = await visit(browser);
    await signIn(page, fresh, "/console/cards");
    await page.getByRole("button", { name: "New card" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Your shop").fill("Café Ada");
    await dialog.getByLabel("Card name").fill("   ");
    await dialog.getByRole("button", { name: "Create card" }).click();
    await dialog.getByRole("alert").waitFor();
    await expect.poll(() => fresh.acme.settings.get()).toMatchObject({ name: null });
    await dialog.getByLabel("Card name").fill("Coffee card");
    await dialog.getByRole("button", { name: "Create card" }).click();
    await page.getByText("“Coffee card” was saved").waitFor();
    await expect.poll(() => fresh.acme.settings.get()).toMatchObject({ name: "Café Ada" });
    await expect.poll(() => fresh.acme.templates.list()).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it("doesn't delete a card that a customer has", async () => {
    const card = await shop.acme.templates.create({ name: "Kept", type: "LOYALTY_CARD" });
    await shop.acme.passes.create(card.id, { user: { email: "ada@example.com" } });
    const { page, close } = await visit(browser);
    await signIn(page, shop, "/console/cards");
    const line = page.getByRole("listitem").filter({ hasText: "Kept" });
    await line.getByRole("button", { name: "More for Kept" }).click();
    await line.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete Kept" }).click();
    await page.getByText("Customers have this card, so it can’t be deleted.").waitFor();
    await close();
  });

  it("prints a poster without the console around it", async () => {
    const local = await openShop({ shortLinkBase: "http://127.0.0.1:3000/c" });
    const card = await local.acme.templates.create({
      name: "Printed",
      type: "STAMP_CARD",
      maxStamps: 9,
      reward: "A tea",
    });
    const { page, close } = await visit(browser);
    await signIn(page, local, `/console/cards/${card.id}/poster`);
    await page.getByText("Scan to get your card").waitFor();
    const warning = page.getByRole("alert").filter({ hasText: "phones can’t open its link" });
    await expect.poll(() => warning.isVisible()).toBe(true);
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => warning.isVisible()).toBe(false);
    await expect.poll(() => page.getByRole("navigation").isVisible()).toBe(false);
    await expect.poll(() => page.getByText("Collect 9 stamps and get:").isVisible()).toBe(true);
    await close();
  });

  it("shows customer numbers for the first eight cards, and for others on demand, by three requests per card", async () => {
    const busy = await openShop();
    for (let at = 0; at < 10; at += 1)
      await busy.acme.templates.create({ name: `Card ${at}`, type: "STAMP_CARD", maxStamps: 5 });
    const [first] = await busy.acme.templates.list();
    const pass = await busy.acme.passes.create(first?.id ?? "", { user: { email: "ada@example.com" } });
    await busy.acme.stamps.add(pass.id, { count: 6 });
    const { page, complaints, close } = await visit(browser);
    const requestedUrls: string[] = [];
    page.on(
      "request",
      (request) => void (request.url().includes("/segments/query") && requestedUrls.push(request.url())),
    );
    await signIn(page, busy, "/console/cards");
    const tile = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Card 0" }) });
    for (const text of ["1 customer with this card", "1 stamped this week", "1 with a reward waiting"])
      await tile.getByRole("link", { name: text }).waitFor();
    await expect.poll(() => requestedUrls.length).toBe(24);
    const last = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Card 9" }) });
    await last.getByRole("button", { name: "Show numbers" }).click();
    await last.getByRole("link", { name: "0 customers with this card" }).waitFor();
    expect(requestedUrls).toHaveLength(27);
    await tile.getByRole("link", { name: "1 with a reward waiting" }).click();
    await page.getByText("ada@example.com").first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });
});
