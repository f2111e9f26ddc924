import { join } from "node:path";
import { expect, it } from "vitest";
import { createEmptyFolder, startServer } from "../cli/command.js";
import { openBrowserBefore } from "./camera.js";
import { readQr } from "./read-qr.js";
import { fillKey, openBrowser, visit } from "./shop.js";

const browser = await openBrowser();

it("the demo server leads from its printed address to a new card, a sign-up, a stamp and a tagged segment", async () => {
  const server = await startServer(["--demo", "--database", join(createEmptyFolder(), "loyalty.db")]);
  const [token = ""] = await server.waitForOutput(/lk_\w+/);
  const staff = await visit(browser, { viewport: { width: 1_280, height: 900 } });
  const { page } = staff;
  const navigation = page.getByRole("navigation", { name: "Console" });

  // The printed address leads to the sign-in page, and from there to a shop with data.
  await page.goto(server.url);
  await fillKey(page, token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Stamps given" }).waitFor();
  const readStampTotal = () =>
    page.getByRole("region", { name: "Stamps given" }).locator(".total").textContent();
  const before = Number.parseInt((await readStampTotal())?.replaceAll(",", "") ?? "", 10);
  expect(before).toBeGreaterThan(500);

  // Create a card and open its poster.
  await navigation.getByRole("link", { name: "Cards" }).click();
  await page.getByRole("button", { name: "New card" }).click();
  await page.getByLabel("Card name").fill("Bagel card");
  await page.getByLabel("Stamps until the reward").fill("4");
  await page.getByRole("button", { name: "Create card" }).click();
  const bagel = page.getByRole("listitem").filter({ hasText: "Bagel card" });
  await bagel.getByRole("link", { name: "Poster" }).click();
  await page.getByText("Scan to get your card").waitFor();
  const poster = await readQr(page, /QR code for/);
  expect(poster).toMatch(/\/j\/[0-9A-Za-z]{21}$/);

  // A customer scans the poster with a phone and gets the card.
  const customer = await visit(browser, { viewport: { width: 390, height: 844 }, locale: "de-DE" });
  await customer.page.goto(poster);
  await customer.page.getByText("Weitere Angaben").click();
  await customer.page.getByLabel("Name").fill("Bea Bagel");
  await customer.page.getByLabel("E-Mail oder Telefonnummer").fill("bea@example.com");
  await customer.page.getByRole("button", { name: "Karte holen" }).click();
  await customer.page.getByText("0 von 4 Stempeln").waitFor();
  const code = await readQr(customer.page, /QR-Code/);

  // The camera of the till reads the code and adds a stamp; the card page updates itself.
  const till = await visit(await openBrowserBefore(code), {
    viewport: { width: 390, height: 844 },
    permissions: ["camera"],
  });
  await till.page.goto(`${server.url}/console/till`);
  await fillKey(till.page, token);
  await till.page.getByRole("button", { name: "Sign in" }).click();
  await till.page.getByRole("button", { name: "Scan with the camera" }).click();
  await till.page.getByText("Bea Bagel").waitFor();
  await till.page.getByRole("button", { name: "Add 1 stamp" }).click();
  await till.page.getByRole("status").filter({ hasText: "+1 stamp" }).waitFor();
  await customer.page.getByText("1 von 4 Stempeln").waitFor();

  await navigation.getByRole("link", { name: "Overview" }).click();
  await expect.poll(readStampTotal).toContain((before + 1).toLocaleString("en"));

  // Create a segment of customers with a tag, and give all of them another tag.
  await navigation.getByRole("link", { name: "Customers" }).click();
  await page.getByLabel("Search customers").fill("bea@");
  await page.getByRole("link", { name: "Bea Bagel" }).click();
  await page.getByLabel("Tag to add").fill("Bagel lovers");
  await page.getByRole("button", { name: "Add tag" }).click();
  const tags = page.getByRole("region", { name: "Tags" });
  await tags.getByRole("listitem").filter({ hasText: "Bagel lovers" }).waitFor();
  await navigation.getByRole("link", { name: "Segments" }).click();
  await page.getByRole("link", { name: "New segment" }).first().click();
  await page.getByRole("button", { name: "Add condition" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Tag" }).click();
  await page.getByRole("group", { name: "Tag" }).getByRole("combobox").selectOption("Bagel lovers");
  await page.getByText("bea@example.com").waitFor();
  await page.getByRole("button", { name: "Tag all" }).click();
  await page.getByRole("dialog").getByLabel("Tag").fill("Invited");
  await page.getByRole("dialog").getByRole("button", { name: "Tag 1 customer" }).click();
  await page.getByText("1 customer tagged “Invited”").waitFor();

  expect([staff, customer, till].flatMap(({ complaints }) => complaints)).toEqual([]);
  await Promise.all([staff, customer, till].map(({ close }) => close()));
});
