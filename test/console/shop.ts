import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LoyaltyService, type Scope, type StorageAdapter, scopes } from "loyalty-kit";
import { type ConsoleServer, createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi, nodeListener, type RateLimitOptions } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { addCleanup } from "../kit/cleanup.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const flags = [
  ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
  ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
  ...["--use-fake-ui-for-media-stream", "--autoplay-policy=no-user-gesture-required"],
];

export { hostile } from "./hostile.js";

/** Opens a browser that is closed when all tests of the file are done. */
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
  /** Where the links in QR codes lead. Default: an address that phones can open. */
  readonly shortLinkBase?: string;
  /** The origin at which staff sign in with passkeys. Default: none. */
  readonly passkeys?: string;
  /** The operators of the server, and its check. Default: no operators. */
  readonly server?: ConsoleServer;
}

/**
 * Opens a shop whose console is served until it is closed or all tests of the file are done. Default storage: a SQLite
 * database in its own folder.
 */
export async function openShop(options: ShopOptions = {}) {
  const { storage, rateLimits = false, clock = Date.now, port = 0, passkeys, server: operated } = options;
  const { shortLinkBase = "https://shop.example/c" } = options;
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-console-"));
  const loyalty = new LoyaltyService({
    storage: storage ?? (await sqliteStorage(join(folder, "loyalty.db"), { synchronous: "NORMAL" })),
    shortLinkBase,
    clock,
  });
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    extensions: [
      createConsole(loyalty, {
        rateLimits,
        ...(passkeys !== undefined && { passkeys }),
        ...(operated !== undefined && { server: operated }),
      }),
    ],
    rateLimits,
  });
  const server = createServer(nodeListener(api)).listen(port, "127.0.0.1");
  await once(server, "listening");
  const acme = loyalty.organization("acme");
  const createToken = async (...grantedScopes: Scope[]) =>
    (await acme.apiTokens.create({ name: "test", scopes: grantedScopes })).token;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await loyalty.close();
    rmSync(folder, { recursive: true, force: true });
  };
  addCleanup(close);
  return {
    loyalty,
    acme,
    server,
    url: urlOf(server),
    token: await createToken(...scopes),
    createToken,
    close,
  };
}

export type Shop = Awaited<ReturnType<typeof openShop>>;

export function urlOf(server: Server): string {
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
  return `http://127.0.0.1:${address.port}`;
}

/** Opens a page in a new browser profile, and collects everything that goes wrong in it, except rejected calls. */
export async function visit(browser: Browser, options: BrowserContextOptions = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    // Chromium logs every unsuccessful response, and every autofocus that an earlier focus prevented.
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

/** Types a token into the sign-in page. Where links are mailed, its form is behind the email. */
export async function fillKey(page: Page, token: string): Promise<void> {
  const behind = page.getByText("Sign in with an API token");
  if ((await behind.count()) > 0) await behind.click();
  await page.getByLabel("API token").fill(token);
}

/** Opens a path, and signs in by typing the shop's token. */
export async function typeKey(page: Page, shop: Shop, path = "/console"): Promise<void> {
  await page.goto(shop.url + path);
  await fillKey(page, shop.token);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Console" }).waitFor();
}

/** Opens a path with a session that a request to the sign-in form has started, without rendering that page. */
export async function signIn(page: Page, shop: Shop, path = "/console", token = shop.token): Promise<void> {
  const form = { token };
  const headers = { origin: shop.url };
  const response = await page
    .context()
    .request.post(`${shop.url}/console`, { form, headers, maxRedirects: 0 });
  if (response.status() !== 303) throw new Error(`the console answers a sign-in with ${response.status()}`);
  await page.goto(shop.url + path);
  await page.getByRole("navigation", { name: "Console" }).waitFor();
}

/** Opens a path in a new browser profile, signed in with a token. */
export async function visitSignedIn(browser: Browser, shop: Shop, path: string, token = shop.token) {
  const browserVisit = await visit(browser);
  await signIn(browserVisit.page, shop, path, token);
  return browserVisit;
}

/** Runs axe on the current page, outside the page's content security policy. */
export async function findViolations(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  const evaluate = (expression: string) =>
    session.send("Runtime.evaluate", {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
  // The script stays until the page is left.
  const { result: axeType } = await evaluate("typeof axe");
  if (axeType.value === "undefined") await evaluate(axe);
  const found = "({ id, nodes }) => [id, ...nodes.map(({ html }) => html)].join(' ')";
  // Passed rules and element selectors are not reported. Axe doesn't run inside frames.
  const options = "{ resultTypes: ['violations'], selectors: false, iframes: false }";
  const { result } = await evaluate(`axe.run(${options}).then(({ violations }) => violations.map(${found}))`);
  await session.detach();
  return Array.isArray(result.value) ? result.value.map(String) : ["axe did not run"];
}

/** Shows a loaded page in a theme and at a width, and waits until both have taken effect. */
export async function showInTheme(page: Page, colorScheme: "light" | "dark", width: number): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height: 800 });
  const isSo = `innerWidth === ${width} && matchMedia("(prefers-color-scheme: ${colorScheme})").matches`;
  await page.evaluate(`new Promise((resolve) => {
    const look = () => (${isSo} ? resolve() : setTimeout(look, 5));
    look();
  })`);
}

/** Measures how far a page scrolls past its last element, in pixels. */
export async function measureEmptyScroll(page: Page): Promise<number> {
  const pixels = await page.evaluate(`(() => {
    const isSeen = (element) => element.closest(".unseen") === null && element.checkVisibility();
    const things = [...document.body.querySelectorAll("*")].filter(isSeen);
    const bottom = Math.max(innerHeight, ...things.map((element) => element.getBoundingClientRect().bottom + scrollY));
    return document.documentElement.scrollHeight - bottom;
  })()`);
  return Number(pixels);
}

/** Returns whether something overflows the right edge. */
export async function isOverflowing(page: Page): Promise<boolean> {
  const text = "document.documentElement.scrollWidth > document.documentElement.clientWidth";
  return (await page.evaluate(text)) === true;
}
