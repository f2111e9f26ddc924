import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { createPages } from "loyalty-kit/pages";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
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

/** Creates a customer who agreed to emails. */
async function createSubscriber(name: string) {
  const customer = await shop.createCustomer(name);
  await shop.acme.subscriptions.put(customer.userId, {
    email: { status: "SUBSCRIBED", text: "News, please" },
  });
  return customer;
}

/** Creates a tag, assigns it to customers, and returns it. */
async function tagCustomers(name: string, customers: readonly { readonly userId: string }[]) {
  const tag = await shop.acme.tags.create({ name });
  for (const { userId } of customers) await shop.acme.tags.assign(userId, tag.slug);
  return tag;
}

/** Fills in the parts of an email. */
async function writeMail(page: Page, name: string, subject: string, text: string) {
  await page.getByText("More options").click();
  await page.getByLabel("Name", { exact: true }).fill(name);
  await page.getByLabel("Email subject").fill(subject);
  await page.getByLabel("Email text").fill(text);
}

beforeAll(async () => {
  await shop.acme.settings.update({ name: "Acme Coffee", timeZone: "Europe/Vienna" });
});

describe("a message", () => {
  it("is written, previewed, counted, tested and sent, and its report says who got it and why others didn't", async () => {
    const [ada, bob, cleo, dan] = [
      await createSubscriber("Ada"),
      await createSubscriber("Bob"),
      await shop.createCustomer("Cleo"),
      await createSubscriber("Dan"),
    ];
    await shop.acme.subscriptions.put(dan.userId, { email: { status: "UNSUBSCRIBED" } });
    await tagCustomers("Tasters", [ada, bob, cleo, dan]);
    const { page, complaints, close } = await at("/console");
    await page.getByRole("link", { name: "Messages" }).first().click();
    await page.getByText("No messages yet").waitFor();
    await page.getByRole("link", { name: "New message" }).first().click();
    await page.getByText("Still missing: the email subject, the email text.").waitFor();
    await writeMail(
      page,
      "New blend",
      "{name}, a new blend",
      "Hello {name}, {toGo} more for {card}.\nhttps://shop.example",
    );
    await page.getByText("Wallets aren’t set up on this server yet.").waitFor();
    const mail = page.getByRole("region", { name: "In an email" });
    await mail.getByText("From Acme Coffee").waitFor();
    await mail.getByText("Anna, a new blend").first().waitFor();
    await mail.getByText("Hello Anna, 2 more for Coffee.").waitFor();
    await page.getByText("19 of 150 characters.").waitFor();
    await page.getByLabel("Customers", { exact: true }).selectOption("Customers who match a filter");
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Tag" }).click();
    await page.getByRole("group", { name: "Tag" }).getByRole("combobox").selectOption("Tasters");
    await page.getByText("4 customers found.").waitFor();
    // The count doesn't wait until the draft is saved.
    const counts = page.getByRole("region", { name: "Estimated recipients" });
    await counts.getByText(/^Customers who opted in, out of 4 customers right now\./).waitFor();
    await expect.poll(() => counts.getByRole("definition").allTextContents()).toEqual(["2"]);
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("The draft was saved").waitFor();
    await counts.getByText("1 haven’t confirmed that they want news").waitFor();
    await counts.getByText("1 unsubscribed from news").waitFor();
    await counts.getByText("Out of 4 customers right now.").waitFor();

    await page.getByRole("button", { name: "Send a test" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Recipient").fill("cleo");
    await dialog.getByRole("button", { name: /cleo@example.com/ }).click();
    await dialog.getByRole("button", { name: "Send test" }).click();
    await page.getByText("A test is on its way to Cleo, by email").waitFor();
    const [test] = await shop.waitForMails(cleo.email, 1);
    expect(test?.subject).toBe("[Test] Cleo, a new blend");

    await page.getByRole("button", { name: "Send…" }).click();
    await dialog.getByText("1 haven’t confirmed that they want news").waitFor();
    await dialog.getByText(/^Sending starts immediately\./).waitFor();
    await dialog.getByRole("button", { name: "Send to 2 emails" }).click();
    const report = page.getByRole("region", { name: "Progress" });
    await report.getByText("sent", { exact: true }).waitFor();
    await expect
      .poll(() => report.getByRole("definition").allTextContents())
      .toEqual(expect.arrayContaining(["2", "0", "2", "0"]));
    await report.getByText("Together, these are 4 customers.").waitFor();
    for (const [{ email }, name] of [
      [ada, "Ada"],
      [bob, "Bob"],
    ] as const) {
      const [mail] = await shop.waitForMails(email, 1);
      expect(mail?.subject).toBe(`${name}, a new blend`);
      expect(mail?.text).toContain(`Hello ${name}, 5 more for Coffee.`);
    }
    const recipientsRegion = page.getByRole("region", { name: "Recipients" });
    const clock = await recipientsRegion.locator("time").first().innerText();
    await report.getByText(`${clock} (Europe/Vienna)`).first().waitFor();
    await recipientsRegion.getByLabel("Filter customers").selectOption("Skipped");
    await recipientsRegion
      .getByRole("listitem")
      .filter({ hasText: "Cleo" })
      .getByText("hasn’t confirmed that they want news")
      .waitFor();
    await recipientsRegion
      .getByRole("listitem")
      .filter({ hasText: "Dan" })
      .getByText("the customer unsubscribed")
      .waitFor();
    await recipientsRegion.getByLabel("Filter customers").selectOption("Received it");
    await recipientsRegion.getByRole("listitem").filter({ hasText: "Dan" }).waitFor({ state: "detached" });
    await expect
      .poll(() =>
        recipientsRegion
          .getByRole("listitem")
          .filter({ hasText: /Ada|Bob/ })
          .count(),
      )
      .toBe(2);
    await expect.poll(() => findViolations(page)).toEqual([]);

    await page.getByRole("link", { name: "Messages" }).first().click();
    const line = page.getByRole("listitem").filter({ hasText: "New blend" });
    await line.getByText("2 of 4 customers reached · 2 not sent").waitFor();
    await line.getByRole("link", { name: "New blend" }).click();
    await page.getByRole("button", { name: "Copy as a new draft" }).click();
    await page.getByRole("heading", { name: "Copy of New blend" }).waitFor();
    await expect.poll(() => page.getByLabel("Email subject").inputValue()).toBe("{name}, a new blend");
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows neither an estimate nor an error if it is sent elsewhere while its recipients are counted", async () => {
    const { id } = await shop.acme.messages.create({
      name: "Sent elsewhere",
      audience: { all: true },
      channels: ["email"],
      texts: [{ language: "en", subject: "Hello", text: "Come by." }],
    });
    const { page, close } = await visit(browser);
    let release = () => {};
    const isSent = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/console/api/v1/messages/*/preview", async (route) => {
      await isSent;
      await route.continue();
    });
    const answered = page.waitForResponse(/\/preview$/);
    await signIn(page, shop, `/console/messages/${id}`);
    const estimate = page.getByRole("region", { name: "Estimated recipients" });
    await estimate.waitFor();
    await shop.acme.messages.send(id);
    release();
    const answer = await answered;
    expect(answer.status()).toBe(409);
    await expect.poll(() => estimate.count()).toBe(0);
    await expect.poll(() => page.getByRole("alert").count()).toBe(0);
    await close();
  });

  it("counts and links customers who haven't confirmed news, and has no primary button to send to no one", async () => {
    const pages = createHttpApi(shop.loyalty, {
      authenticate: apiTokens(shop.loyalty),
      extensions: [createPages(shop.loyalty)],
    });
    const body = new URLSearchParams({ contact: "pia@example.com", news: "on" });
    await pages.fetch(new Request(`https://shop.example/join/${shop.template.id}`, { method: "POST", body }));
    const pia = await shop.acme.users.find({ email: "pia@example.com" });
    const { slug } = await tagCustomers("Newcomers", [{ userId: pia?.id ?? "" }]);
    const filter = encodeURIComponent(JSON.stringify({ operator: "AND", conditions: [{ slug }] }));
    const { page, complaints, close } = await at(`/console/messages/new?filter=${filter}`);
    const unconfirmed = { name: "1 customer ticked news but hasn’t confirmed it by email yet" };
    await page.getByRole("region", { name: "Estimated recipients" }).getByRole("link", unconfirmed).waitFor();
    await writeMail(page, "For no one", "Fresh rolls", "Come by.");
    await page.getByRole("button", { name: "Send…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 haven’t confirmed that they want news").waitFor();
    await dialog.getByText("No one would get it right now.").waitFor();
    await dialog.getByRole("button", { name: "Not yet" }).and(page.locator(".primary")).waitFor();
    await expect.poll(() => dialog.locator(".primary").count()).toBe(1);
    await dialog.getByRole("link", unconfirmed).click();
    await page.getByRole("heading", { name: "Customers", exact: true }).waitFor();
    await page.getByText("pia@example.com").first().waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("is scheduled in the organization's time zone, with a notice about quiet hours, and canceled", async () => {
    const eve = await createSubscriber("Eve");
    const { slug } = await tagCustomers("Evening", [eve]);
    await shop.acme.messageSettings.update({ quietHours: { from: "21:00", to: "08:00" } });
    const filter = encodeURIComponent(JSON.stringify({ operator: "AND", conditions: [{ slug }] }));
    const { page, complaints, close } = await at(`/console/segments?filter=${filter}`);
    await page.getByRole("link", { name: "Message all" }).click();
    await page.getByText("1 customer found.").waitFor();
    await writeMail(page, "Sunday", "Open on Sunday", "Come by.");
    const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
    const begins = page.getByLabel("Starts");
    await begins.fill(`${day}T22:30`);
    await page
      .getByText("This is within quiet hours (21:00 to 08:00), so sending starts at 08:00.")
      .waitFor();
    await begins.fill("2020-01-01T10:00");
    await page.getByRole("button", { name: "Schedule…" }).click();
    await page.getByText("Fix the marked fields before you send the message.").waitFor();
    await expect.poll(() => begins.getAttribute("aria-invalid")).toBe("true");
    await begins.fill(`${day}T10:00`);
    await page.getByRole("button", { name: "Schedule…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/Sending starts on .*10:00 AM \(Europe\/Vienna\)\./).waitFor();
    await dialog.getByRole("button", { name: "Schedule for 1 email" }).click();
    await page.getByText("scheduled", { exact: true }).waitFor();
    const [message] = (await shop.acme.messages.list({ status: "SCHEDULED" })).content;
    const clock = { timeZone: "Europe/Vienna", hour: "2-digit", hourCycle: "h23" } as const;
    expect(new Intl.DateTimeFormat("en", clock).format(new Date(message?.sendAt ?? 0))).toBe("10");
    await page.getByRole("button", { name: "Cancel message" }).click();
    await dialog.getByRole("button", { name: "Cancel message" }).click();
    await page.getByText("canceled", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Cancel message" }).count()).toBe(0);
    expect(shop.fake.mailbox(eve.email)).toEqual([]);
    await shop.acme.messageSettings.update({ quietHours: null });
    expect(complaints).toEqual([]);
    await close();
  });

  it("is named after its subject while its name is blank, and unfolds More options if a field there is wrong", async () => {
    const { page, complaints, close } = await at("/console/messages/new");
    await page.getByLabel("Email subject").fill("Fresh rolls");
    await expect.poll(() => page.getByLabel("Name", { exact: true }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByRole("heading", { name: "Fresh rolls" }).waitFor();
    await page.getByLabel("Email subject").fill("Fresh cake");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByRole("heading", { name: "Fresh cake" }).waitFor();
    await page.getByText("More options").click();
    await page.getByLabel("Email button link").fill("nowhere");
    await page.getByText("More options").click();
    await expect.poll(() => page.getByLabel("Email button link").isVisible()).toBe(false);
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByLabel("Email button link").and(page.locator("[aria-invalid]")).waitFor();
    await page.getByLabel("Email button link").fill("");
    await page.getByLabel("Name", { exact: true }).fill("Cake");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByRole("heading", { name: "Cake", exact: true }).waitFor();
    await page.reload();
    // Options that differ from the defaults are unfolded.
    await expect.poll(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("Cake");
    await expect.poll(() => page.getByLabel("Name", { exact: true }).isVisible()).toBe(true);
    await page.getByRole("button", { name: "Delete draft" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The draft was deleted").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("inserts placeholders at the cursor, in the field that had the focus last", async () => {
    const { page, complaints, close } = await at("/console/messages/new");
    const subject = page.getByLabel("Email subject");
    const text = page.getByLabel("Email text");
    const pressChip = (name: string) => page.getByRole("button", { name, exact: true }).click();
    await page.getByLabel("Language").selectOption("French");
    await pressChip("Card");
    await expect.poll(() => subject.inputValue()).toBe("{card}");
    await text.fill("Hello , come by.");
    await text.press("Home");
    for (let at = 0; at < "Hello ".length; at += 1) await text.press("ArrowRight");
    await pressChip("Name");
    await pressChip("Stamps to go");
    await expect.poll(() => text.inputValue()).toBe("Hello {name}{toGo}, come by.");
    // The cursor is after the inserted text.
    await page.keyboard.type("!");
    await expect.poll(() => text.inputValue()).toBe("Hello {name}{toGo}!, come by.");
    await page.getByRole("region", { name: "In an email" }).getByText("Hello Anna2!, come by.").waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows errors at their fields, keeps the input, and warns before unsaved changes are lost", async () => {
    const { page, complaints, close } = await at("/console/messages/new");
    await writeMail(page, "Half done", "Dear {nmae}", "x".repeat(20_001));
    await page.getByText("20,001 of 20,000 characters, 1 too many.").waitFor();
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("use {name}", { exact: false }).waitFor();
    await page.getByText("must be at most 20000 characters").waitFor();
    const subject = page.getByLabel("Email subject");
    await expect.poll(() => subject.getAttribute("aria-invalid")).toBe("true");
    await expect
      .poll(() => subject.evaluate((input) => input === input.ownerDocument.activeElement))
      .toBe(true);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await page.getByRole("link", { name: "Customers" }).first().click();
    await page
      .getByRole("dialog", { name: "Leave without saving?" })
      .getByRole("button", { name: "Stay" })
      .click();
    await expect.poll(() => subject.inputValue()).toBe("Dear {nmae}");

    await subject.fill("Dear {name}");
    await page.getByLabel("Email text").fill("");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("The draft was saved").waitFor();
    await page.getByText("Complete the message to count the recipients.").waitFor();
    await page.getByRole("button", { name: "Send…" }).click();
    await page.getByLabel("Email text").and(page.locator("[aria-invalid]")).waitFor();
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);
    await page.getByRole("button", { name: "Add language" }).click();
    await page.getByLabel("Language").nth(1).selectOption("English");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByText("is given twice").waitFor();
    await page.getByRole("button", { name: "Remove text 2" }).click();
    await page.getByLabel("Customers", { exact: true }).selectOption("Individual customers");
    await page.getByLabel("Customer IDs").fill("nobody-has-this-id");
    await page.getByRole("button", { name: "Save draft" }).click();
    await page.getByLabel("Customer IDs").and(page.locator("[aria-invalid]")).waitFor();
    await page.getByText("Some of these aren’t customer IDs.").waitFor();
    await page.getByLabel("Customers", { exact: true }).selectOption("All customers");
    await page.reload();
    await page.getByRole("heading", { name: "Half done" }).waitFor();
    await expect.poll(() => page.getByLabel("Email subject").inputValue()).toBe("Dear {name}");
    await page.getByRole("button", { name: "Delete draft" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The draft was deleted").waitFor();
    await page.getByRole("heading", { name: "Messages", exact: true }).waitFor();
    expect(complaints.filter((text) => text !== "")).toEqual([]);
    await close();
  });

  it("can be written where email isn't set up, and says so first", async () => {
    const bare = await openShop();
    const { page, complaints, close } = await visitSignedIn(browser, bare, "/console/messages/new");
    await page.getByText("Email isn’t set up yet: ask the person who runs your server.").waitFor();
    await page.getByLabel("Email subject").fill("Croissant week");
    await page.getByLabel("Email text").fill("One free with every coffee.");
    await page.getByText("More options").click();
    await page.getByRole("checkbox", { name: "Email" }).uncheck();
    await expect.poll(() => page.getByText("Email isn’t set up yet").isVisible()).toBe(false);
    await page.getByRole("checkbox", { name: "Email" }).check();
    await page.getByRole("button", { name: "Send…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Emails can’t be recalled once they’re sent.").waitFor();
    await dialog.getByRole("button", { name: "Send to no one" }).click();
    await dialog.getByText("Email isn’t set up yet.").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("can be read with a token that only allows reading, without buttons that write or send", async () => {
    const draft = await shop.acme.messages.create({
      name: "For readers",
      audience: { all: true },
      channels: ["email"],
      texts: [{ language: "en", subject: "Read this", text: "And this." }],
    });
    const { page, complaints, close } = await at("/console/messages", await shop.createToken("message:read"));
    await page.getByRole("link", { name: "For readers" }).click();
    await page.getByText("draft", { exact: true }).waitFor();
    await page.getByText("Read this").first().waitFor();
    await expect
      .poll(() => page.getByRole("button", { name: /Send|Save|Copy|Cancel|Delete/ }).count())
      .toBe(0);
    await page.goto(`${shop.url}/console/messages`);
    await page.getByRole("link", { name: "For readers" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "New message" }).count()).toBe(0);
    await shop.acme.messages.delete(draft.id);
    expect(complaints).toEqual([]);
    await close();
  });
});

it("a message for cards and email is counted by channel, sent on both, and in the customer's timeline", async () => {
  const bothShop = await openMailShop();
  const backend = serviceInternals(bothShop.loyalty).createWalletBackend(0);
  backend.attachLinker(() => ({ apple: "https://shop.example/pass", google: null }));
  const ada = await bothShop.createCustomer("Ada");
  const bea = await bothShop.createCustomer("Bea");
  for (const [{ userId, passId }, name] of [
    [ada, "Ada"],
    [bea, "Bea"],
  ] as const) {
    await bothShop.acme.passes.walletLinks(passId);
    const phone = { passId, platform: "apple", deviceId: `phone of ${name}`, pushToken: "token" } as const;
    await backend.devices.register("acme", phone);
    const status = name === "Ada" ? "SUBSCRIBED" : "UNSUBSCRIBED";
    const text = "News, please";
    await bothShop.acme.subscriptions.put(userId, {
      email: { status: "SUBSCRIBED", text },
      wallet: status === "SUBSCRIBED" ? { status, text } : { status },
    });
  }
  const { page, complaints, close } = await visitSignedIn(browser, bothShop, "/console/messages/new");
  await writeMail(page, "Cake", "Cake is back", "Come and taste it.");
  await page.getByLabel("On the card", { exact: true }).fill("{name}, cake is back. {toGo} to go!");
  const lockScreen = page.getByRole("region", { name: "On the iPhone lock screen" });
  await lockScreen.getByText("Anna, cake is back. 2 to go!").waitFor();
  await page.getByRole("region", { name: "On the card in Google Wallet" }).getByText("Anna, cake").waitFor();
  await page.getByRole("button", { name: "Send…" }).click();
  const dialog = page.getByRole("dialog");
  await expect.poll(() => dialog.locator("dl").textContent()).toBe("On the card1By email2Not sent1");
  await dialog.getByText("1 unsubscribed from news").waitFor();
  await dialog.getByRole("button", { name: "Send to 1 card and 2 emails" }).click();
  const report = page.getByRole("region", { name: "Progress" });
  await report.getByText("being sent", { exact: true }).waitFor();
  await Promise.all([bothShop.waitForMails(ada.email, 1), bothShop.waitForMails(bea.email, 1)]);
  const [message] = (await bothShop.acme.messages.list({})).content;
  const sendingDeliveries = await bothShop.acme.messages.deliveries(message?.id ?? "", { status: "SENDING" });
  for (const { id } of sendingDeliveries.content.filter(({ channel }) => channel === "wallet"))
    await serviceInternals(bothShop.loyalty).backends.messages.walletAccepted("acme", id, "apple", false);
  await report.getByText("sent", { exact: true }).waitFor();
  const recipientsRegion = page.getByRole("region", { name: "Recipients" });
  await recipientsRegion.getByText("on the card, Apple · delivered to the customer’s phone").waitFor();
  await page.goto(bothShop.url + ada.path);
  const messageInTimeline = page
    .getByRole("region", { name: "Timeline" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name: "News" }) });
  await messageInTimeline.nth(1).waitFor();
  await expect.poll(() => messageInTimeline.count()).toBe(2);
  await messageInTimeline.filter({ hasText: "on the card" }).getByRole("link", { name: "News" }).click();
  await page.getByRole("heading", { name: "Cake" }).waitFor();
  expect(complaints).toEqual([]);
  await Promise.all([close(), bothShop.close()]);
});

it("the list of messages is polled only while one is being sent, with one request at a time", async () => {
  const { id } = await shop.acme.messages.create({
    name: "On its way",
    audience: { all: true },
    channels: ["email"],
    texts: [{ language: "en", subject: "Soon", text: "Soon." }],
  });
  const { page, close } = await visit(browser);
  await page.clock.install();
  let [calls, open, mostOpen, acceptedCount] = [0, 0, 0, 0];
  await page.route("**/console/api/v1/messages?*", async (route) => {
    calls += 1;
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    const response = await route.fetch();
    const httpResponse = await response.json();
    const sums = {
      recipients: 9,
      customers: 9,
      pending: 9 - acceptedCount,
      sending: 0,
      accepted: acceptedCount,
      failed: 0,
    };
    const status = acceptedCount < 9 ? "SENDING" : "SENT";
    Object.assign(httpResponse.content[0], { status, sums: { ...sums, skipped: {}, uncertain: 0 } });
    acceptedCount += 3;
    open -= 1;
    await route.fulfill({ response, json: httpResponse });
  });
  await signIn(page, shop, "/console/messages");
  const line = page.getByRole("listitem").filter({ hasText: "On its way" });
  await line.waitFor();
  const readLine = async () => {
    await page.clock.runFor(2_000);
    return line.textContent();
  };
  await expect.poll(readLine).toContain("9 of 9 customers reached");
  expect([calls, mostOpen]).toEqual([4, 1]);
  await page.clock.runFor(60_000);
  expect(calls).toBe(4);
  await shop.acme.messages.delete(id);
  await close();
});

it.each([
  ["light", 1_440],
  ["dark", 768],
  ["light", 390],
  ["dark", 360],
] as const)(
  "message screens have no axe violations or overflow: %s at %d pixels",
  async (colorScheme, width) => {
    const long = "long-words-without-any-space-".repeat(5);
    const { id } = await shop.acme.messages.create({
      name: long,
      audience: { all: true },
      templateId: shop.template.id,
      channels: ["wallet", "email"],
      texts: [
        {
          language: "en",
          wallet: long,
          subject: long,
          text: `${long}\n\n{name} https://${"x".repeat(200)}.example`,
        },
        { language: "ar", wallet: null, subject: "مرحبا {name}", text: null },
      ],
    });
    const { page, complaints, close } = await visit(browser, {
      colorScheme,
      viewport: { width, height: 900 },
    });
    await signIn(page, shop, `/console/messages/${id}`);
    await page.getByText("Complete the message to count the recipients.").waitFor();
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByRole("dialog").waitFor();
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    await page.goto(`${shop.url}/console/messages`);
    await page.getByRole("list", { name: "Messages" }).waitFor();
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    await shop.acme.messages.cancel(id);
    await page.goto(`${shop.url}/console/messages/${id}`);
    await page.getByText("canceled", { exact: true }).waitFor();
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    expect(complaints).toEqual([]);
    await close();
  },
);
