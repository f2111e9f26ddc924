import { describe, expect, it } from "vitest";
import { openBrowser, openShop, signIn, visit } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

describe("the cards screen", () => {
  it("shows a card while it is made, and tells at the field what is wrong with it", async () => {
    const { page, complaints, close } = await visit(browser);
    await signIn(page, shop, "/console/cards");
    await page.getByRole("button", { name: "New card" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Bagels");
    await dialog.getByLabel("Stamps until the reward").fill("7");
    await dialog.getByRole("img", { name: "Bagels. 4 of 7 stamps" }).waitFor();
    await dialog.getByLabel("Stamps until the reward").fill("101");
    await dialog.getByRole("button", { name: "Make card" }).click();
    await dialog.getByRole("alert").waitFor();
    await expect.poll(() => dialog.getByLabel("Name").inputValue()).toBe("Bagels");
    await dialog.getByLabel("Stamps until the reward").fill("7");
    await dialog.getByLabel("What a full card earns").fill("A bagel with cheese");
    await dialog.getByRole("img", { name: /4 of 7 stamps.*A bagel with cheese/ }).waitFor();
    await dialog.getByRole("button", { name: "Make card" }).click();
    await page.getByText("“Bagels” was saved").waitFor();
    await expect
      .poll(() => shop.acme.templates.list())
      .toMatchObject([{ name: "Bagels", maxStamps: 7, reward: "A bagel with cheese" }]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("deletes no card that a customer has", async () => {
    const card = await shop.acme.templates.create({ name: "Kept", type: "LOYALTY_CARD" });
    await shop.acme.passes.create(card.id, { user: { email: "ada@example.com" } });
    const { page, close } = await visit(browser);
    await signIn(page, shop, "/console/cards");
    const kept = page.getByRole("listitem").filter({ hasText: "Kept" });
    await kept.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete Kept" }).click();
    await page.getByText("Customers have this card, so it can’t be deleted.").waitFor();
    await close();
  });

  it("prints a poster without what stands around it", async () => {
    const card = await shop.acme.templates.create({
      name: "Printed",
      type: "STAMP_CARD",
      maxStamps: 9,
      reward: "A tea",
    });
    const { page, close } = await visit(browser);
    await signIn(page, shop, `/console/cards/${card.id}/poster`);
    await page.getByText("Scan me to get your card").waitFor();
    const warning = page.getByRole("alert").filter({ hasText: "customers’ phones find nothing there" });
    await expect.poll(() => warning.isVisible()).toBe(true);
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => warning.isVisible()).toBe(false);
    await expect.poll(() => page.getByRole("navigation").isVisible()).toBe(false);
    await expect.poll(() => page.getByText("9 stamps: A tea").isVisible()).toBe(true);
    const pdf = await page.pdf({ format: "A4" });
    expect(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
    await close();
  });
});
