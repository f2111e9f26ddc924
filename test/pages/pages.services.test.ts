import { once } from "node:events";
import { createServer } from "node:http";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages } from "loyalty-kit/pages";
import { describe, expect, it, onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { buildLinkToken } from "../../src/messages/mail-links.js";
import { mailJobs } from "../../src/storage/mail.js";
import { findViolations, hostile, isOverflowing, openBrowser, urlOf, visit } from "../console/shop.js";

const browser = await openBrowser();

/** Opens a shop with a card that has a hostile name, served to browsers. */
async function openShop() {
  const storage = memoryStorage();
  const loyalty = new LoyaltyService({ storage });
  const mail = serviceInternals(loyalty).backends.mail;
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    extensions: [createPages(loyalty)],
  });
  const server = createServer(nodeListener(api)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await loyalty.close();
  });
  const acme = loyalty.organization("acme");
  const card = await acme.templates.create({ name: hostile, type: "STAMP_CARD", maxStamps: 12 });
  const url = urlOf(server);
  /** Mails a customer, and returns the mail's link and a link to unsubscribe. */
  const sendMail = async () => {
    mail.attachSender({ host: "shop.example" });
    await acme.messageSettings.update({ senderName: hostile });
    const { userId } = await acme.passes.create(card.id, {
      user: { email: "ada@example.com" },
      notify: true,
    });
    const [job] = await mail.claim("acme", "pass", 1);
    const [queue, user] = [
      await runStep(storage.reader("acme").findQueue(mailJobs)),
      await runStep(storage.reader("acme").findUser(userId)),
    ];
    if (job === undefined || queue === null || user === null) throw new Error("nothing was mailed");
    return {
      userId,
      link: `${url}${job.link}`,
      unsubscribe: `${url}/m/u/${buildLinkToken(queue, "email", user)}`,
    };
  };
  return { acme, url, join: `${url}/join/${card.id}`, sendMail };
}

describe("customer pages", () => {
  it.each([
    ["light", 360],
    ["dark", 360],
    ["light", 1_440],
  ] as const)("have no axe violations or overflow, %s at %d pixels", async (colorScheme, width) => {
    const { join, url } = await openShop();
    const { page, complaints, close } = await visit(browser, {
      colorScheme,
      viewport: { width, height: 800 },
    });
    const inspectPage = async () => [await findViolations(page), await isOverflowing(page)];
    await page.goto(join);
    await expect.poll(() => inspectPage()).toEqual([[], false]);
    await page.getByRole("button").click();
    await page.getByText("Enter an email address or a phone number.").waitFor();
    await page.getByText("More options").click();
    await expect.poll(() => inspectPage()).toEqual([[], false]);
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Email or phone number").fill("（０３０） 123\u200B\u2013456");
    await page.getByRole("button").click();
    await page.getByText("0 of 12 stamps").waitFor();
    await expect.poll(() => inspectPage()).toEqual([[], false]);
    await page.goto(`${url}/c/neverGiven12`);
    await expect.poll(() => inspectPage()).toEqual([[], false]);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(["light", "dark"] as const)("have boxes in a tint of the shop's color, %s", async (colorScheme) => {
    const { acme, join, sendMail } = await openShop();
    await sendMail();
    const [card] = await acme.templates.list();
    const brown = { backgroundColor: "#3B2417", foregroundColor: "#FFF6EA" };
    await acme.templates.update(card?.id ?? "", { design: brown });
    const { page, close } = await visit(browser, { colorScheme, viewport: { width: 390, height: 800 } });
    await page.goto(join);
    await page.getByLabel("Email or phone number").fill("bo@example.com");
    await page.getByLabel(/news/).check();
    await page.getByRole("button").click();
    const box = page.getByText("We’ve emailed you");
    await box.waitFor();
    const background = await page.evaluate(
      "getComputedStyle(document.querySelector('.news')).backgroundColor",
    );
    const [red = 0, , blue = 0] = (String(background).match(/[\d.]+/g) ?? []).map(Number);
    expect(red).toBeGreaterThan(blue);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await close();
  });

  it.each([
    ["light", 360, "en"],
    ["dark", 390, "de"],
    ["light", 1_440, "fr"],
    ["dark", 1_440, "de"],
  ] as const)(
    "behind mails have no axe violations or overflow, %s at %d pixels, in %s",
    async (colorScheme, width, locale) => {
      const { join, sendMail } = await openShop();
      const { link, unsubscribe } = await sendMail();
      const { page, complaints, close } = await visit(browser, {
        ...{ colorScheme, locale },
        viewport: { width, height: 800 },
      });
      const inspectPage = async () => [await findViolations(page), await isOverflowing(page)];
      for (const url of [
        join,
        unsubscribe,
        link,
        link.replace(/c\/\w+\?m=/, "m/c/"),
        unsubscribe.slice(0, -1),
      ]) {
        await page.goto(url);
        await expect.poll(async () => [url, ...(await inspectPage())]).toEqual([url, [], false]);
      }
      await page.goto(link);
      for (const button of await page.getByRole("button").all())
        await expect.poll(async () => (await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
      await page.getByRole("button").first().click();
      await page.getByRole("link").waitFor();
      await expect.poll(() => inspectPage()).toEqual([[], false]);
      await page.goto(unsubscribe);
      await page.getByRole("button").last().click();
      await page.getByRole("button").first().waitFor({ state: "detached" });
      await expect.poll(() => inspectPage()).toEqual([[], false]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it("behind mails work without JavaScript, and with only the keyboard", async () => {
    const { acme, sendMail } = await openShop();
    const { userId, link, unsubscribe } = await sendMail();
    const { page, complaints, close } = await visit(browser, { javaScriptEnabled: false });
    await page.goto(link);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("Thank you").waitFor();
    await expect.poll(async () => (await acme.subscriptions.get(userId)).emailConfirmedAt).not.toBeNull();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("0 of 12 stamps").waitFor();
    await expect.poll(() => page.getByRole("button").allTextContents()).toEqual(["Don’t email me again"]);
    await page.goto(unsubscribe);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByText("You’ve been unsubscribed").waitFor();
    const { email, wallet } = await acme.subscriptions.get(userId);
    expect([email.status, wallet.status]).toEqual(["UNSUBSCRIBED", "NONE"]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("behind mails update after a stamp, and keep their questions", async () => {
    const { acme, sendMail } = await openShop();
    const { userId, link } = await sendMail();
    const { page, complaints, close } = await visit(browser);
    await page.goto(link);
    await page.getByText("0 of 12 stamps").waitFor();
    const [pass] = await acme.passes.ofUser(userId);
    await acme.stamps.add(pass?.id ?? "", { count: 2 });
    await page.getByText("2 of 12 stamps").waitFor();
    await page.getByRole("button", { name: "Confirm my email address" }).click();
    await page.getByText("Thank you").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("show the text that is stored as agreed to when the news box is checked", async () => {
    const { acme, join, sendMail } = await openShop();
    await sendMail();
    const { page, close } = await visit(browser, { viewport: { width: 390, height: 800 } });
    await page.goto(join);
    const box = page.getByLabel(/news and offers/);
    await expect.poll(() => box.isChecked()).toBe(false);
    await page.getByLabel("Email or phone number").fill("bo@example.com");
    await box.check();
    const labelText = await page.locator("label[for=news]").innerText();
    await page.getByRole("button").click();
    await page.getByText("0 of 12 stamps").waitFor();
    const { userId } = await acme.passes.lookup(page.url().split("/").at(-1) ?? "");
    await expect
      .poll(async () => (await acme.subscriptions.get(userId)).email)
      .toMatchObject({ status: "PENDING", text: labelText });
    await close();
  });

  it("work without JavaScript, and with only the keyboard", async () => {
    const { join } = await openShop();
    const { page, complaints, close } = await visit(browser, { javaScriptEnabled: false });
    await page.goto(join);
    const typeText = async (text: string) => {
      await page.keyboard.press("Tab");
      await page.keyboard.type(text);
    };
    await typeText("ada@example.com");
    await page.keyboard.press("Enter");
    await page.getByText("0 of 12 stamps").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("are mirrored for a language that is written from right to left", async () => {
    const { join } = await openShop();
    const { page, close } = await visit(browser, { viewport: { width: 360, height: 800 } });
    await page.goto(join);
    await page.getByText("More options").click();
    const box = page.getByLabel(/Remember my card/);
    const text = page.locator("label").filter({ hasText: "Remember my card" });
    const isBoxFirst = async () => ((await box.boundingBox())?.x ?? 0) < ((await text.boundingBox())?.x ?? 0);
    await expect.poll(() => isBoxFirst()).toBe(true);
    await page.evaluate("document.documentElement.dir = 'rtl'");
    await expect.poll(async () => [await isBoxFirst(), await isOverflowing(page)]).toEqual([false, false]);
    await close();
  });

  it("update after a stamp, and after the card is deleted", async () => {
    const { acme, join } = await openShop();
    const { page, close } = await visit(browser);
    await page.goto(join);
    await page.getByLabel("Email or phone number").fill("ada@example.com");
    await page.getByRole("button").click();
    await page.getByText("0 of 12 stamps").waitFor();
    const pass = await acme.passes.lookup(page.url().split("/").at(-1) ?? "");
    await acme.stamps.add(pass.id, { count: 12 });
    await page.getByText("1 reward is waiting for you").waitFor();
    await acme.passes.delete(pass.id);
    await page.getByText("Card not found").waitFor();
    await close();
  });
});
