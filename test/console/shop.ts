import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LoyaltyService, type Scope, type StorageAdapter, scopes } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi, nodeListener, type RateLimitOptions } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { addCleanup } from "../kit/afterwards.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const flags = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ...["--use-fake-ui-for-media-stream", "--autoplay-policy=no-user-gesture-required"],
];

export { hostile } from "./hostile.js";

/** A browser until it is closed, or all tests of the file are done. */
export async function openBrowser(args: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: [...flags, ...args] });
  addCleanup(() => browser.close());
  return browser;
}

export interface ShopOptions {
  readonly storage?: StorageAdapter;
  readonly rateLimits?: RateLimitOptions | false;
  readonly clock?: () => number;
  readonly port?: number;
  /** The origin at which people sign in by passkeys; none unless given. */
  readonly passkeys?: string;
}

/**
 * A shop whose console is served, until it is closed or all tests of the file are done; on a database in a folder of its own
 * unless another storage is given.
 */
export async function openShop(options: ShopOptions = {}) {
  const { storage, rateLimits = false, clock = Date.now, port = 0, passkeys } = options;
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-console-"));
  const loyalty = new LoyaltyService({
    storage: storage ?? (await sqliteStorage(join(folder, "loyalty.db"), { synchronous: "NORMAL" })),
    shortLinkBase: "https://shop.example/c",
    clock,
  });
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    extensions: [createConsole(loyalty, { rateLimits, ...(passkeys !== undefined && { passkeys }) })],
    rateLimits,
  });
  const server = createServer(nodeListener(api)).listen(port, "127.0.0.1");
  await once(server, "listening");
  const acme = loyalty.organization("acme");
  const tokenWith = async (...granted: Scope[]) =>
    (await acme.apiTokens.create({ name: "test", scopes: granted })).token;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await loyalty.close();
    rmSync(folder, { recursive: true, force: true });
  };
  addCleanup(close);
  return {
    loyalty,
    acme,
    server,
    url: urlOf(server),
    token: await tokenWith(...scopes),
    tokenWith,
    close,
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

export function urlOf(server: Server): string {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
  return `http://127.0.0.1:${address.port}`;
}

/** A page of a new browser profile, and everything in it that went wrong. A refused call is none of that. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    // Chromium writes every answer that is no success to its console, and that somebody was quicker than a focus of its own.
    if (!/^(Failed to load resource|Autofocus processing was blocked)/.test(message.text())) {
      complaints.push(message.text());
    }
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("dialog", async (dialog) => {
    complaints.push(dialog.message());
    await dialog.dismiss();
  });
  return { context, page, complaints, close: () => context.close() };
}

/** Types a key into the sign-in page. Where links are mailed, its form is behind the email. */
export async function fillKey(page: Page, token: string): Promise<void> {
  const behind = page.getByText("Sign in with an API token");
  if ((await behind.count()) > 0) await behind.click();
  await page.getByLabel("API token").fill(token);
}

/** Signs in by typing a key, at the address that is wanted. */
export async function typeKey(page: Page, shop: Shop, path = "/console"): Promise<void> {
  await page.goto(shop.url + path);
  await fillKey(page, shop.token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Console" }).waitFor();
}

/** Goes to the address that is wanted with a session that the form of the sign-in page has begun, without drawing that page. */
export async function signIn(page: Page, shop: Shop, path = "/console", token = shop.token): Promise<void> {
  const form = { token };
  const headers = { origin: shop.url };
  const begun = await page.context().request.post(`${shop.url}/console`, { form, headers, maxRedirects: 0 });
  if (begun.status() !== 303) throw new Error(`the console answers a sign-in with ${begun.status()}`);
  await page.goto(shop.url + path);
  await page.getByRole("navigation", { name: "Console" }).waitFor();
}

/** A visit of who has signed in, at the address that is wanted. */
export async function visitSignedIn(browser: Browser, shop: Shop, path: string, token = shop.token) {
  const visited = await visit(browser);
  await signIn(visited.page, shop, path, token);
  return visited;
}

/** What axe finds wrong with the page as it is. Its script runs outside the page's own policy. */
export async function violations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  const run = (expression: string) =>
    session.send("Runtime.evaluate", {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
  // The script stays until the page goes.
  const { result: loaded } = await run("typeof axe");
  if (loaded.value === "undefined") await run(axe);
  const found = "({ id, nodes }) => [id, ...nodes.map(({ html }) => html)].join(' ')";
  // Of what holds, and how to find an element again, nothing is told.
  const options = "{ resultTypes: ['violations'], selectors: false }";
  const { result } = await run(`axe.run(${options}).then(({ violations }) => violations.map(${found}))`);
  await session.detach();
  return Array.isArray(result.value) ? result.value.map(String) : ["axe did not run"];
}

/** Shows a loaded page in a theme and at a width, and waits until it knows of both. */
export async function showAs(page: Page, colorScheme: "light" | "dark", width: number): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  const isSo = `innerWidth === ${width} && matchMedia("(prefers-color-scheme: ${colorScheme})").matches`;
  await page.evaluate(`new Promise((resolve) => {
    const look = () => (${isSo} ? resolve() : setTimeout(look, 5));
    look();
  })`);
}

/** How far a page can be scrolled past the last thing on it, in pixels. */
export async function emptyScroll(page: Page): Promise<number> {
  const pixels = await page.evaluate(`(() => {
    const isSeen = (element) => element.closest(".unseen") === null && element.checkVisibility();
    const things = [...document.body.querySelectorAll("*")].filter(isSeen);
    const bottom = Math.max(innerHeight, ...things.map((element) => element.getBoundingClientRect().bottom + scrollY));
    return document.documentElement.scrollHeight - bottom;
  })()`);
  return Number(pixels);
}

/** Whether something stands out beyond the right edge. */
export async function overflows(page: Page): Promise<boolean> {
  const text = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
  return (await page.evaluate(text)) === true;
}
