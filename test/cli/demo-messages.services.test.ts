import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { fillKey, findViolations, isOverflowing, openBrowser, visit } from "../console/shop.js";
import { createEmptyFolder, startServer } from "./command.js";

const browser = await openBrowser();

/** Browser options of a phone. */
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Starts the demo as `npm start` does, and returns a function that calls its API. */
async function startDemo() {
  const server = await startServer(["--demo", "--database", join(createEmptyFolder(), "loyalty.db")]);
  const [, mailbox = ""] = await server.waitForOutput(/(http:\/\/\S+\/demo\/mailbox\/\w+)\n/);
  const [, token = ""] = /Bearer (\w+)'/.exec(server.output()) ?? [];
  const callApi = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${server.url}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    expect([method, path, response.status < 300, response.ok ? "" : text]).toEqual([method, path, true, ""]);
    return text === "" ? null : JSON.parse(text);
  };
  return { url: server.url, token, mailbox, callApi };
}

type Demo = Awaited<ReturnType<typeof startDemo>>;

const words = { subject: "We miss you, {name}", text: "{toGo} more to go.\n\nSee you soon?" };

/** Sends a message in the console to all customers who were away for 30 days, and waits until it is sent. */
async function writeInConsole({ url, token }: Demo) {
  const { page, complaints, close } = await visit(browser);
  await page.goto(`${url}/console`);
  await fillKey(page, token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Messages" }).first().click();
  await page.getByRole("link", { name: "New message" }).first().click();
  await page.getByText("More options").click();
  await page.getByLabel("Name", { exact: true }).fill("Not seen for 30 days");
  await page.getByLabel("Card", { exact: true }).selectOption("Coffee card");
  await page.getByLabel("Email subject").fill(words.subject);
  await page.getByLabel("Email text").fill(words.text);
  await page.getByLabel("Customers", { exact: true }).selectOption("Customers who match a filter");
  await page.getByRole("button", { name: "Add condition" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Tag" }).click();
  await page.getByRole("group", { name: "Tag" }).getByRole("combobox").selectOption("Not seen");
  await page.getByText("15 customers found.").waitFor();
  await page.getByRole("button", { name: "Save draft" }).click();
  await page.getByText("The draft was saved").waitFor();
  await page.getByRole("button", { name: "Send…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send to 15 emails" }).click();
  await page.getByRole("region", { name: "Progress" }).getByText("sent", { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await close();
}

/** Sends the same message to the same customers over HTTP, waits until it is sent, and returns its sums. */
async function writeAgain({ callApi }: Demo, templateId: string) {
  const message = await callApi("POST", "/messages", {
    ...{ name: "Not seen for 30 days, again", templateId, channels: ["email"] },
    audience: { filter: { operator: "AND", conditions: [{ slug: "not-seen" }] } },
    texts: [{ language: "en", ...words }],
  });
  await callApi("POST", `/messages/${message.id}/send`);
  const getMessage = async () => callApi("GET", `/messages/${message.id}`);
  await expect.poll(async () => (await getMessage()).status).toBe("SENT");
  return (await getMessage()).sums;
}

/** Opens a mail in the mailbox by its subject, and returns the frame that shows it. */
async function openMail(page: Page, { mailbox }: Demo, recipient: string, subject: string) {
  await expect
    .poll(
      async () => {
        await page.goto(`${mailbox}?to=${encodeURIComponent(recipient)}`);
        return page.getByRole("link", { name: subject }).count();
      },
      { timeout: 20_000 },
    )
    .toBe(1);
  await page.getByRole("link", { name: subject }).click();
  return page.frameLocator("iframe");
}

describe("the demo on a phone", () => {
  it("leads from the poster to the card, a message and the unsubscribe page, through its mailbox", async () => {
    const demo = await startDemo();
    const { url, callApi, mailbox } = demo;
    const templates = await callApi("GET", "/templates");
    const coffee = templates.find(({ name }: { name: string }) => name === "Coffee card");
    const { page, context, complaints, close } = await visit(browser, phone);
    const clickAndOpen = async (click: () => Promise<void>) => {
      const [next] = await Promise.all([context.waitForEvent("page"), click()]);
      await next.waitForLoadState();
      return next;
    };
    const inspectPage = async (visiblePage: Page) => [
      await findViolations(visiblePage),
      await isOverflowing(visiblePage),
    ];

    // Ada signs up on the poster's page, and checks the box for news.
    await page.goto(`${url}/join/${coffee.id}`);
    await page.getByText("More options").click();
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Email or phone number").fill("ada@example.com");
    for (const box of await page.getByRole("checkbox").all()) await box.check();
    await page.getByRole("button", { name: "Get my card" }).click();
    await page.getByText("0 of 10 stamps").waitFor();

    // Her mail links to the card, where she confirms her address.
    const mail = await openMail(page, demo, "ada@example.com", "Your card: Coffee card");
    const card = await clickAndOpen(() => mail.getByRole("link", { name: "Open your card" }).click());
    await expect.poll(() => inspectPage(card)).toEqual([[], false]);
    await card.getByRole("button", { name: "Yes, send me news" }).click();
    await card.getByText("Thank you").waitFor();

    // The shop stamps the card, which shows how many stamps are missing.
    const { content } = await callApi("GET", "/contacts?search=ada@example.com");
    const [{ id: userId }] = content;
    const [pass] = await callApi("GET", `/users/${userId}/passes`);
    await callApi("POST", `/walletpasses/${pass.id}/stamps/add`, { count: 8 });
    await card.getByRole("link", { name: "Go to your card" }).click();
    await card.getByText("2 more stamps until your reward").waitFor();

    // The shop sends a message to everyone who was away for 30 days, including her.
    await callApi("POST", `/users/${userId}/tags/not-seen`);
    await writeInConsole(demo);
    const {
      content: [first],
    } = await callApi("GET", "/messages");
    expect(first.sums).toMatchObject({ recipients: 15, accepted: 15, pending: 0, sending: 0, skipped: {} });
    const message = await openMail(page, demo, "ada@example.com", "We miss you, Ada");
    await message.getByText("2 more to go.").waitFor();
    await expect.poll(() => inspectPage(page)).toEqual([[], false]);
    const cardPage = await clickAndOpen(() => message.getByRole("link", { name: "Open your card" }).click());
    await cardPage.getByText("2 more stamps until your reward").waitFor();

    // She unsubscribes, and the next message skips her.
    const unsubscribePage = await clickAndOpen(() =>
      message.getByRole("link", { name: "Unsubscribe" }).click(),
    );
    await expect.poll(() => inspectPage(unsubscribePage)).toEqual([[], false]);
    await unsubscribePage.getByRole("button", { name: "Stop emails", exact: true }).click();
    await unsubscribePage.getByText("You’ve been unsubscribed").waitFor();
    const next = await writeAgain(demo, coffee.id);
    expect(next).toMatchObject({ recipients: 15, accepted: 14, skipped: { unsubscribed: 1 } });
    const mails = await (await fetch(`${mailbox}?to=ada%40example.com`)).text();
    expect(mails.match(/We miss you/g)).toHaveLength(1);
    expect(complaints).toEqual([]);
    await close();
  }, 120_000);
});
