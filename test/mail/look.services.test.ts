import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { buildMessageMail } from "../../adapters/delivery/mail/send-attempt.js";
import { findViolations, isOverflowing, openBrowser, visit } from "../console/shop.js";

const browser = await openBrowser();

const createDesign = (backgroundColor: string, foregroundColor: string) => ({
  ...{ backgroundColor, foregroundColor, logo: null, texts: [] },
});

const words = {
  plain: {
    language: "en",
    subject: "Two coffees for one",
    text: "Hello Ada,\n\nsee https://shop.example/menu.",
  },
  hebrew: { language: "he", subject: "קפה חינם השבוע", text: "שלום עדה,\n\nhttps://shop.example/he" },
  long: {
    language: "de",
    subject: "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverordnung",
    text: `${"x".repeat(400)}\n\nhttps://shop.example/${"long".repeat(100)}`,
  },
};

/** Renders the HTML of a message's mail, in the colors of a card. */
function renderHtml(message: (typeof words)["plain"], colors: ReturnType<typeof createDesign>): string {
  const template = { design: colors };
  const job = {
    ...{
      organizationId: "acme",
      delivery: { id: "mdl_1" },
      to: "ada@example.com",
      unsubscribe: "/m/u/token",
    },
    ...{
      link: "/c/Abc?m=token",
      settings: { senderName: null, replyTo: null, footer: "Café GmbH\nVienna", logo: null, language: null },
    },
    message: { ...message, link: "https://shop.example/offer", isTest: false },
  };
  const sender = {
    ...{ publicUrl: "https://shop.example", from: { name: "Shop", address: "shop@shop.example" } },
    ...{ replyTo: null, bounceDomain: null, host: "shop.example" },
  };
  return buildMessageMail({ ...job, pass: { template } }, sender, new Date()).html;
}

/** Finds accessibility problems, except missing landmarks: those belong to the page around a mail. */
const findProblems = async (page: Page) =>
  (await findViolations(page)).filter((each) => !/^(?:landmark-one-main|region) /.test(each));

it.each([
  ["light", 390],
  ["dark", 390],
  ["light", 800],
  ["dark", 800],
] as const)(
  "a message's mail fits its window, and axe finds no problem in it: %s at %d pixels",
  async (colorScheme, width) => {
    const { page, close } = await visit(browser, { colorScheme, viewport: { width, height: 800 } });
    for (const message of Object.values(words)) {
      for (const colors of [
        createDesign("#7C2D12", "#FFEDD5"),
        createDesign("#000000", "#FFFFFF"),
        createDesign("#FFFFFF", "#111111"),
      ]) {
        await page.setContent(renderHtml(message, colors));
        await expect
          .poll(async () => [message.language, colors, await findProblems(page), await isOverflowing(page)])
          .toEqual([...[message.language, colors], ...[[], false]]);
      }
    }
    await close();
  },
);
