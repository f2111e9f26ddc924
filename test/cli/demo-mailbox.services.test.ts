import { once } from "node:events";
import { createServer } from "node:http";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages } from "loyalty-kit/pages";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  buildMailboxPath,
  createMailboxPages,
  DemoMailbox,
} from "../../adapters/apps/cli/server/demo-mailbox.js";
import { findViolations, hostile, isOverflowing, openBrowser, urlOf, visit } from "../console/shop.js";
import { createOutgoingMail } from "./demo-mails.js";

const browser = await openBrowser();
const key = "abcdefghijklmnopqrstuvwx";
const publicUrl = "http://127.0.0.1:3000";

/** Opens a demo whose mailbox has a mail with a link to a card, and a hostile mail. */
async function openDemo() {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const mailbox = new DemoMailbox();
  const pages = [
    createPages(loyalty),
    createMailboxPages(mailbox, { key, publicUrl: () => publicUrl, rewriteLinks: true }),
  ];
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), extensions: pages });
  const server = createServer(nodeListener(api)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await loyalty.close();
  });
  const acme = loyalty.organization("acme");
  const template = await acme.templates.create({ name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 });
  const card = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
  const code = card.qrCodeValue.split("/").at(-1);
  const buildHtml = (body: string) =>
    `<!doctype html><html lang="en"><head><meta name="color-scheme" content="light dark"><title>Mail</title></head><body>${body}</body></html>`;
  const link = buildHtml(`<h1>Your card</h1><p><a href="${publicUrl}/c/${code}">Open your card</a></p>`);
  await mailbox.send(createOutgoingMail({ id: "mdl_card", subject: "Your Coffee card", html: link }));
  const attack = buildHtml(
    `<p>Read me</p><script>parent.alert(1)</script><img src="x" onerror="parent.alert(1)"><form action="/join"><button>Send</button></form>`,
  );
  const evil = { id: "mdl_evil", subject: hostile, to: "eve@example.com", text: hostile, html: attack };
  await mailbox.send(createOutgoingMail(evil));
  return { url: urlOf(server) + buildMailboxPath(key) };
}

describe("the demo mailbox", () => {
  it.each([
    ["light", 390],
    ["dark", 390],
    ["light", 1_440],
    ["dark", 1_440],
  ] as const)(
    "leads from the list to a mail and on to its card, %s at %d pixels, and axe finds no violations",
    async (colorScheme, width) => {
      const { url } = await openDemo();
      const viewport = { width, height: 800 };
      const { page, context, complaints, close } = await visit(browser, { colorScheme, viewport });
      const inspectPage = async () => [await findViolations(page), await isOverflowing(page)];
      await page.goto(url);
      await expect.poll(() => inspectPage()).toEqual([[], false]);
      await page.getByRole("link", { name: "Your Coffee card" }).click();
      const link = page.frameLocator("iframe").getByRole("link", { name: "Open your card" });
      await link.waitFor();
      await expect.poll(() => inspectPage()).toEqual([[], false]);
      const [card] = await Promise.all([context.waitForEvent("page"), link.click()]);
      await card.getByText("0 of 10 stamps").waitFor();
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it("runs no scripts of a mail and submits no forms", async () => {
    const { url } = await openDemo();
    const { page, complaints, close } = await visit(browser);
    await page.goto(`${url}/mdl_evil`);
    await page.frameLocator("iframe").getByText("Read me").waitFor();
    await page.frameLocator("iframe").getByRole("button").click();
    await page.goto(`${url}/mdl_evil/html`);
    await page.getByText("Read me").waitFor();
    await page.getByRole("button").click();
    expect(page.url()).toBe(`${url}/mdl_evil/html`);
    // Chromium reports everything that it blocks. A dialog would be a separate complaint.
    expect(complaints.length).toBeGreaterThan(0);
    expect(complaints.filter((each) => !/^(Blocked|Executing|Loading|Refused)/.test(each))).toEqual([]);
    await close();
  });
});
