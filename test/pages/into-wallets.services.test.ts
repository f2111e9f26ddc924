import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages } from "loyalty-kit/pages";
import { createFakeGoogle, createFakePki, verifiedPass } from "loyalty-kit/testing";
import { createWallets } from "loyalty-kit/wallets";
import type { BrowserContextOptions, Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { readQr } from "../console/read-qr.js";
import { findViolations, isOverflowing, openBrowser, urlOf, visit } from "../console/shop.js";
import { addCleanup } from "../kit/cleanup.js";

/** Blocks all other hosts, so that no page reaches the real Google. */
const browser = await openBrowser(["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]);
const pki = createFakePki();
const shop = await openShop();

const onPhone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const iPhone = {
  ...onPhone,
  userAgent:
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
};
const android = {
  ...onPhone,
  userAgent:
    "Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
};
const desktop = { viewport: { width: 1_440, height: 900 } };

/** Opens a shop whose cards go into the wallets of a fake Apple and a fake Google, served to browsers. */
async function openShop() {
  const google = await createFakeGoogle();
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = urlOf(server);
  const loyalty = new LoyaltyService({ storage: memoryStorage(), shortLinkBase: `${url}/c` });
  const { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl } = google;
  const wallets = createWallets(loyalty, {
    publicUrl: url,
    apple: { ...pki.pass, wwdr: pki.wwdr },
    google: { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl },
    deliver: false,
  });
  const extensions = [createPages(loyalty), wallets.http];
  server.on(
    "request",
    nodeListener(createHttpApi(loyalty, { authenticate: apiTokens(loyalty), extensions })),
  );
  addCleanup(async () => {
    server.closeAllConnections();
    server.close();
    await wallets.close();
    await google.close();
    await loyalty.close();
  });
  const acme = loyalty.organization("acme");
  await acme.messageSettings.update({ senderName: "Café Morgenrot" });
  const { id } = await acme.templates.create({
    ...{ name: "Coffee card", type: "STAMP_CARD", maxStamps: 8, reward: "Any coffee" },
    design: { backgroundColor: "#3B2417", foregroundColor: "#FFF6EA", labelColor: "#E3C9A8" },
  });
  const getCode = (page: Page) => page.url().split("/").at(-1) ?? "";
  const findPass = (page: Page) => acme.passes.lookup(getCode(page));
  return { google, url, join: `${url}/join/${id}`, findPass };
}

/** Opens the card's sign-up page and fills it in, but doesn't send it yet. */
async function fillInForm(device: BrowserContextOptions, { remembers = false } = {}) {
  const visited = await visit(browser, device);
  const { page } = visited;
  await page.goto(shop.join);
  await page.getByLabel("Email or phone number").fill("\u202A(030)\u00A0١٢٣\u2011٤٥٦\u202C");
  if (remembers) {
    await page.getByText("More options").click();
    await page.getByLabel(/Remember my card/).check();
  }
  return visited;
}

const findWalletButtons = (page: Page) => page.getByRole("link", { name: /^Add to / });

/** Taps a button that is on the screen, because customers don't look for one below it. */
async function tapButton(page: Page, button: Locator): Promise<void> {
  await button.waitFor();
  const height = page.viewportSize()?.height ?? 0;
  await expect
    .poll(async () => {
      const box = await button.boundingBox();
      return box !== null && box.y >= 0 && box.y + box.height <= height;
    })
    .toBe(true);
  await button.tap();
}

describe("a card is in the wallet after two taps", () => {
  it("on an iPhone: the form's button, and Apple's", async () => {
    const { page, complaints, close } = await fillInForm(iPhone);
    await page.getByRole("button", { name: "Get my card" }).tap();
    const passFile = page.waitForEvent("download");
    await tapButton(page, page.getByRole("link", { name: "Add to Apple Wallet" }));
    const { id } = await shop.findPass(page);
    const added = verifiedPass(await readFile(await (await passFile).path()), pki.root, Date.now());
    expect(added.pass).toMatchObject({ serialNumber: id, logoText: "Coffee card" });
    expect(complaints).toEqual([]);
    await close();
  });

  it("on an Android phone: the form's button, and Google's", async () => {
    const { page, complaints, close } = await fillInForm(android);
    const led = page.waitForRequest("https://pay.google.com/gp/v/save/*");
    await page.getByRole("button", { name: "Get my card" }).tap();
    const button = page.getByRole("link", { name: "Add to Google Wallet" });
    await button.waitFor();
    const { id } = await shop.findPass(page);
    await tapButton(page, button);
    const objectId = await shop.google.save((await led).url());
    expect(objectId).toBe(`${shop.google.issuerId}.${id}`);
    expect(complaints).toEqual([]);
    await close();
  });

  it("on a phone that remembers it: the link to the card, and the wallet's button", async () => {
    const { page, close } = await fillInForm(iPhone, { remembers: true });
    await page.getByRole("button", { name: "Get my card" }).tap();
    await findWalletButtons(page).waitFor();
    const { id } = await shop.findPass(page);
    await page.goto(shop.join);
    await tapButton(page, page.getByRole("link", { name: "Open my card" }));
    const passFile = page.waitForEvent("download");
    await tapButton(page, page.getByRole("link", { name: "Add to Apple Wallet" }));
    const added = verifiedPass(await readFile(await (await passFile).path()), pki.root, Date.now());
    expect(added.pass).toMatchObject({ serialNumber: id });
    await close();
  });
});

describe("the wallet buttons of a card page", () => {
  it.each([
    ["an iPhone", iPhone, ["Add to Apple Wallet"]],
    ["an Android phone", android, ["Add to Google Wallet"]],
    ["a computer", desktop, ["Add to Apple Wallet", "Add to Google Wallet"]],
  ] as const)("on %s are those that it supports", async (_, device, names) => {
    const { page, complaints, close } = await fillInForm(device);
    await page.getByRole("button", { name: "Get my card" }).click();
    await findWalletButtons(page).first().waitFor();
    await expect.poll(() => findWalletButtons(page).allTextContents()).toEqual(names);
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("appear on the phone that scans the code on a computer's screen", async () => {
    const { page, close } = await fillInForm(desktop);
    await page.getByRole("button", { name: "Get my card" }).click();
    await findWalletButtons(page).first().waitFor();
    const scanned = await readQr(page, /QR code for this card/);
    expect(scanned).toBe(page.url());
    await close();
    for (const [device, names] of [
      [iPhone, ["Add to Apple Wallet"]],
      [android, ["Add to Google Wallet"]],
    ] as const) {
      const phone = await visit(browser, device);
      await phone.page.goto(scanned);
      await expect.poll(() => findWalletButtons(phone.page).allTextContents()).toEqual(names);
      await phone.close();
    }
  });
});
