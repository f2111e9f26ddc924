import type { CreateTemplate, NewDesign } from "loyalty-kit";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { encodeJoinCode } from "../../src/base/values/short-link.js";
import { readQr } from "./read-qr.js";
import {
  findViolations,
  hostile,
  isOverflowing,
  openBrowser,
  openShop,
  signIn,
  typeKey,
  visit,
} from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

/** The sizes in millimeters, by their buttons. */
const sizes = [
  ["Poster, A4", 210, 297],
  ["Table tent, A6", 105, 148],
  ["Sticker, 85 × 55 mm", 85, 55],
] as const;

const brown: NewDesign = { backgroundColor: "#3B2417", foregroundColor: "#FFF6EA", labelColor: "#E3C9A8" };

const SHORT = "Café Morgenrot";
/** As long as a shop's name can be. */
const LONG = "Erste Allgemeine Wiener Vorstadt-Kaffeerösterei und Zuckerbäckerei Hofstätter";

/** Creates a card and opens its poster. */
async function openPoster(senderName: string | null, card: Partial<CreateTemplate> = {}, locale = "en-US") {
  await shop.acme.messageSettings.update({ senderName });
  const { type = "STAMP_CARD", maxStamps, ...fields } = card;
  const kind = type === "STAMP_CARD" ? { type, maxStamps: maxStamps ?? 10 } : { type };
  const template = await shop.acme.templates.create({ name: "Coffee card", ...fields, ...kind });
  const browserVisit = await visit(browser, { viewport: { width: 390, height: 844 }, locale });
  const { page } = browserVisit;
  await signIn(page, shop, `/console/cards/${template.id}/poster`);
  await page.locator(".sheet").waitFor();
  const chooseSize = (button: string) => page.getByRole("button", { name: button }).click();
  const findSheet = (button: string) => page.getByRole("region", { name: button });
  return { ...browserVisit, template, chooseSize, findSheet };
}

/** Lists the pages that the browser prints, in millimeters. */
async function listPrintedPages(page: Page): Promise<readonly (readonly [width: number, height: number])[]> {
  const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
  const boxes = [...pdf.matchAll(/\/MediaBox ?\[0 0 ([\d.]+) ([\d.]+)\]/g)];
  return boxes.map(([, width, height]) => [Number(width) * (25.4 / 72), Number(height) * (25.4 / 72)]);
}

/** Finds texts, pictures or codes that overflow a sheet or overlap. Checks texts line by line. */
async function findMisplaced(page: Page): Promise<unknown> {
  return page.evaluate(`(() => {
    const sheet = document.querySelector(".sheet > svg");
    const frame = sheet.getBoundingClientRect();
    const things = [...sheet.querySelectorAll("tspan:not([font-size])"), ...sheet.querySelectorAll(":scope > image, :scope > svg")]
      .map((thing) => [thing.textContent, thing.getBoundingClientRect()])
      .filter(([, { width }]) => width > 0);
    const least = frame.width / 100;
    const isOut = ({ left, top, right, bottom }) =>
      left < frame.left + least || right > frame.right - least || top < frame.top + least || bottom > frame.bottom - least;
    const out = things.filter(([, box]) => isOut(box)).map(([text]) => ["stands out", text]);
    // The box of a line of letters is higher than the letters are.
    const slack = ({ height }) => height * 0.12;
    const touching = things.flatMap(([text, box], at) => things.slice(at + 1)
      .filter(([, other]) => box.left < other.right && other.left < box.right
        && box.top + slack(box) < other.bottom - slack(other) && other.top + slack(other) < box.bottom - slack(box))
      .map(([other]) => ["touch", text, other]));
    return things.length < 5 ? ["hardly anything is there"] : [...out, ...touching];
  })()`);
}

describe("a poster", () => {
  it.each([
    ["short texts", SHORT, { reward: "Any coffee, on us", design: brown }],
    ["a design without a color, and no reward text", null, {}],
    ["a card without stamps", SHORT, { type: "LOYALTY_CARD" as const, maxStamps: null }],
    [
      "texts of maximum length",
      LONG,
      {
        name: "Donaudampfschifffahrtsgesellschaftskapitänskarte ".repeat(3).slice(0, 150).trim(),
        reward: "Ein großes Frühstück für zwei mit Kaffee, Orangensaft und Semmeln, "
          .repeat(3)
          .slice(0, 150)
          .trim(),
        maxStamps: 100,
      },
    ],
    [
      "one long word, and hostile texts",
      "M".repeat(78),
      { name: hostile, reward: "W".repeat(150), design: brown },
    ],
  ] as const)(
    "prints in each size on one page of exactly that size, with nothing misplaced, with %s",
    async (_, name, card) => {
      const { page, complaints, chooseSize, findSheet, close } = await openPoster(name, card);
      for (const [button, width, height] of sizes) {
        await chooseSize(button);
        await findSheet(button).waitFor();
        await page.emulateMedia({ media: "print" });
        await expect.poll(async () => [button, await findMisplaced(page)]).toEqual([button, []]);
        const pages = await listPrintedPages(page);
        expect(pages).toHaveLength(1);
        const [[wide, high] = [0, 0]] = pages;
        // Browsers round pages to whole pixels, which are about a quarter of a millimeter.
        expect([button, Math.abs(wide - width) < 0.26, Math.abs(high - height) < 0.26]).toEqual([
          button,
          true,
          true,
        ]);
        await page.emulateMedia({ media: "screen" });
      }
      expect(complaints).toEqual([]);
      await close();
    },
  );

  it("names the shop, the reward and the stamps it takes, in the shop's colors, with a short link to the card", async () => {
    const { page, template, chooseSize, findSheet, close } = await openPoster(SHORT, {
      reward: "Any coffee, on us",
      design: brown,
    });
    for (const [button] of sizes) {
      await chooseSize(button);
      for (const text of [
        SHORT,
        "Collect 10 stamps and get:",
        "Any coffee, on us",
        "Scan to get your card",
      ]) {
        await findSheet(button).getByText(text, { exact: true }).waitFor();
      }
      await findSheet(button)
        .getByRole("img", { name: /^Coffee card\. 5 of 10 stamps/ })
        .waitFor();
      await expect
        .poll(() => findSheet(button).locator(`rect[fill="${brown.backgroundColor}"]`).count())
        .toBe(1);
      const link = `https://shop.example/j/${encodeJoinCode(template.id)}`;
      await expect.poll(() => readQr(page, /^QR code for/)).toBe(link);
      await findSheet(button).getByText(link.replace("https://", ""), { exact: true }).waitFor();
    }
    await close();
  });

  it("opens the sign-up page on the same device, and copies its link", async () => {
    const { page, context, template, close } = await openPoster(SHORT);
    const link = `https://shop.example/j/${encodeJoinCode(template.id)}`;
    const open = page.getByRole("link", { name: "Open the sign-up page" });
    await expect.poll(() => open.getAttribute("href")).toBe(link);
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the link" }).click();
    await page.getByText("Link copied").waitFor();
    await expect.poll(() => page.evaluate("navigator.clipboard.readText()")).toBe(link);
    await page.emulateMedia({ media: "print" });
    await expect.poll(() => open.isVisible()).toBe(false);
    await close();
  });

  it("links to the address where the console is open, if phones can open that", async () => {
    const { page, template, close } = await openPoster(SHORT);
    const reachable = { ...shop, url: shop.url.replace("127.0.0.1", "cafe.localhost") };
    await typeKey(page, reachable, `/console/cards/${template.id}/poster`);
    const link = `${reachable.url}/j/${encodeJoinCode(template.id)}`;
    await page.getByRole("img", { name: `QR code for ${link}` }).waitFor();
    await expect.poll(() => page.getByText("Don’t print this yet").count()).toBe(0);
    await close();
  });

  it("has codes that phones can scan from paper: each square is larger than half a millimeter", async () => {
    const { page, chooseSize, close } = await openPoster(SHORT);
    await page.emulateMedia({ media: "print" });
    for (const [button] of sizes) {
      await page.emulateMedia({ media: "screen" });
      await chooseSize(button);
      await page.emulateMedia({ media: "print" });
      const code = page.getByRole("img", { name: /^QR code for/ });
      const squares = Number((await code.getAttribute("viewBox"))?.split(" ")[2]);
      const measureCode = async () => (((await code.boundingBox())?.width ?? 0) / 96) * 25.4;
      await expect.poll(async () => (await measureCode()) / squares).toBeGreaterThan(0.5);
    }
    await close();
  });

  it("is in the first language of the card's design, or else in the browser's", async () => {
    const german = await openPoster(SHORT, { design: { ...brown, texts: [{ language: "de-AT" }] } });
    await german.page.getByText("Für 10 Stempel gibt es").waitFor();
    await german.page.getByText("eine Prämie", { exact: true }).waitFor();
    await german.close();
    const french = await openPoster(SHORT, { maxStamps: 1 }, "fr-CA");
    await french.page.getByText("Avec 1 tampon, recevez").waitFor();
    await french.close();
  });

  it.each(["light", "dark"] as const)(
    "has no axe violations or overflow in any size, %s",
    async (colorScheme) => {
      const { page, chooseSize, findSheet, close } = await openPoster(LONG, {
        design: brown,
        reward: hostile,
      });
      await page.emulateMedia({ colorScheme });
      for (const [button] of sizes) {
        await chooseSize(button);
        await findSheet(button).waitFor();
        await expect
          .poll(async () => [button, await findViolations(page), await isOverflowing(page)])
          .toEqual([button, [], false]);
      }
      await close();
    },
  );
});
