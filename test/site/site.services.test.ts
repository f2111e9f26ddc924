import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findViolations, openBrowser, showInTheme } from "../console/shop.js";
import { buildTestSite, type Site } from "./built.js";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css",
  ".js": "text/javascript",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webp": "image/webp",
};

/** The path under which the site is served, somewhere below the server's root. */
const PATH = "/some/where/";

const browser = await openBrowser();
let site: Site;
let base: string;
const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
  const file = join(site.folder, normalize(path.slice(PATH.length) || "index.html"));
  if (!path.startsWith(PATH) || !existsSync(file)) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": types[extname(file)] ?? "text/plain" }).end(readFileSync(file));
});

beforeAll(async () => {
  site = buildTestSite();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}${PATH}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(site.folder, { recursive: true });
});

/** Records errors that a page writes to the console, and requests that fail. */
function recordComplaints(page: Page): string[] {
  const messages: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") messages.push(message.text());
  });
  page.on("pageerror", (error) => messages.push(String(error)));
  page.on("response", (response) => {
    if (!response.ok()) messages.push(response.url());
  });
  page.on("requestfailed", (request) => {
    const { errorText = "" } = request.failure() ?? {};
    // The browser aborts a picture when it goes to the next page.
    if (errorText !== "net::ERR_ABORTED") messages.push(request.url());
  });
  return messages;
}

/** All pages share one style, so these stand for the others where only the width and the theme differ. */
const samples = [
  "index.html",
  "library.html",
  "errors.html",
  "reference/http.html",
  "source/deploy/Dockerfile.html",
];

/** Only CSS depends on the width and the theme. The first look shows the most: both lists beside the page. */
const looks = [
  { width: 1440, colorScheme: "light", axeLooksAt: "every text" },
  { width: 1440, colorScheme: "dark", axeLooksAt: "one of each kind" },
  { width: 390, colorScheme: "light", axeLooksAt: "one of each kind" },
  { width: 390, colorScheme: "dark", axeLooksAt: "one of each kind" },
] as const;

describe("the site in a browser", () => {
  it("fits every page into 1,440 and 390 pixels, light and dark, without axe violations", async () => {
    const page = await browser.newPage();
    const complaints = recordComplaints(page);
    const wrong: string[] = [];
    const pages = site.files.filter((file) => file.endsWith(".html"));
    expect(pages).toEqual(expect.arrayContaining(samples));
    for (const file of pages) {
      await page.goto(base + file);
      for (const { width, colorScheme, axeLooksAt } of looks) {
        const at = `${file}, ${colorScheme} at ${width} pixels`;
        await showInTheme(page, colorScheme, width);
        const over = await page.evaluate(
          "document.documentElement.scrollWidth - document.documentElement.clientWidth",
        );
        if (over !== 0) wrong.push(`${at}: ${over} pixels too wide`);
        // One template shows all files of the repository, and axe takes a second for each.
        const isLookedAt = axeLooksAt === "every text" && !file.startsWith("source/");
        if (!isLookedAt && !samples.includes(file)) continue;
        wrong.push(...(await findViolations(page)).map((violation) => `${at}: ${violation.slice(0, 200)}`));
      }
    }
    expect(wrong).toEqual([]);
    expect(complaints).toEqual([]);
    await page.close();
  }, 1_200_000);

  it("finds a word from a nested page, with only the keyboard, and under its own policy", async () => {
    const page = await browser.newPage();
    const complaints = recordComplaints(page);
    await page.goto(`${base}reference/http.html`);
    await page.keyboard.press("/");
    await page.keyboard.type("idempotency_key_reused");
    const first = page.locator(".found a").first();
    await expect.poll(() => first.textContent()).toContain("idempotency_key_reused");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.url()).toBe(`${base}errors.html#idempotency_key_reused`);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("finds words by their beginning and with a typo, and says if there are no results", async () => {
    const page = await browser.newPage();
    await page.goto(base);
    await page.click(".find");
    const state = page.locator(".search .state");
    const search = page.locator(".search input");
    for (const term of ["webho", "webhoks", "Idempotenzy"]) {
      await search.fill(term);
      await expect.poll(() => state.textContent()).toMatch(/^[1-9]\d* found$/);
    }
    await search.fill("zzzzqqqq");
    await expect.poll(() => state.textContent()).toBe("0 found");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator("dialog").isVisible()).toBe(false);
    await page.close();
  });

  it("remembers the chosen theme, and opens the list of pages on a phone", async () => {
    const page = await browser.newPage({ viewport: { width: 390, height: 800 }, colorScheme: "light" });
    await page.goto(base);
    await page.click(".theme");
    await page.goto(`${base}errors.html`);
    await expect
      .poll(() => page.evaluate("getComputedStyle(document.body).backgroundColor"))
      .toBe("rgb(22, 24, 29)");
    const nav = page.locator("nav.pages");
    await expect.poll(() => nav.isVisible()).toBe(false);
    await page.click(".menu");
    await expect.poll(() => nav.isVisible()).toBe(true);
    await expect.poll(() => page.getAttribute(".menu", "aria-expanded")).toBe("true");
    await nav.getByText("Concepts").click();
    await expect.poll(() => page.url()).toBe(`${base}concepts.html`);
    await page.close();
  });
});
