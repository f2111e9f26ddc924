import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { freePort } from "../kit/free-port.js";
import { openShop, signIn } from "./shop.js";

const SCANS = 50;

/** Enough for a browser to begin on a busy machine. */
const LONG = 90_000;

// It goes and comes back.
const shop = await openShop({ port: await freePort() });
const profile = mkdtempSync(join(tmpdir(), "loyalty-kit-till-"));

/** Kills the browser that is open. A profile opens in one browser at a time. */
let killOpen = async () => {};

// A test that fails leaves its browser open, which must not fail the next one.
afterEach(() => killOpen());
afterAll(() => rmSync(profile, { recursive: true, force: true }));

/** A browser on the profile of the test, which can be killed as a device that loses its power. */
async function openTill(): Promise<{ page: Page; kill(): Promise<void> }> {
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
  let connected: Browser | null = null;
  const kill = async () => {
    killOpen = async () => {};
    await killed(child, connected);
  };
  killOpen = kill;
  const browser = await chromium.connectOverCDP(await addressOf(child), { timeout: LONG });
  connected = browser;
  const [context] = browser.contexts();
  if (context === undefined) throw new Error("the browser has no window");
  const page = context.pages()[0] ?? (await context.newPage());
  return { page, kill };
}

function addressOf(child: ChildProcess): Promise<string> {
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

async function killed(child: ChildProcess, browser: Browser | null): Promise<void> {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    const gone = new Promise((resolve) => child.once("exit", resolve));
    // With all processes of the browser, which are in a group of their own.
    process.kill(-child.pid, "SIGKILL");
    await gone;
  }
  await browser?.close();
  rmSync(join(profile, "SingletonLock"), { force: true });
}

async function stop(server: Server): Promise<void> {
  const stopped = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await stopped;
}

async function start(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(Number(new URL(shop.url).port), "127.0.0.1", resolve));
}

/** Resolves to how many turns the pages of the till keep on this device. */
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

/** How many stamps the passes have together. */
async function stamped(passIds: readonly string[]): Promise<number> {
  let all = 0;
  for (const id of passIds) all += (await shop.acme.stamps.state(id)).totalStampsCollected;
  return all;
}

async function scan(page: Page, code: string): Promise<void> {
  await page.getByLabel("Code, name, phone, or email").fill(code);
  await page.getByRole("button", { name: "Find card" }).click();
  await page.getByRole("button", { name: "Save 1 stamp" }).click();
  await page.getByRole("status").getByText("Saved: +1 stamp").waitFor();
}

/** Scans one card after the other at once, without waiting for what comes of it. */
async function scanAll(page: Page, codes: readonly string[]): Promise<void> {
  for (const code of codes) {
    await page.getByLabel("Code, name, phone, or email").fill(code);
    await page.getByRole("button", { name: "Find card" }).click();
  }
}

describe("the till of a browser that is killed", () => {
  // What is chosen here is not chosen for the tests below.
  afterAll(() => rmSync(profile, { recursive: true, force: true }));

  it("goes on with the cards that waited, asks what it asked before, and stamps each once", async () => {
    const { id } = await shop.acme.templates.create({ name: "Soup", type: "STAMP_CARD", maxStamps: 10 });
    const codes: string[] = [];
    const ids: string[] = [];
    for (const name of ["Ada", "Bo", "Cy"]) {
      const pass = await shop.acme.passes.create(id, { user: { name, email: `${name}@example.com` } });
      codes.push(pass.qrCodeValue);
      ids.push(pass.id);
    }
    // A browser that is killed may have lost what it was told a moment ago.
    const openAsChosen = async () => {
      const opened = await openTill();
      await opened.page
        .context()
        .addInitScript(`localStorage.setItem("loyalty-till-choices/console", '{"isEveryScanAStamp":true}')`);
      return opened;
    };
    let till = await openAsChosen();
    await signIn(till.page, shop, "/console/till");
    await till.page.getByLabel("Code, name, phone, or email").waitFor();
    const [ada = "", ...others] = codes;
    await scanAll(till.page, [ada]);
    await till.page.getByRole("status").getByText("+1 stamp").waitFor();
    await scanAll(till.page, [ada, ...others]);
    await till.page.getByText("Add another?").waitFor();
    await till.page.getByText("2 cards waiting").waitFor();
    // What is shown is on the disk a moment later.
    await expect.poll(() => till.page.evaluate(turnsOnDisk)).toBe(3);
    await till.kill();

    till = await openAsChosen();
    await signInAgain(till.page);
    await till.page.locator(".till-name").getByText("Ada").waitFor();
    await till.page.getByText("Add another?").waitFor();
    await till.page.getByText("2 cards waiting").waitFor();
    // Another page of the same browser has turns of its own.
    const other = await till.page.context().newPage();
    await other.goto(`${shop.url}/console/till`);
    await other.getByText("Every scan adds one stamp.").waitFor();
    await scanAll(other, [ada]);
    await other.getByRole("status").getByText("+1 stamp").waitFor();
    await expect.poll(() => till.page.evaluate(turnsOnDisk)).toBe(3);
    await expect.poll(() => other.getByText(/cards? waiting/).count()).toBe(0);
    await other.close();
    await till.page.getByRole("button", { name: /^Next customer/ }).click();
    await till.page.locator(".till-name").getByText("Cy").waitFor();
    await till.page.getByRole("status").getByText("+1 stamp").waitFor();
    // Until it is on the disk that Cy's turn is done, a page that opens goes on with it, by the same key.
    await expect.poll(() => till.page.evaluate(turnsOnDisk)).toBe(0);
    await till.page.reload();
    await till.page.getByText("Every scan adds one stamp.").waitFor();
    for (const [at, expected] of [2, 1, 1].entries())
      await expect.poll(() => stamped([ids[at] ?? ""])).toBe(expected);
  });
});

describe("the till without a connection", () => {
  it("keeps 50 scans over a kill of the browser, and gives exactly 50 stamps when it is back", async () => {
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
    await stop(shop.server);
    for (let at = 0; at < SCANS; at += 1) await scan(till.page, passes[at % 5]?.code ?? "");
    await till.page.getByText(`${SCANS} scans waiting for a connection`).waitFor();
    await till.kill();
    await expect.poll(() => stamped(passIds)).toBe(0);

    await start(shop.server);
    till = await openTill();
    await signInAgain(till.page);
    // It is killed once more, while it sends.
    while ((await stamped(passIds)) < 10) await new Promise((resolve) => setTimeout(resolve, 5));
    await till.kill();
    till = await openTill();
    await signInAgain(till.page);
    await till.page.getByText("waiting for a connection").waitFor({ state: "detached" });
    while ((await stamped(passIds)) < SCANS) await new Promise((resolve) => setTimeout(resolve, 20));
    await till.page.reload();
    await till.page.getByLabel("Code, name, phone, or email").waitFor();
    await expect.poll(() => till.page.getByText("waiting for a connection").count()).toBe(0);
    await expect.poll(() => stamped(passIds)).toBe(SCANS);
    await till.kill();
  });

  it("opens without a connection on a device that had it open before, until whoever worked there signs out", async () => {
    const { id } = await shop.acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 10 });
    const pass = await shop.acme.passes.create(id, { user: { email: "tea@example.com" } });
    let till = await openTill();
    await signInAgain(till.page);
    await till.page.evaluate("navigator.serviceWorker.ready.then(() => null)");
    await stop(shop.server);
    await till.kill();

    till = await openTill();
    await till.page.goto(`${shop.url}/console/till`);
    await scan(till.page, pass.qrCodeValue);
    await till.page.getByText("1 scan waiting for a connection").waitFor();
    await start(shop.server);
    await signInAgain(till.page);
    await expect.poll(() => stamped([pass.id])).toBe(1);

    await till.page.getByLabel("More").click();
    await till.page.getByRole("banner").getByRole("button", { name: "Sign out" }).click();
    await till.page.getByLabel("API token").waitFor();
    await stop(shop.server);
    await expect(till.page.goto(`${shop.url}/console/till`)).rejects.toThrow("ERR_");
    await start(shop.server);
    await till.kill();
  });

  it("shows a scan that the server does not take, and lets it be dismissed", async () => {
    const till = await openTill();
    await signInAgain(till.page);
    await stop(shop.server);
    await scan(till.page, "Unknown00000");
    await start(shop.server);
    await till.page.getByText("No card has this code.").waitFor();
    await till.page.getByRole("button", { name: "Dismiss" }).click();
    await till.page.getByText("Not accepted").waitFor({ state: "detached" });
    await till.kill();
  });
});

/** A browser that was killed may have lost its session. */
async function signInAgain(page: Page): Promise<void> {
  await page.goto(`${shop.url}/console/till`);
  if (await page.getByLabel("API token").isVisible()) await signIn(page, shop, "/console/till");
  await page.getByLabel("Code, name, phone, or email").waitFor();
}
