import { beforeAll, describe, expect, it } from "vitest";
import { openBrowser, openShop, signIn, visit } from "./shop.js";

const DAY = 86_400_000;
let now = Date.now() - 40 * DAY;

const [browser, shop] = await Promise.all([openBrowser(), openShop({ clock: () => now })]);
const { acme, loyalty } = shop;
const card = { ada: "", bob: "" };

beforeAll(async () => {
  const { id } = await acme.templates.create({ name: "Coffee card", type: "STAMP_CARD", maxStamps: 2 });
  const createStamped = async (name: string, count: number) => {
    const user = { email: `${name.toLowerCase()}@example.com`, name };
    const pass = await acme.passes.create(id, { user });
    if (count > 0) await acme.stamps.add(pass.id, { count });
    return pass.id;
  };
  card.ada = await createStamped("Ada", 2);
  card.bob = await createStamped("Bob", 2);
  await createStamped("Cleo", 2);
  await acme.passes.markInstalled(card.ada);
  await acme.passes.markInstalled(card.bob);
  now = Date.now();
  await acme.passes.markInstalled(await createStamped("Dan", 2));
});

const at = async (path: string) => {
  const browserVisit = await visit(browser);
  await signIn(browserVisit.page, shop, `/console${path}`);
  return browserVisit;
};

describe("saved segments", () => {
  it("are built, saved, listed, edited and deleted", async () => {
    const { page, complaints, close } = await at("/segments");
    await page.getByText("No segments yet").waitFor();
    await page.getByRole("link", { name: "New segment" }).click();
    for (const kind of ["Reward waiting", "Last visit", "Card in a wallet"]) {
      await page.getByRole("button", { name: "Add condition" }).click();
      await page.getByRole("dialog").getByRole("button", { name: kind }).click();
    }
    await page
      .getByText(
        "Customers who have a reward waiting, whose last visit was more than 30 days ago and whose card is in a wallet.",
      )
      .waitFor();
    await page.locator(".total").filter({ hasText: "2 customers" }).waitFor();
    await page.getByRole("group", { name: "Reward waiting" }).getByText("4 customers match this").waitFor();
    await page.getByRole("group", { name: "Last visit" }).getByText("3 customers match this").waitFor();
    await page.getByRole("button", { name: "Save segment…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Save segment" }).click();
    await dialog.getByText(/name/i).first().waitFor();
    await dialog.getByLabel("Name").fill("Long gone");
    await dialog.getByLabel("Color").selectOption("Teal");
    await dialog.getByLabel("Report who enters and leaves").check();
    await dialog.getByRole("button", { name: "Save segment" }).click();
    await page.getByRole("heading", { name: "Long gone" }).waitFor();
    const members = page.getByRole("region", { name: "Customers in this segment" });
    await members.getByText("ada@example.com").waitFor();
    await expect.poll(() => members.getByRole("listitem").count()).toBe(2);
    await expect
      .poll(() => acme.segments.get("long-gone"))
      .toMatchObject({ color: "#0E7C86", emitsEvents: true });

    await page.getByRole("button", { name: "Edit" }).click();
    await dialog.getByLabel("Name").fill("Gone for long");
    await dialog.getByLabel("Description").fill("They have a coffee to fetch.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Gone for long" }).waitFor();
    await page.getByText("They have a coffee to fetch.").waitFor();

    await page.getByRole("link", { name: "Change conditions" }).click();
    await page.getByRole("button", { name: "Remove Card in a wallet" }).click();
    await page.locator(".total").filter({ hasText: "3 customers" }).waitFor();
    await page.getByRole("link", { name: "Gone for long" }).click();
    await page.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved. 1 customer entered, 0 customers left.").waitFor();
    await page.getByRole("link", { name: "Segments" }).first().click();
    const line = page.getByRole("listitem").filter({ hasText: "Gone for long" });
    await line.getByText("3 customers").waitFor();
    await line.getByText("reports who enters and leaves").waitFor();

    await acme.segments.create({
      name: "Within",
      filter: { operator: "AND", conditions: [{ segment: "long-gone" }] },
    });
    await line.getByRole("link", { name: "Gone for long" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("button", { name: "Delete “Gone for long”" }).click();
    await dialog.getByText("This segment can’t be deleted because it’s used by:").waitFor();
    await dialog.getByRole("link", { name: "Within" }).click();
    await page.getByRole("heading", { name: "Within" }).waitFor();
    await page.getByText("Customers who are in the segment “Gone for long”.").waitFor();
    for (const name of ["Within", "Gone for long"]) {
      await page.getByRole("button", { name: "Delete" }).click();
      await dialog.getByRole("button", { name: `Delete “${name}”` }).click();
      await page.getByText(`“${name}” was deleted`).waitFor();
      const other = page.getByRole("link", { name: "Gone for long" });
      if (name === "Within") await other.click();
    }
    await page.getByText("No segments yet").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("show their conditions, what uses them and how they have grown, in the list", async () => {
    let ahead = -3 * DAY;
    const other = await openShop({ clock: () => Date.now() + ahead });
    const filter = { operator: "AND", conditions: [{ joined: { withinDays: 20 } }] } as const;
    const { slug } = await other.acme.segments.create({ name: "New", filter, emitsEvents: true });
    await other.acme.users.create({ email: "ada@example.com" });
    for (; ahead < 0; ahead += DAY / 2) await other.loyalty.refreshSegments();
    for (const name of ["bob", "cyd"]) await other.acme.users.create({ email: `${name}@example.com` });
    await other.loyalty.refreshSegments();
    const tag = await other.acme.tags.create({ name: "VIP" });
    const greet = { name: "Greet", on: { segmentEntered: slug }, do: [{ assignTag: tag.slug }] };
    await other.acme.automations.create(greet);
    const texts = [{ language: "en", subject: "Hi", text: "Hi" }];
    const news = { name: "News", audience: { segment: slug }, channels: ["email" as const], texts };
    await other.acme.messages.create(news);
    await other.acme.segments.create({
      name: "New or VIP",
      filter: { operator: "OR", conditions: [{ segment: slug }, { slug: tag.slug }] },
    });
    const browserVisit = await visit(browser);
    const { page, complaints, close } = browserVisit;
    await signIn(page, other, "/console/segments");
    const findLine = (name: string) =>
      page.getByRole("listitem").filter({ has: page.getByRole("link", { name, exact: true }) });
    const line = findLine("Greet");
    await line.getByText("Customers who signed up in the last 20 days.").waitFor();
    await expect.poll(() => line.innerText()).toContain("+2 in 3 days");
    await line.getByText("3 customers").waitFor();
    await expect
      .poll(() => line.getByText("Used by").innerText())
      .toBe("Used by the automation Greet, the message News, the segment New or VIP");
    const unused = page
      .getByRole("listitem")
      .filter({ hasText: "Not used by a message or an automation yet." });
    await unused.getByText("Customers who are in the segment “New” or who have the tag “VIP”.").waitFor();
    await unused.getByText("Its trend begins tomorrow").waitFor();
    await line.getByRole("link", { name: "New", exact: true }).click();
    // Days before the segment existed have no bar.
    const table = page.getByRole("region", { name: "Customers by day" }).locator("tbody tr");
    await expect.poll(() => table.count()).toBe(30);
    await expect
      .poll(async () => (await table.allInnerTexts()).slice(-4, -3))
      .toEqual([expect.stringMatching(/1$/)]);
    await expect
      .poll(async () => (await table.allInnerTexts()).slice(0, 1))
      .toEqual([expect.stringMatching(/–$/)]);
    await page.goBack();
    await line.getByRole("link", { name: "Greet" }).click();
    await page.getByRole("heading", { level: 1, name: "Greet" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
    // People who may not see automations and messages must not read that nothing uses a segment.
    const { page: narrow, close: closeNarrow } = await visit(browser);
    const token = await other.createToken("segment:read", "user:read", "user_tag:read");
    await signIn(narrow, other, "/console/segments", token);
    await narrow.getByText("Used by the segment").waitFor();
    await expect.poll(() => narrow.getByText("Not used by").count()).toBe(0);
    await closeNarrow();
  });

  it("show at the name field that another segment has this name", async () => {
    await acme.segments.create({ name: "Taken", filter: { operator: "AND", conditions: [{ slug: "x" }] } });
    const filter = encodeURIComponent('{"operator":"AND","conditions":[{"rewards":{"min":1}}]}');
    const { page, close } = await at(`/segments-new?filter=${filter}`);
    await page.getByRole("button", { name: "Save segment…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Taken");
    await dialog.getByRole("button", { name: "Save segment" }).click();
    await dialog.getByText("Another segment already has this name.").waitFor();
    await acme.segments.delete("taken");
    await close();
  });

  it("filter the list of customers, and have their members tagged and messaged from their screen", async () => {
    const { slug } = await acme.segments.create({
      name: "In a wallet",
      filter: { operator: "AND", conditions: [{ wallet: { installed: true } }] },
    });
    const { page, complaints, close } = await at("/customers");
    await page.getByText("1–4 of 4 customers").waitFor();
    await page.getByLabel("In this segment").selectOption("In a wallet");
    await page.getByText("1–3 of 3 customers").waitFor();
    await expect.poll(() => page.url()).toContain(`segment=${slug}`);
    await page.reload();
    await page.getByText("1–3 of 3 customers").waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    await page.getByRole("row").nth(1).getByRole("link", { name: "Ada" }).waitFor();
    await page.getByLabel("Search customers").fill("cleo");
    await page.getByText("1–1 of 1 customer").waitFor();
    await page.goto(`${shop.url}/console/segments/${slug}`);
    await page.getByRole("button", { name: "Tag all" }).click();
    await page.getByRole("dialog").getByLabel("Tag").fill("Wallet");
    await page.getByRole("button", { name: "Tag 3 customers" }).click();
    await page.getByText("3 customers tagged “Wallet”").waitFor();
    await page.getByRole("link", { name: "Message all" }).click();
    await page.getByText("3 customers right now.").first().waitFor();
    await expect.poll(() => page.getByLabel("Segment", { exact: true }).inputValue()).toBe(slug);
    const { id } = await acme.messages.create({
      name: "To the wallets",
      audience: { segment: slug },
      channels: ["email"],
      texts: [{ language: "en", subject: "Hello", text: "Hello" }],
    });
    await page.goto(`${shop.url}/console/segments/${slug}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete “In a wallet”" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "a message" }).click();
    await page.getByText("3 customers right now.").first().waitFor();
    await expect.poll(() => page.url()).toContain(id);
    expect(complaints).toEqual([]);
    await close();
    await acme.messages.delete(id);
    await acme.segments.delete(slug);
  });

  it("show how many members they had at the end of each day, and how many entered and left", async () => {
    const { slug } = await acme.segments.create({
      name: "With a reward",
      filter: { operator: "AND", conditions: [{ rewards: {} }] },
      emitsEvents: true,
    });
    await acme.stamps.redeem(card.ada);
    await loyalty.refreshSegments();
    const { page, complaints, close } = await at(`/segments/${slug}`);
    const chart = page.getByRole("region", { name: "Customers by day" });
    await chart.getByText("3", { exact: true }).first().waitFor();
    const leftRegion = page.getByRole("region", { name: "Left", exact: true });
    await leftRegion.getByRole("table").getByRole("cell", { name: "1" }).waitFor();
    await page.getByRole("button", { name: "7 days", exact: true }).click();
    await page.getByRole("button", { name: "7 days", exact: true, pressed: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
    await acme.segments.delete(slug);
  });
});
