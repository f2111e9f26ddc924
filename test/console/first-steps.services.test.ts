import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openMailShop } from "./mail-shop.js";
import { signInAs } from "./people-shop.js";
import { findViolations, openBrowser, openShop, showInTheme, signIn, typeKey, visit } from "./shop.js";

const browser = await openBrowser();

const findList = (page: Page) => page.getByRole("region", { name: "Set up your shop" });

/** Reads the steps of the list, each with whether it is checked off. */
const readSteps = async (page: Page) =>
  Object.fromEntries(
    (await findList(page).getByRole("listitem").allInnerTexts()).map((text) => {
      const [line = ""] = text
        .replace(/Done:\s+/, "✓")
        .trim()
        .split("\n");
      return [line.replace("✓", ""), line.startsWith("✓")];
    }),
  );

const untouched = {
  "Name your shop": false,
  "Design your card": false,
  "Print the poster": false,
  "Stamp yourself": false,
  "Invite your staff": false,
};

describe("the checklist of a new shop", () => {
  it("is checked off from existing data, and disappears once all steps are done", async () => {
    const shop = await openShop({ shortLinkBase: "http://127.0.0.1:3000/c" });
    const { page, complaints, close } = await visit(browser);
    await signIn(page, shop);
    await expect.poll(() => readSteps(page)).toEqual(untouched);
    await findList(page).getByText("0 of 5 done").waitFor();
    for (const theme of ["light", "dark"] as const)
      for (const width of [390, 768, 1440]) {
        await showInTheme(page, theme, width);
        await expect.poll(() => findViolations(page)).toEqual([]);
      }
    await shop.acme.settings.update({ name: "Café Ada" });
    const card = await shop.acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    await page.reload();
    await expect.poll(() => readSteps(page)).toEqual({ ...untouched, "Name your shop": true });
    await findList(page).getByRole("link", { name: "Design your card" }).click();
    await page.waitForURL(`${shop.url}/console/cards/${card.id}/design`);

    await shop.acme.templates.update(card.id, { design: { backgroundColor: "#14532D" } });
    await page.goto(`${shop.url}/console`);
    await findList(page).getByRole("link", { name: "Print the poster" }).click();
    await page.getByText("Don’t print this yet").waitFor();
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.goto(`${shop.url}/console`);
    await expect
      .poll(() => readSteps(page))
      .toEqual({ ...untouched, "Name your shop": true, "Design your card": true });

    // For all the page knows, phones can open this address.
    const reachable = { ...shop, url: shop.url.replace("127.0.0.1", "cafe.localhost") };
    await typeKey(page, reachable, `/console/cards/${card.id}/poster`);
    await page.getByRole("button", { name: "Print or save as PDF" }).waitFor();
    await expect.poll(() => page.getByText("Don’t print this yet").count()).toBe(0);
    for (const event of ["beforeprint", "afterprint"])
      await page.evaluate(`dispatchEvent(new Event("${event}"))`);
    await page.getByRole("button", { name: "Next: Stamp yourself" }).click();
    await page.waitForURL(`${reachable.url}/console/till`);
    await page.goto(`${reachable.url}/console`);
    await expect
      .poll(() => readSteps(page))
      .toEqual({ ...untouched, "Name your shop": true, "Design your card": true, "Print the poster": true });

    const pass = await shop.acme.passes.create(card.id, { user: { email: "ada@cafe.example" } });
    await shop.acme.stamps.add(pass.id);
    await page.reload();
    await findList(page).getByText("4 of 5 done").waitFor();
    await shop.acme.people.add({ email: "tim@cafe.example", role: "till" });
    await page.reload();
    await page.getByRole("region", { name: "From sign-up to reward" }).waitFor();
    await expect.poll(() => findList(page).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("counts the poster as printed on the server's own machine, if phones can open its link", async () => {
    const shop = await openShop();
    const card = await shop.acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    const { page, complaints, close } = await visit(browser);
    await signIn(page, shop, `/console/cards/${card.id}/poster`);
    await page.getByRole("button", { name: "Print or save as PDF" }).waitFor();
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    await page.goto(`${shop.url}/console`);
    await expect.poll(() => readSteps(page)).toEqual({ ...untouched, "Print the poster": true });
    expect(complaints).toEqual([]);
    await close();
  });

  it("offers the next step after one was saved", async () => {
    const shop = await openShop();
    const { page, complaints, close } = await visit(browser);
    await signIn(page, shop);
    await findList(page).getByRole("link", { name: "Name your shop" }).click();
    await page.clock.install();
    await page.getByLabel("Shop name").fill("Café Ada");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const next = page.getByRole("button", { name: "Next: Design your card" });
    await next.waitFor();
    // Other toasts disappear after eight seconds.
    await page.clock.runFor(60_000);
    await page.clock.runFor(1_000);
    await expect.poll(() => next.count()).toBe(1);
    await page.getByLabel("Shop name").fill("Café Bo");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    // The new toast replaces the old one.
    await expect.poll(async () => (await shop.acme.settings.get()).name).toBe("Café Bo");
    await expect.poll(() => next.count()).toBe(1);
    await next.click();
    await page.getByRole("heading", { level: 1, name: "Cards" }).waitFor();
    await expect.poll(() => next.count()).toBe(0);
    await page.goBack();
    await page.getByLabel("Shop name").fill("Café Cy");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await next.waitFor();
    await page.getByRole("link", { name: "Customers", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Customers" }).waitFor();
    await expect.poll(() => next.count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("has a step for the first message if mail is set up, checked off once a message was sent", async () => {
    const shop = await openMailShop();
    const { page, close } = await visit(browser);
    await signIn(page, shop);
    const { "Invite your staff": staff, ...others } = untouched;
    const steps = { ...others, "Send your first message": false, "Invite your staff": staff };
    await expect.poll(async () => Object.entries(await readSteps(page))).toEqual(Object.entries(steps));
    const { id } = await shop.acme.messages.create({
      name: "Hello",
      audience: { all: true },
      channels: ["email"],
      texts: [{ language: "en", subject: "Hello", text: "Come by." }],
    });
    await shop.acme.messages.send(id);
    await expect.poll(async () => (await shop.acme.messages.get(id)).status).toBe("SENT");
    await page.reload();
    await expect.poll(() => readSteps(page)).toEqual({ ...steps, "Send your first message": true });
    await findList(page).getByRole("link", { name: "Send your first message" }).click();
    await page.waitForURL(`${shop.url}/console/messages/new`);
    await close();
  });

  it("stays hidden in this browser once it was hidden", async () => {
    const shop = await openShop();
    const { page, close } = await visit(browser);
    await signIn(page, shop);
    await findList(page).getByRole("button", { name: "Hide this list" }).click();
    await page.getByRole("region", { name: "From sign-up to reward" }).waitFor();
    await expect.poll(() => findList(page).count()).toBe(0);
    await page.reload();
    await page.getByRole("region", { name: "From sign-up to reward" }).waitFor();
    await expect.poll(() => findList(page).count()).toBe(0);
    await close();
  });

  it("has only the steps that a person's role allows, and disappears once a shop has many customers", async () => {
    const shop = await openShop();
    const { page, close } = await visit(browser);
    await signInAs(page, shop, { email: "mia@cafe.example", role: "manager" });
    const { "Name your shop": _name, "Invite your staff": _staff, ...rest } = untouched;
    await expect.poll(() => readSteps(page)).toEqual(rest);
    for (let at = 0; at <= 20; at += 1) await shop.acme.users.create({ email: `${at}@cafe.example` });
    await page.reload();
    await page.getByRole("region", { name: "From sign-up to reward" }).waitFor();
    await expect.poll(() => findList(page).count()).toBe(0);
    await close();
  });
});
