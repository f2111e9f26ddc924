import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { findFreePort } from "../kit/free-port.js";
import { openShop, signIn } from "./shop.js";

const SCANS = 50;

/** Timeout in milliseconds for a browser to start on a busy machine. */
const LONG = 90_000;

// The server stops, and starts again on the same port.
const shop = await openShop({ port: await findFreePort() });
const profile = mkdtempSync(join(tmpdir(), "loyalty-kit-till-"));

/** Kills the open browser. Only one browser at a time can open a profile. */
let killOpenBrowser = async () => {};

// A failed test leaves its browser open, which must not fail the next one.
afterEach(() => killOpenBrowser());
afterAll(() => rmSync(profile, { recursive: true, force: true }));

/** Opens a browser with the test's profile, which can be killed like a device that loses power. */
async function openTill(): Promise<{ page: Page; killBrowser(): Promise<void> }> {
  const flags = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--remote-debugging-port=0",
  ];
  const child = spawn(process.env.CHROMIUM ?? "/usr/bin/chromium", [...flags, `--user-data-dir=${profile}`], {
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let connectedBrowser: Browser | null = null;
  const killBrowser = async () => {
    killOpenBrowser = async () => {};
    await killProcess(child, connectedBrowser);
  };
  killOpenBrowser = killBrowser;
  const browser = await chromium.connectOverCDP(await readDevtoolsUrl(child), { timeout: LONG });
  connectedBrowser = browser;
  const [context] = browser.contexts();
  if (context === undefined) throw new Error("the browser has no window");
  const page = context.pages()[0] ?? (await context.newPage());
  return { page, killBrowser };
}

function readDevtoolsUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stderr?.on("data", (chunk) => {
      text += chunk;
      const [address] = /ws:\/\/\S+/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once("exit", () => reject(new Error(text)));
  });
}

async function killProcess(child: ChildProcess, browser: Browser | null): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const exit = new Promise((resolve) => child.once("exit", resolve));
    // Kills all processes of the browser, which are in their own group.
    process.kill(-child.pid, "SIGKILL");
    await exit;
  }
  await browser?.close();
  rmSync(join(profile, "SingletonLock"), { force: true });
}

async function stopServer(server: Server): Promise<void> {
  const stopPromise = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await stopPromise;
}

async function startServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(Number(new URL(shop.url).port), "127.0.0.1", resolve));
}

/** Script: resolves to the number of turns that the till's pages store on this device. */
const turnsOnDisk = `new Promise((resolve, reject) => {
  const opening = indexedDB.open("loyalty-till-turns/console");
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const pages = opening.result.transaction("scans").objectStore("scans").getAll();
    pages.onerror = () => reject(pages.error);
    pages.onsuccess = () => {
      opening.result.close();
      resolve(pages.result.reduce((sum, { turns }) => sum + turns.length, 0));
    };
  };
})`;

/** Sums the stamps of the passes. */
async function countStamps(passIds: readonly string[]): Promise<number> {
  let all = 0;
  for (const id of passIds) all += (await shop.acme.stamps.state(id)).totalStampsCollected;
  return all;
}

async function scanCard(page: Page, code: string): Promise<void> {
  await page.getByLabel("Code, name, phone, or email").fill(code);
  await page.getByRole("button", { name: "Find card" }).click();
  await page.getByRole("button", { name: "Save 1 stamp" }).click();
  await page.getByRole("status").getByText("Saved: +1 stamp").waitFor();
}

/** Scans one card after another without waiting for results. */
async function scanAllCards(page: Page, codes: readonly string[]): Promise<void> {
  for (const code of codes) {
    await page.getByLabel("Code, name, phone, or email").fill(code);
    await page.getByRole("button", { name: "Find card" }).click();
  }
}

describe("the till in a browser that is killed", () => {
  // A choice made here does not apply to the tests below.
  afterAll(() => rmSync(profile, { recursive: true, force: true }));

  it("continues with the waiting cards, asks the same question again, and stamps each card once", async () => {
    const { id } = await shop.acme.templates.create({ name: "Soup", type: "STAMP_CARD", maxStamps: 10 });
    const codes: string[] = [];
    const ids: string[] = [];
    for (const name of ["Ada", "Bo", "Cy"]) {
      const pass = await shop.acme.passes.create(id, { user: { name, email: `${name}@example.com` } });
      codes.push(pass.qrCodeValue);
      ids.push(pass.id);
    }
    // A killed browser may have lost what was stored just before.
    const openAsChosen = async () => {
      const openedTill = await openTill();
      await openedTill.page
        .context()
        .addInitScript(`localStorage.setItem("loyalty-till-choices/console", '{"isEveryScanAStamp":true}')`);
      return openedTill;
    };
    let till = await openAsChosen();
    await signIn(till.page, shop, "/console/till");
    await till.page.getByLabel("Code, name, phone, or email").waitFor();
    const [ada = "", ...others] = codes;
    await scanAllCards(till.page, [ada]);
    await till.page.getByRole("status").getByText("+1 stamp").waitFor();
    await scanAllCards(till.page, [ada, ...others]);
    await till.page.getByText("Add another?").waitFor();
    await till.page.getByText("2 cards waiting").waitFor();
    // The displayed state is on disk a moment later.
    await expect.poll(() => till.page.evaluate(turnsOnDisk)).toBe(3);
    await till.killBrowser();

    till = await openAsChosen();
    await signInAgain(till.page);
    await till.page.locator(".till-name").getByText("Ada").waitFor();
    await till.page.getByText("Add another?").waitFor();
    await till.page.getByText("2 cards waiting").waitFor();
    // Another page of the same browser has its own turns.
    const other = await till.page.context().newPage();
    await other.goto(`${shop.url}/console/till`);
    await other.getByText("Every scan adds one stamp.").waitFor();
    await scanAllCards(other, [ada]);
    await other.getByRole("status").getByText("+1 stamp").waitFor();
    await expect.poll(() => till.page.evaluate(turnsOnDisk)).toBe(3);
    await expect.poll(() => other.getByText(/cards? waiting/).count()).toBe(0);
    await other.close();
    await till.page.getByRole("button", { name: /^Next customer/ }).click();
    await till.page.locator(".till-name").getByText("Cy").waitFor();
    await till.page.getByRole("status").getByText("+1 stamp").waitFor();
    // Until the end of Cy's turn is on disk, a new page continues the turn with the same key.
    await expect.poll(() => till.page.evaluate(turnsOnDisk)).toBe(0);
    await till.page.reload();
    await till.page.getByText("Every scan adds one stamp.").waitFor();
    for (const [at, expected] of [2, 1, 1].entries())
      await expect.poll(() => countStamps([ids[at] ?? ""])).toBe(expected);
  });
});

describe("the till without a connection", () => {
  it("stores 50 scans even if the browser is killed, and gives exactly 50 stamps once it is back", async () => {
    const { id } = await shop.acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });
    const passes: { id: string; code: string }[] = [];
    for (let at = 0; at < 5; at += 1) {
      const pass = await shop.acme.passes.create(id, { user: { email: `${at}@example.com` } });
      passes.push({ id: pass.id, code: pass.qrCodeValue });
    }
    const passIds = passes.map((pass) => pass.id);
    let till = await openTill();
    await signIn(till.page, shop, "/console/till");
    await till.page.getByLabel("Code, name, phone, or email").waitFor();
    await stopServer(shop.server);
    for (let at = 0; at < SCANS; at += 1) await scanCard(till.page, passes[at % 5]?.code ?? "");
    await till.page.getByText(`${SCANS} scans waiting for a connection`).waitFor();
    await till.killBrowser();
    await expect.poll(() => countStamps(passIds)).toBe(0);

    await startServer(shop.server);
    till = await openTill();
    await signInAgain(till.page);
    // It is killed again while it sends.
    while ((await countStamps(passIds)) < 10) await new Promise((resolve) => setTimeout(resolve, 5));
    await till.killBrowser();
    till = await openTill();
    await signInAgain(till.page);
    await till.page.getByText("waiting for a connection").waitFor({ state: "detached" });
    while ((await countStamps(passIds)) < SCANS) await new Promise((resolve) => setTimeout(resolve, 20));
    await till.page.reload();
    await till.page.getByLabel("Code, name, phone, or email").waitFor();
    await expect.poll(() => till.page.getByText("waiting for a connection").count()).toBe(0);
    await expect.poll(() => countStamps(passIds)).toBe(SCANS);
    await till.killBrowser();
  });

  it("opens without a connection on a device that had it open before, until the person signs out", async () => {
    const { id } = await shop.acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 10 });
    const pass = await shop.acme.passes.create(id, { user: { email: "tea@example.com" } });
    let till = await openTill();
    await signInAgain(till.page);
    await till.page.evaluate("navigator.serviceWorker.ready.then(() => null)");
    await stopServer(shop.server);
    await till.killBrowser();

    till = await openTill();
    await till.page.goto(`${shop.url}/console/till`);
    await scanCard(till.page, pass.qrCodeValue);
    await till.page.getByText("1 scan waiting for a connection").waitFor();
    await startServer(shop.server);
    await signInAgain(till.page);
    await expect.poll(() => countStamps([pass.id])).toBe(1);

    const navigation = till.page.getByRole("navigation", { name: "Console" });
    await navigation.getByRole("button", { name: "More" }).click();
    await navigation.getByRole("button", { name: "Sign out" }).click();
    await till.page.getByLabel("API token").waitFor();
    await stopServer(shop.server);
    await expect(till.page.goto(`${shop.url}/console/till`)).rejects.toThrow("ERR_");
    await startServer(shop.server);
    await till.killBrowser();
  });

  it("shows a scan that the server rejects, and lets it be dismissed", async () => {
    const till = await openTill();
    await signInAgain(till.page);
    await stopServer(shop.server);
    await scanCard(till.page, "Unknown00000");
    await startServer(shop.server);
    await till.page.getByText("No card has this code.").waitFor();
    await till.page.getByRole("button", { name: "Dismiss" }).click();
    await till.page.getByText("Not accepted").waitFor({ state: "detached" });
    await till.killBrowser();
  });
});

/** Signs in again if the killed browser has lost its session. */
async function signInAgain(page: Page): Promise<void> {
  await page.goto(`${shop.url}/console/till`);
  if (await page.getByLabel("API token").isVisible()) await signIn(page, shop, "/console/till");
  await page.getByLabel("Code, name, phone, or email").waitFor();
}
