import { smtpFaults } from "loyalty-kit/testing";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { openMailShop } from "./mail-shop.js";
import {
  findViolations,
  isOverflowing,
  openBrowser,
  openShop,
  signIn,
  visit,
  visitSignedIn,
} from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openMailShop()]);

const at = (path: string, token?: string) => visitSignedIn(browser, shop, path, token);

/** Sends the customer's only card again. */
async function sendAgain(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^More for “/ }).click();
  await page.getByRole("button", { name: "Send the card again" }).click();
}

describe("a card", () => {
  it("is emailed again, with its mail's state in the timeline, and a further try says how long to wait", async () => {
    const ada = await shop.createCustomer("Ada");
    const { page, complaints, close } = await at(ada.path);
    await sendAgain(page);
    await page.getByText("The card is on its way to ada@example.com").waitFor();
    const [mail] = await shop.waitForMails(ada.email, 1);
    expect(mail?.from).toEqual({ name: "Server", address: "cards@shop.example" });
    const mails = page.getByRole("region", { name: "Timeline" });
    await mails.getByText("sent", { exact: true }).waitFor();
    await mails.getByText("Details", { exact: true }).waitFor();
    await expect.poll(() => mails.getByText(/attempt|provider/).count()).toBe(0);
    await sendAgain(page);
    await page.getByText(/This card was just emailed\. Try again in \d+ seconds?\./).waitFor();
    for (const count of [2, 3]) {
      shop.setAhead(2);
      await sendAgain(page);
      await shop.waitForMails(ada.email, count);
      await mails
        .getByText("sent", { exact: true })
        .nth(count - 1)
        .waitFor();
    }
    shop.setAhead(2);
    await sendAgain(page);
    await page.getByText("This card was just emailed. Try again in 24 hours.").waitFor();
    expect(shop.fake.mailbox(ada.email)).toHaveLength(3);
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows the mail server's reply to an attempt on demand, and why nothing is sent to the address", async () => {
    const bob = await shop.createCustomer("Bob");
    shop.fake.fail(bob.email, smtpFaults.noSuchMailbox);
    const { page, complaints, close } = await at(bob.path);
    await sendAgain(page);
    const mails = page.getByRole("region", { name: "Timeline" });
    await mails.getByText("failed", { exact: true }).waitFor();
    await mails.getByText("the address doesn’t exist").waitFor();
    await expect.poll(() => mails.getByText(/550 5\.1\.1/).isVisible()).toBe(false);
    await mails.getByText("Details", { exact: true }).click();
    await mails.getByText(/^550 5\.1\.1 no such user here$/).waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    shop.setAhead(2);
    await sendAgain(page);
    await page.getByText("Emails to this address are blocked. Change the address first.").waitFor();
    await page.reload();
    const news = page.getByRole("region", { name: "Email and news" });
    await news
      .getByText(/^Nothing has been sent to this address since .*the address doesn’t exist/)
      .waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows when its email is sent again after a temporary failure", async () => {
    const carla = await shop.createCustomer("Carla");
    shop.fake.fail(carla.email, smtpFaults.greylisted);
    const { page, close } = await at(carla.path);
    await sendAgain(page);
    const mails = page.getByRole("region", { name: "Timeline" });
    await mails.getByText(/next attempt \w+ \d+, \d{4}/).waitFor();
    await mails.getByText("waiting", { exact: true }).waitFor();
    shop.setAhead(2);
    await mails.getByText("2 tries").waitFor();
    await close();
  });

  it("is emailed when issued by hand if requested, and the console says whether that worked", async () => {
    const user = await shop.acme.users.create({ email: "dora@example.com", name: "Dora" });
    const { page, complaints, close } = await at(`/console/customers/${user.id}`);
    const issueCard = async (isMailed: boolean) => {
      await page.getByRole("button", { name: "More about this customer" }).click();
      await page.getByRole("listitem").getByRole("button", { name: "Issue card" }).click();
      const dialog = page.getByRole("dialog");
      if (isMailed) await dialog.getByLabel("Email the card to dora@example.com").check();
      await dialog.getByRole("button", { name: "Issue card" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await issueCard(false);
    await page.getByText("The card was issued", { exact: true }).waitFor();
    await issueCard(true);
    await page.getByText("The card was issued and is on its way to dora@example.com").waitFor();
    await expect.poll(() => shop.waitForMails("dora@example.com", 1)).toHaveLength(1);
    const isRefused = await serviceInternals(shop.loyalty).backends.mail.suppressAddress(
      shop.readToken("dora@example.com"),
    );
    expect(isRefused).toBe(true);
    await issueCard(true);
    await page
      .getByText(/^The card was issued, but it couldn’t be emailed\. Emails to this address are blocked/)
      .waitFor();
    await expect.poll(() => shop.acme.passes.ofUser(user.id)).toHaveLength(3);
    expect(shop.fake.mailbox("dora@example.com")).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it("can't be emailed to a customer without an address, or with a token that doesn't allow it", async () => {
    const eve = await shop.createCustomer("Eve");
    await shop.acme.settings.update({ requiresEmail: false });
    const unreachablePass = await shop.acme.passes.create(shop.template.id, {
      user: { phone: "1", name: "Nobody" },
    });
    const { page, close } = await at(`/console/customers/${unreachablePass.userId}`);
    await page.getByRole("link", { name: "Card page" }).waitFor();
    await page.getByRole("button", { name: /^More for “/ }).click();
    await page.getByRole("button", { name: "Cancel card" }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Send the card again" }).count()).toBe(0);
    await page.getByRole("button", { name: "More about this customer" }).click();
    await page.getByRole("button", { name: "Issue card" }).click();
    await page.getByLabel("Card to issue").waitFor();
    await expect.poll(() => page.getByLabel(/Email the card/).count()).toBe(0);
    await close();
    const token = await shop.createToken("user:read", "pass:read", "pass:create", "template:read");
    const clerk = await at(eve.path, token);
    await clerk.page.getByRole("link", { name: "Card page" }).waitFor();
    await expect.poll(() => clerk.page.getByRole("button", { name: /^More for “/ }).count()).toBe(0);
    await clerk.page.getByRole("button", { name: "More about this customer" }).click();
    await clerk.page.getByRole("button", { name: "Issue card" }).click();
    await clerk.page.getByLabel("Card to issue").waitFor();
    await expect.poll(() => clerk.page.getByLabel(/Email the card/).count()).toBe(0);
    await expect.poll(() => clerk.page.getByRole("button", { name: /Note|Change language/ }).count()).toBe(0);
    await clerk.close();
  });
});

describe("a customer's consent", () => {
  it("is recorded with its text, ended, and shown with its time and source", async () => {
    const fay = await shop.createCustomer("Fay");
    const { page, complaints, close } = await at(fay.path);
    const mail = page.getByRole("region", { name: "News by email" });
    await mail.getByText("not asked").waitFor();
    await mail.getByRole("button", { name: "Subscribe to news" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Subscribe to news" }).click();
    await dialog.getByText("must not be blank").waitFor();
    await dialog.getByLabel("Text the customer agreed to").fill("Send me <b>news</b>");
    await dialog.getByRole("button", { name: "Subscribe to news" }).click();
    await mail.getByText("opted in", { exact: true }).waitFor();
    await mail.getByText("Send me <b>news</b>").waitFor();
    await mail.getByText("recorded by the shop or its software").waitFor();
    const subscription = await shop.acme.subscriptions.get(fay.userId);
    expect(subscription.email).toMatchObject({
      status: "SUBSCRIBED",
      text: "Send me <b>news</b>",
      source: "api",
    });
    expect(subscription.wallet.status).toBe("NONE");
    await mail.getByRole("button", { name: "Unsubscribe" }).click();
    await dialog.getByRole("button", { name: "Unsubscribe" }).click();
    await mail.getByText("unsubscribed").waitFor();
    await expect
      .poll(async () => (await shop.acme.subscriptions.get(fay.userId)).email.status)
      .toBe("UNSUBSCRIBED");
    await page.getByRole("button", { name: "Change language" }).click();
    await dialog.getByLabel("Language").fill("not a language");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByRole("alert").waitFor();
    await dialog.getByLabel("Language").fill("de-at");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("de-AT").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("ended through the customer's own link can be renewed, but only with a later consent date", async () => {
    const gus = await shop.createCustomer("Gus");
    await shop.acme.passes.notify(gus.passId);
    await shop.waitForMails(gus.email, 1);
    const token = shop.readToken(gus.email);
    const backend = serviceInternals(shop.loyalty).backends.mail;
    const results = [await backend.confirm(token), await backend.suppressAddress(token)];
    expect(results).toEqual([true, true]);
    shop.setAhead(10);
    const { page, complaints, close } = await at(gus.path);
    const news = page.getByRole("region", { name: "Email and news" });
    await news.getByText(/^confirmed on /).waitFor();
    await news.getByText(/^Nothing has been sent to this address since .*the customer objected/).waitFor();
    const mail = page.getByRole("region", { name: "News by email" });
    await mail.getByText(/through a link in an email/).waitFor();
    await expect.poll(() => mail.getByRole("button", { name: "Unsubscribe" }).count()).toBe(0);
    await mail.getByRole("button", { name: "Subscribe to news again" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/^Unsubscribed on .*through a link in an email/).waitFor();
    await dialog.getByLabel("Text the customer agreed to").fill("Yes, news again");
    const note = dialog.getByRole("button", { name: "Subscribe to news" });
    await note.click();
    await dialog.getByText(/Enter a consent date after the date they unsubscribed/).waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    const local = new Date(serviceInternals(shop.loyalty).now() - 60_000);
    local.setMinutes(local.getMinutes() - local.getTimezoneOffset());
    await dialog.getByLabel("When").fill(local.toISOString().slice(0, 16));
    await note.click();
    await mail.getByText("opted in", { exact: true }).waitFor();
    await expect
      .poll(async () => (await shop.acme.subscriptions.get(gus.userId)).email.text)
      .toBe("Yes, news again");
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("the mail settings", () => {
  it("save only the fields that were changed, and customers see the new values", async () => {
    await shop.acme.messageSettings.update({
      quietHours: { from: "21:00", to: "08:00" },
      cap: { perDays: 3, messages: 1 },
    });
    const { page, complaints, close } = await at("/console");
    await page.getByRole("link", { name: "Settings" }).first().click();
    await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Email" }).click();
    const address = page.getByLabel("Reply-to address");
    await address.fill("nowhere");
    await page.getByLabel("Sender name").fill("Café Ada");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/valid email/i).waitFor();
    await expect.poll(() => page.getByLabel("Sender name").inputValue()).toBe("Café Ada");
    await shop.acme.messageSettings.update({ footer: "Written by somebody else meanwhile" });
    await address.fill("hello@cafe.example");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await expect
      .poll(() => shop.acme.messageSettings.get())
      .toMatchObject({
        ...{ senderName: "Café Ada", replyTo: "hello@cafe.example" },
        footer: "Written by somebody else meanwhile",
        quietHours: { from: "21:00", to: "08:00" },
        cap: { perDays: 3, messages: 1 },
      });
    const hal = await shop.createCustomer("Hal");
    await shop.acme.passes.notify(hal.passId);
    const [mail] = await shop.waitForMails(hal.email, 1);
    expect(mail).toMatchObject({ from: { name: "Café Ada" }, replyTo: ["hello@cafe.example"] });
    expect(mail?.text).toContain("Written by somebody else meanwhile");
    await page.getByLabel("Sender name").fill(" ");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(async () => (await shop.acme.messageSettings.get()).senderName).toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

  it("are read-only with a token that may only read them, and hidden without that scope", async () => {
    const reader = await at("/console/settings/mail", await shop.createToken("message:read"));
    await reader.page
      .getByText("You can view these settings, but you don’t have permission to change them.")
      .waitFor();
    await expect.poll(() => reader.page.getByRole("button", { name: "Save" }).count()).toBe(0);
    await expect.poll(() => reader.page.getByLabel("Footer").isDisabled()).toBe(true);
    await reader.close();
    const other = await at("/console/settings/mail", await shop.createToken("user:read"));
    await other.page.getByText(/You don’t have permission to do this. It requires message:read/).waitFor();
    await other.close();
  });

  it("say whom to ask if mail isn't set up, and sending a card reports that too", async () => {
    const mute = await openShop();
    const template = await mute.acme.templates.create({ name: "Tea", type: "LOYALTY_CARD" });
    const pass = await mute.acme.passes.create(template.id, { user: { email: "ida@example.com" } });
    const { page, complaints, close } = await visitSignedIn(browser, mute, "/console/settings/mail");
    await page.getByText("Email isn’t set up yet: ask the person who runs your server.").waitFor();
    await page.goto(`${mute.url}/console/customers/${pass.userId}`);
    await sendAgain(page);
    await page.getByText("Email isn’t set up yet.").waitFor();
    await page.getByRole("button", { name: "More about this customer" }).click();
    await page.getByRole("button", { name: "Issue card" }).click();
    await page.getByLabel("Card to issue").waitFor();
    await expect.poll(() => page.getByLabel(/Email the card/).count()).toBe(0);
    expect(complaints).toEqual([]);
    await Promise.all([close(), mute.close()]);
  });
});

it.each([
  ["light", 1_440],
  ["dark", 1_440],
  ["light", 390],
  ["dark", 390],
] as const)(
  "mail screens have no axe violations or overflow: %s at %d pixels",
  async (colorScheme, width) => {
    const ivy = await shop.createCustomer(`Ivy${colorScheme}${width}`);
    const text = "I agree to long-words-without-any-space-".repeat(8);
    await shop.acme.subscriptions.put(ivy.userId, {
      ...{ email: { status: "SUBSCRIBED", text }, wallet: { status: "UNSUBSCRIBED" } },
    });
    shop.fake.script(smtpFaults.greylisted);
    await shop.acme.passes.notify(ivy.passId);
    const { page, complaints, close } = await visit(browser, {
      colorScheme,
      viewport: { width, height: 900 },
    });
    await signIn(page, shop, ivy.path);
    await page.getByText("Details", { exact: true }).click();
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    await page.getByRole("button", { name: "Subscribe to news" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Subscribe to news" }).click();
    await page.getByText("must not be blank").waitFor();
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    await page.goto(`${shop.url}/console/settings/mail`);
    await page.getByLabel("Footer").waitFor();
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    expect(complaints).toEqual([]);
    await close();
  },
);

it("the form for a new token describes the mail scopes in words", async () => {
  const { page, close } = await at("/console/developers");
  await page.getByRole("button", { name: "New token" }).click();
  await page.getByText("Scopes: none yet").click();
  await page.getByLabel(/pass:notify.*Email customers links to their passes/).check();
  await page.getByLabel(/message:read.*View emails and messages/).check();
  await page.getByLabel(/message:send.*Send messages to customers/).check();
  await close();
});
