import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openMailShop } from "./mail-shop.js";
import { pressLink, signInAs } from "./people-shop.js";
import { findViolations, isOverflowing, openBrowser, openShop, visit } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openMailShop()]);

/** Returns the sign-in link in the latest mail to an address, as a URL of this server. */
async function readSignInLink(email: string, count: number): Promise<string> {
  const mails = await shop.waitForMails(email, count);
  const link = mails.at(-1)?.links.find((each) => each.includes("/people/link/")) ?? "";
  return shop.url + new URL(link).pathname;
}

const findLine = (page: Page, name: string) => page.getByRole("listitem").filter({ hasText: name });

async function chooseItem(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole("button", { name: `More for ${name}` }).click();
  await page.getByRole("button", { name: item }).click();
}

async function signInAsOwner(path: string, email: string) {
  const browserVisit = await visit(browser);
  const person = await signInAs(browserVisit.page, shop, { email, name: "Olga", role: "owner" }, path);
  return { ...browserVisit, person };
}

describe("staff", () => {
  it("are invited by email with a role, sign in with the link, and see only what their role permits", async () => {
    const { page, complaints, close } = await signInAsOwner("/console/settings/people", "olga1@cafe.example");
    await page.getByRole("button", { name: "Invite a team member" }).click();
    const dialog = page.getByRole("dialog", { name: "Invite a team member" });
    await dialog.getByLabel("Email").fill("not an address");
    await dialog.getByRole("button", { name: "Send invitation" }).click();
    await expect.poll(() => dialog.getByLabel("Email").getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => findViolations(page)).toEqual([]);
    await dialog.getByLabel("Email").fill("tim@cafe.example");
    await dialog.getByLabel("Name").fill("Tim");
    await expect.poll(() => dialog.getByRole("radio", { name: /^Till/ }).isChecked()).toBe(true);
    await dialog.getByRole("button", { name: "Send invitation" }).click();
    await page.getByText("tim@cafe.example was invited").waitFor();
    await findLine(page, "Tim").getByText("Invited", { exact: true }).waitFor();
    await findLine(page, "Tim")
      .getByText(/hasn’t signed in yet/)
      .waitFor();

    const tim = await visit(browser);
    await pressLink(tim.page, await readSignInLink("tim@cafe.example", 1));
    await tim.page.getByText("Scan a card.").waitFor();
    const links = tim.page.getByRole("navigation", { name: "Console" }).getByRole("link");
    await expect
      .poll(() => links.allInnerTexts())
      .toEqual(["Customers", "Purchases", "Cards", "Till", "Settings"]);
    await tim.page.goto(`${shop.url}/console/settings/sign-in`);
    const ownRegion = tim.page.getByRole("region", { name: "Your sign-in" });
    await ownRegion.getByText("tim@cafe.example").waitFor();
    await ownRegion.getByText("Till", { exact: true }).waitFor();
    await tim.page.getByRole("region", { name: "Your devices" }).getByText("this device").waitFor();
    for (const failureText of ["people", "shop", "trail"]) {
      await tim.page.goto(`${shop.url}/console/settings/${failureText}`);
      await tim.page.getByText(/You don’t have permission to do this. It requires /).waitFor();
    }
    await tim.page.goto(`${shop.url}/console/customers`);
    await tim.page.getByLabel("Search customers").waitFor();
    await expect.poll(() => tim.page.getByRole("button", { name: "Export" }).count()).toBe(0);
    await page.reload();
    await findLine(page, "Tim")
      .getByText(/last active/)
      .waitFor();
    expect([...complaints, ...tim.complaints]).toEqual([]);
    await Promise.all([close(), tim.close()]);
  });

  it("are edited, signed out everywhere and removed, which takes effect immediately", async () => {
    const { page, complaints, close } = await signInAsOwner("/console/settings/people", "olga2@cafe.example");
    const till = await visit(browser);
    await signInAs(till.page, shop, { email: "mia@cafe.example", name: "Mia", role: "till" });
    await page.reload();
    await chooseItem(page, "Mia", "Edit");
    await page.getByRole("radio", { name: /^Manager/ }).click();
    await page.getByLabel("Name").fill("Mia Maier");
    await page.getByRole("button", { name: "Save" }).click();
    await findLine(page, "Mia Maier").getByText("Manager", { exact: true }).waitFor();
    await till.page.goto(`${shop.url}/console`);
    await till.page.getByRole("heading", { name: "Overview" }).waitFor();
    await chooseItem(page, "Mia Maier", "Devices");
    const devices = page.getByRole("dialog", { name: "Devices for Mia Maier" });
    await devices.getByText(/ on Linux$/).waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    await devices.getByRole("button", { name: "Sign out everywhere" }).click();
    await page.getByText("Mia Maier was signed out everywhere").waitFor();
    await till.page.reload();
    await till.page.getByLabel("Email").waitFor();
    await chooseItem(page, "Mia Maier", "Send a new link");
    await page.getByText("A new link is on its way to mia@cafe.example").waitFor();
    await pressLink(till.page, await readSignInLink("mia@cafe.example", 1));
    await chooseItem(page, "Mia Maier", "Remove");
    await page.getByRole("button", { name: "Remove Mia Maier" }).click();
    await page.getByText("Mia Maier was removed").waitFor();
    await expect.poll(() => findLine(page, "Mia Maier").count()).toBe(0);
    await till.page.reload();
    await till.page.getByLabel("Email").waitFor();
    await page.goto(`${shop.url}/console/settings/trail`);
    await findLine(page, "Removed a team member").getByText("Olga").first().waitFor();
    expect([...complaints, ...till.complaints]).toEqual([]);
    await Promise.all([close(), till.close()]);
  });

  it("sign out a device that they don't know, or all of their devices", async () => {
    const { page, person, complaints, close } = await signInAsOwner(
      "/console/settings/sign-in",
      "olga3@cafe.example",
    );
    const lostVisit = await visit(browser);
    const { path } = await shop.acme.people.link(person.id);
    await pressLink(lostVisit.page, shop.url + path);
    await page.reload();
    const devices = page.getByRole("region", { name: "Your devices" });
    await expect.poll(() => devices.getByRole("listitem").count()).toBe(2);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await devices.getByRole("button", { name: /^Sign out of .+ on Linux$/ }).click();
    await page.getByText(/^Signed out: .+ on Linux$/).waitFor();
    await expect.poll(() => devices.getByRole("listitem").count()).toBe(1);
    await lostVisit.page.reload();
    await lostVisit.page.getByLabel("Email").waitFor();
    expect([...complaints, ...lostVisit.complaints]).toEqual([]);
    await page.getByRole("button", { name: "Sign out of all devices" }).click();
    await page.getByLabel("Email").waitFor();
    await Promise.all([close(), lostVisit.close()]);
  });

  it("continue where their session ended, after signing in again in another tab", async () => {
    const { page, context, person, complaints, close } = await signInAsOwner(
      "/console/tags",
      "olga5@cafe.example",
    );
    await page.goto(`${shop.url}/console/tags`, { waitUntil: "networkidle" });
    await shop.acme.people.endSessions(person.id);
    await page.getByRole("button", { name: "New tag" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("Typed before");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    const sessionEndDialog = page.getByRole("dialog", { name: "Your session has ended" });
    await expect.poll(() => findViolations(page)).toEqual([]);
    const other = await context.newPage();
    const { path } = await shop.acme.people.link(person.id);
    await pressLink(other, shop.url + path);
    await sessionEndDialog.getByRole("button", { name: "Continue" }).click();
    await expect
      .poll(async () => (await shop.acme.tags.list()).map(({ name }) => name))
      .toContain("Typed before");
    expect(complaints).toEqual([]);
    await close();
  });

  it("appear by name in a customer's timeline and in the event log", async () => {
    const { userId, passId, path } = await shop.createCustomer("Gina");
    const { page, complaints, close } = await signInAsOwner("/console/till", "olga4@cafe.example");
    const code = (await shop.acme.passes.get(passId)).qrCodeValue;
    await page.getByLabel("Code, name, phone, or email").fill(code);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Add 1 stamp" }).click();
    await expect.poll(async () => (await shop.acme.stamps.state(passId)).currentStamps).toBe(1);
    await page.goto(shop.url + path);
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByRole("listitem").filter({ hasText: "Stamped" }).getByText("Olga").waitFor();
    await page.goto(`${shop.url}/console/developers/events`);
    await page.locator(".event-line").filter({ hasText: "stamp.added" }).first().getByText("Olga").waitFor();
    expect(userId).not.toBe("");
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("the sign-in page", () => {
  it("mails a link that works once and only with its button, and hides the token field at first", async () => {
    const { page, complaints, close } = await visit(browser, { viewport: { width: 390, height: 740 } });
    await shop.acme.people.add({ email: "ann@cafe.example", role: "manager" });
    await page.goto(`${shop.url}/console`);
    await expect.poll(() => page.getByLabel("API token").isVisible()).toBe(false);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await page.getByLabel("Email").fill("ann@cafe.example");
    await page.getByRole("button", { name: "Email me a sign-in link" }).click();
    await page.getByRole("heading", { name: "Check your email" }).waitFor();
    const link = await readSignInLink("ann@cafe.example", 1);
    // A mail scanner opens the link first.
    const { status } = await fetch(link);
    expect(status).toBe(200);
    await page.goto(link);
    await page.getByText("ann@cafe.example").waitFor();
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    await page.getByLabel(/^Stay signed in on this device/).check();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    await page.goto(link);
    await page.getByRole("heading", { name: "This link has expired" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("accepts an API token below the email form, and shows there what is wrong with it", async () => {
    const { page, complaints, close } = await visit(browser);
    await shop.acme.people.add({ email: "eva@cafe.example", role: "till" });
    await page.goto(`${shop.url}/console/customers`);
    await page.getByText("Sign in with an API token").click();
    await page.getByLabel("API token").fill("lk_wrong");
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByText("This API token isn’t valid.").waitFor();
    await page.getByLabel("API token").fill(shop.token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Customers", exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows the token field immediately if there are no staff yet, even if mail is set up", async () => {
    const young = await openMailShop();
    const { page, complaints, close } = await visit(browser);
    await page.goto(`${young.url}/console`);
    await expect.poll(() => page.getByLabel("API token").isVisible()).toBe(true);
    await expect.poll(() => page.getByLabel("Email").count()).toBe(0);
    await page.getByLabel("API token").fill(young.token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("asks only for a token if mail isn't set up, and staff sign in with links that are handed to them", async () => {
    const quiet = await openShop();
    const { page, complaints, close } = await visit(browser);
    await page.goto(`${quiet.url}/console`);
    await page.getByLabel("API token").waitFor();
    await expect.poll(() => page.getByLabel("Email").count()).toBe(0);
    await signInAs(page, quiet, { email: "olga@cafe.example", role: "owner" }, "/console/settings/people");
    await page.getByText(/ask the person who runs your server for a sign-in link/).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Invite a team member" }).count()).toBe(0);
    await expect.poll(() => findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });
});
