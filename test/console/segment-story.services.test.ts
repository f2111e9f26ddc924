import { expect, it } from "vitest";
import { openMailShop } from "./mail-shop.js";
import { findViolations, openBrowser, signIn, visit } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openMailShop()]);
const { acme } = shop;

/** Creates a customer with a card and stamps. Five stamps earn a reward. */
async function createStampedCustomer(name: string, count: number, isInWallet: boolean) {
  const customer = await shop.createCustomer(name);
  await acme.stamps.add(customer.passId, { count });
  if (isInWallet) await acme.passes.markInstalled(customer.passId);
  await acme.subscriptions.put(customer.userId, {
    email: { status: "SUBSCRIBED", text: "Yes, news please" },
  });
  return customer;
}

/** Ada and Bob match all conditions. Cleo has no card in a wallet, Eve has no reward, and Dan visited today. */
const ada = await createStampedCustomer("Ada", 5, true);
const bob = await createStampedCustomer("Bob", 6, true);
await createStampedCustomer("Cleo", 5, false);
const eve = await createStampedCustomer("Eve", 4, true);
shop.setAhead(40 * 24 * 60);
await shop.loyalty.refreshSegments({ acceptClock: true });
await createStampedCustomer("Dan", 5, true);

it("a segment finds customers with a reward and no visit in 30 days, explains and messages them, and reports returns", async () => {
  const { page, complaints, close } = await visit(browser);
  await signIn(page, shop, "/console/segments");
  await page.getByRole("link", { name: "New segment" }).click();
  for (const kind of ["Reward waiting", "Last visit", "Card in a wallet"]) {
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.getByRole("dialog").getByRole("button", { name: kind }).click();
  }
  for (const [kind, count] of [
    ["Reward waiting", 4],
    ["Last visit", 4],
    ["Card in a wallet", 4],
  ] as const) {
    await page.getByRole("group", { name: kind }).getByText(`${count} customers match this`).waitFor();
  }
  await page.locator(".total").filter({ hasText: "2 customers" }).waitFor();
  await page.getByRole("button", { name: "Save segment…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Coffee waits");
  await dialog.getByLabel("Report who enters and leaves").check();
  await dialog.getByRole("button", { name: "Save segment" }).click();

  const members = page.getByRole("region", { name: "Customers in this segment" });
  await members.getByRole("button", { name: "Why? Ada" }).click();
  await dialog.getByRole("heading", { name: "Ada is in “Coffee waits”" }).waitFor();
  await dialog.getByText("All of these must be true:").waitFor();
  await dialog.getByText("1 reward").waitFor();
  await dialog.getByText(/last visited on/).waitFor();
  await dialog.getByText("This doesn’t change over time.").waitFor();
  await expect.poll(() => findViolations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Close" }).click();
  await members.getByLabel("Check a customer").fill("dan");
  await members.getByRole("button", { name: /^Dan/ }).click();
  await dialog.getByRole("heading", { name: "Dan isn’t in “Coffee waits”" }).waitFor();
  await dialog
    .getByText(/Becomes true on .* unless the customer visits or something else changes\./)
    .waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();

  await page.goto(`${shop.url}${eve.path}`);
  await page.getByLabel("Choose a segment…").selectOption("Coffee waits");
  await dialog.getByRole("heading", { name: "Eve isn’t in “Coffee waits”" }).waitFor();
  await dialog.getByText("no reward").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();

  await page.goto(`${shop.url}/console/segments/coffee-waits`);
  await page.getByRole("link", { name: "Message all" }).click();
  await page
    .getByRole("region", { name: "Recipients", exact: true })
    .getByText(/2 customers/)
    .first()
    .waitFor();
  await page.getByLabel("Email subject").fill("{name}, your coffee waits");
  await page.getByLabel("Email text").fill("Come by.");
  await page.getByRole("button", { name: "Save draft" }).click();
  await page
    .getByRole("region", { name: "Estimated recipients" })
    .getByText("Out of 2 customers right now.")
    .waitFor();
  const drafts = await acme.messages.list();
  expect(drafts.content.map(({ audience }) => audience)).toEqual([{ segment: "coffee-waits" }]);
  await page.getByRole("button", { name: "Send…" }).click();
  await dialog.getByRole("button", { name: "Send to 2 emails" }).click();
  for (const { email } of [ada, bob]) {
    const [mail] = await shop.waitForMails(email, 1);
    expect(mail?.subject).toMatch(/^(Ada|Bob), your coffee waits$/);
  }

  await acme.stamps.add(ada.passId);
  await shop.loyalty.refreshSegments();
  const { content } = await acme.events.list({ types: ["segment.entered", "segment.left"] });
  expect(content.map(({ type, data }) => ({ type, data }))).toEqual([
    {
      type: "segment.left",
      data: expect.objectContaining({
        segment: expect.objectContaining({ slug: "coffee-waits" }),
        userId: ada.userId,
        because: "change",
      }),
    },
  ]);
  await page.goto(`${shop.url}/console/segments/coffee-waits`);
  await members.getByText("bob@example.com").waitFor();
  await expect.poll(() => members.getByRole("listitem").count()).toBe(1);
  expect(complaints).toEqual([]);
  await close();
}, 180_000);
