import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { LoyaltyService, scopes } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { type Browser, chromium, type Page } from "playwright-core";
import { type Bench, shorten } from "./bench.js";
import { cycleScattered, generateCustomers, hasPass, ORGANIZATION } from "./customers.js";
import { mainActions, measureInteractions } from "./interactions.js";
import { copyFile, createOurFile } from "./our-file.js";
import { atMost, formatGoal, formatMs, formatWhole, printTable } from "./report.js";

/** How much slower than this machine the processor is for the first screen, and for presses that are timed a second time. */
const SLOWED = 4;

/** At least this many loads of the first screen, so that one of them may be above the 95th percentile: the first one compiles. */
const MIN_LOADS = 20;

const EDITS = ["any of", "all of"] as const;

/**
 * The waits of a person at the console, in Chromium: from a key press to the customers that it finds, from an edit of a filter to
 * its total, for the first screen on a slowed processor, and from a press to the next frame, also on a slowed processor. The 95th
 * percentile counts. No page shifts without a press by more than a fiftieth of it.
 */
export const runScreens: Bench = async (settings) => {
  const { sharedFolder, folder, users, rounds } = settings;
  const file = copyFile(await createOurFile(sharedFolder, users), folder, "screens");
  const shop = await startConsole(file);
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const page = await openSignedIn(browser, shop);
    const samples = rounds * shorten(11, settings);
    const search = await timeSearches(page, shop.url, users, samples);
    const total = await timeFilters(page, shop.url, samples);
    const first = await timeFirstScreen(
      await openSlowPage(browser, shop),
      shop.url,
      Math.max(shorten(MIN_LOADS, settings), rounds * 2),
    );
    const { times, layoutShifts } = await measureInteractions(page, shop.url, shop.acme, settings);
    const slowed = await measureInteractions(
      await openSlowPage(browser, shop),
      shop.url,
      shop.acme,
      settings,
    );
    const shifts = [...layoutShifts, ...slowed.layoutShifts];
    const buildLine = (times: readonly number[], max: number) => {
      const goal = atMost(percentile(times, 95), max, " ms");
      return {
        median: formatMs(percentile(times, 50)),
        p95: formatMs(percentile(times, 95)),
        goal: formatGoal(goal),
      };
    };
    printTable(`Console in Chromium, ${formatWhole(users)} users in a file`, {
      "key press to the one who is found": buildLine(search, 100),
      "edit of a filter to its total": buildLine(total, 100),
      [`first screen, processor ${SLOWED} times slower`]: buildLine(first, 1_000),
      ...Object.fromEntries(
        mainActions.map((action) => [
          `${action}: press to the next picture`,
          {
            ...buildLine(times[action], 100),
            [`p95, processor ${SLOWED} times slower`]: formatMs(percentile(slowed.times[action], 95)),
          },
        ]),
      ),
      "layout shift of a page": {
        median: percentile(shifts, 50).toFixed(3),
        p95: percentile(shifts, 95).toFixed(3),
        goal: formatGoal(atMost(Math.max(...shifts), 0.02)),
      },
    });
  } finally {
    await browser.close();
    await shop.close();
  }
};

async function startConsole(file: string) {
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(join(file)) });
  const acme = loyalty.organization(ORGANIZATION);
  const { token } = await acme.apiTokens.create({ name: "bench", scopes });
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    extensions: [createConsole(loyalty, { rateLimits: false })],
  });
  const server = createServer(nodeListener(api)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address !== "object") throw new Error("the server does not listen");
  return {
    acme,
    token,
    url: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await loyalty.close();
    },
  };
}

async function openSignedIn(browser: Browser, { url, token }: { url: string; token: string }): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(`${url}/console`);
  await page.getByLabel("API token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("navigation", { name: "Console" }).waitFor();
  return page;
}

/** A page on a slower processor. */
async function openSlowPage(browser: Browser, shop: { url: string; token: string }): Promise<Page> {
  const page = await openSignedIn(browser, shop);
  const session = await page.context().newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWED });
  return page;
}

/** @returns the times from the last character of an id to its customer, in milliseconds. */
async function timeSearches(page: Page, url: string, users: number, samples: number): Promise<number[]> {
  await page.goto(`${url}/console/customers`);
  const field = page.getByLabel("Search customers");
  const wantedCustomers = cycleScattered(
    [...generateCustomers(users)].filter(({ ordinal }) => hasPass(ordinal)),
  );
  const times: number[] = [];
  while (times.length < samples) {
    const { externalId, email } = wantedCustomers.next().value;
    await field.fill(externalId.slice(0, -1));
    await page.getByText(/^1–10 of 10 customers$|^1–\d+ of \d+ customers$/).waitFor();
    await field.focus();
    await watchEvent(
      page,
      "keydown",
      `document.querySelector("tbody")?.textContent.includes("${email}") &&
      document.querySelectorAll("tbody tr").length === 1`,
    );
    await page.keyboard.type(externalId.slice(-1));
    times.push(await readWatchedTime(page));
  }
  return times;
}

/** @returns the times from an edit of the filter to a new total. */
async function timeFilters(page: Page, url: string, samples: number): Promise<number[]> {
  const conditions = ["half", "few", "group-1"].map((slug) => ({ slug }));
  const filter = encodeURIComponent(JSON.stringify({ operator: "AND", conditions }));
  await page.goto(`${url}/console/segments?filter=${filter}`);
  await page.locator(".total").waitFor();
  const times: number[] = [];
  while (times.length < samples) {
    const before = JSON.stringify(await page.locator(".total").textContent());
    await watchEvent(
      page,
      "change",
      `![${before}, undefined].includes(document.querySelector(".total")?.textContent)`,
    );
    const edit = EDITS[times.length % EDITS.length] ?? EDITS[0];
    await page.getByLabel("Filter: how conditions combine").selectOption(edit);
    times.push(await readWatchedTime(page));
  }
  return times;
}

/** @returns the times from the request of the page to the numbers on it, without a cache, in milliseconds. */
async function timeFirstScreen(page: Page, url: string, samples: number): Promise<number[]> {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.addInitScript(`
    window.usable = new Promise((resolve) => new MutationObserver((_, observer) => {
      if (!document.body?.textContent.includes("Stamps given")) return;
      observer.disconnect();
      // A task of its own, once it is painted: then a click would be answered, too.
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
    }).observe(document, { childList: true, subtree: true, characterData: true }));`);
  const times: number[] = [];
  while (times.length < samples) {
    await page.goto(`${url}/console`);
    times.push(Number(await page.evaluate("window.usable")));
  }
  await page.close();
  return times;
}

/** Times from an event until a condition is true, as the page itself sees it. */
async function watchEvent(page: Page, event: string, isSo: string): Promise<void> {
  await page.evaluate(`window.timed = new Promise((resolve) => {
    addEventListener("${event}", ({ timeStamp }) => {
      const look = () => {
        if (!(${isSo})) return false;
        requestAnimationFrame((now) => resolve(Math.max(now, performance.now()) - timeStamp));
        return true;
      };
      const observer = new MutationObserver(() => { if (look()) observer.disconnect(); });
      observer.observe(document.body, { childList: true, subtree: true, characterData: true, attributes: true });
    }, { capture: true, once: true });
  }); null`);
}

async function readWatchedTime(page: Page): Promise<number> {
  return Number(await page.evaluate("window.timed"));
}

function percentile(values: readonly number[], share: number): number {
  const sortedValues = values.toSorted((a, b) => a - b);
  return (
    sortedValues[Math.min(sortedValues.length - 1, Math.ceil((sortedValues.length * share) / 100) - 1)] ??
    Number.NaN
  );
}
