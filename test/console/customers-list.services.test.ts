import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import {
  findViolations,
  isOverflowing,
  openBrowser,
  openShop,
  signIn,
  visit,
  visitSignedIn,
} from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);
const { acme } = shop;

beforeAll(async () => {
  const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 8 });
  const vip = await acme.tags.create({ name: "VIP", color: "#B3261E" });
  for (let at = 1; at <= 30; at += 1) {
    await acme.users.create({ email: `c${at}@example.com`, name: `Customer ${at}` });
  }
  const full = await acme.passes.create(card.id, { user: { email: "full@example.com", name: "Fay Full" } });
  await acme.stamps.add(full.id, { count: 8 });
  await acme.tags.assign(full.userId, vip.slug);
  await acme.passes.markInstalled(full.id);
  const pass = await acme.passes.create(card.id, { user: { email: "some@example.com", name: "Sam Some" } });
  await acme.stamps.add(pass.id, { count: 3 });
});

const openCustomers = async (query = "") => {
  const visit = await visitSignedIn(browser, shop, `/console/customers${query}`);
  await visit.page.getByText(/of \d+ customers?$/).waitFor();
  return visit;
};

const findRow = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

const waitForCount = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

/** Counts the requests for customers while `work` runs. */
async function countRequests(page: Page, work: () => Promise<void>): Promise<number> {
  let requests = 0;
  const countRequest = (request: { url(): string }) => {
    if (/\/console\/api\/v1\/(contacts|segments\/query|segments\/[^/]+\/members)/.test(request.url()))
      requests += 1;
  };
  page.on("request", countRequest);
  await work();
  page.off("request", countRequest);
  return requests;
}

describe("the list of customers", () => {
  it("shows a waiting reward even if the card has no stamps, and the day of the last visit", async () => {
    const { page, complaints, close } = await openCustomers();
    const full = findRow(page, "Fay Full");
    await full.getByText("0/8").waitFor();
    await full.getByText("Reward waiting").waitFor();
    await full.getByText("Today").waitFor();
    await findRow(page, "Sam Some").getByText("3/8").waitFor();
    await findRow(page, "Customer 30").getByText("Never").waitFor();
    await expect.poll(() => page.getByText("Reward waiting").filter({ visible: true }).count()).toBe(1);
    expect(complaints).toEqual([]);
    await close();
  });

  it("has the chosen columns, which the browser remembers", async () => {
    const { page, complaints, close } = await openCustomers();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("dialog").getByLabel("Tags", { exact: true }).check();
    await page.getByRole("dialog").getByLabel("In a wallet").check();
    await page.getByRole("dialog").getByLabel("Added").uncheck();
    await expect.poll(() => findViolations(page)).toEqual([]);
    await page.getByRole("button", { name: "Done" }).click();
    const assertRow = async () => {
      await findRow(page, "Fay Full").getByText("VIP").waitFor();
      await findRow(page, "Fay Full").getByText("In a wallet").waitFor();
      await expect.poll(() => page.getByRole("columnheader", { name: "Added" }).count()).toBe(0);
    };
    await assertRow();
    await expect
      .poll(() =>
        findRow(page, "Sam Some")
          .getByText(/VIP|In a wallet/)
          .count(),
      )
      .toBe(0);
    await page.reload();
    await assertRow();
    expect(complaints).toEqual([]);
    await close();
  });

  it("is loaded with all columns by one request, or by two if a filter selects the customers", async () => {
    const { page, close } = await openCustomers();
    await page.getByRole("button", { name: "Columns" }).click();
    for (const name of ["Tags", "In a wallet"]) {
      await page.getByRole("dialog").getByLabel(name, { exact: true }).check();
    }
    await page.getByRole("button", { name: "Done" }).click();
    const assertRow = async () => {
      const row = findRow(page, "Fay Full");
      for (const text of ["VIP", "0/8", "Reward waiting", "Today", "In a wallet"])
        await row.getByText(text, { exact: true }).waitFor();
    };
    await assertRow();
    const countRequestsOf = (work: () => Promise<void>) =>
      countRequests(page, async () => {
        await work();
        await page.waitForLoadState("networkidle");
      });
    const searchRequests = await countRequestsOf(async () => {
      await page.getByLabel("Search customers").fill("full");
      await waitForCount(page, "1–1 of 1 customer");
      await assertRow();
    });
    expect(searchRequests).toBe(1);
    await page.getByLabel("Search customers").fill("");
    await waitForCount(page, "1–25 of 32 customers");
    const filterRequests = await countRequestsOf(async () => {
      await page.getByLabel("Reward", { exact: true }).selectOption("Reward waiting");
      await waitForCount(page, "1–1 of 1 customer");
      await assertRow();
    });
    expect(filterRequests).toBe(2);
    await close();
  });

  it("causes no layout shift while it loads, both with tags, cards and segments to choose from and without", async () => {
    const empty = await openShop();
    for (const each of [shop, empty]) {
      const { page, close } = await visitSignedIn(browser, each, "/console/customers");
      await page.addInitScript(`
        window.shifted = 0;
        new PerformanceObserver((list) => {
          for (const { value } of list.getEntries()) window.shifted += value;
        }).observe({ type: "layout-shift", buffered: true });`);
      for (const path of ["/console/customers", "/console"]) {
        for (const [width, height] of [
          [1_440, 900],
          [390, 844],
        ] as const) {
          await page.setViewportSize({ width, height });
          await page.goto(each.url + path);
          await page.waitForLoadState("networkidle");
          const layoutShift = Number(await page.evaluate("window.shifted"));
          expect([each === shop, path, width, layoutShift <= 0.02 || layoutShift]).toEqual([
            each === shop,
            path,
            width,
            true,
          ]);
        }
      }
      await close();
    }
  });

  it("is filtered by tag, card, last visit and reward, and the filter is in the URL", async () => {
    const { page, complaints, close } = await openCustomers();
    const chooseOption = (label: string, choice: string) =>
      page.getByLabel(label, { exact: true }).selectOption(choice);
    await chooseOption("With the tag", "VIP");
    await waitForCount(page, "1–1 of 1 customer");
    await page.getByText(/^Customers who .*VIP/).waitFor();
    await chooseOption("Reward", "No reward waiting");
    await page.getByText("No customers match right now.").waitFor();
    await page.getByRole("button", { name: "Show all" }).last().click();
    await waitForCount(page, "1–25 of 32 customers");
    await chooseOption("Last visit", "Visited today");
    await waitForCount(page, "1–2 of 2 customers");
    await chooseOption("With this card", "Coffee");
    await chooseOption("Reward", "Reward waiting");
    await waitForCount(page, "1–1 of 1 customer");
    await page.getByRole("link", { name: "Fay Full" }).waitFor();
    await page.reload();
    await waitForCount(page, "1–1 of 1 customer");
    await page.getByLabel("Search customers").fill("some@");
    await page.getByRole("link", { name: "Sam Some" }).waitFor();
    await expect.poll(() => page.getByLabel("Reward", { exact: true }).inputValue()).toBe("");
    expect(complaints).toEqual([]);
    await close();
  });

  it("is saved as a segment, which the list shows from then on", async () => {
    const { page, complaints, close } = await openCustomers("?visit=today");
    await page.getByRole("button", { name: "Save this as a segment" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Visited today");
    await page.getByRole("dialog").getByRole("button", { name: "Save segment" }).click();
    await page.getByText("“Visited today” was saved").waitFor();
    await expect.poll(() => page.url()).toContain("segment=visited-today");
    await waitForCount(page, "1–2 of 2 customers");
    await expect.poll(() => page.getByLabel("In this segment").inputValue()).toBe("visited-today");
    const { filter } = await acme.segments.get("visited-today");
    expect(filter).toEqual({ operator: "AND", conditions: [{ lastVisit: { withinDays: 0 } }] });
    expect(complaints).toEqual([]);
    await close();
  });

  it("selects all matches, not only those on the page, for tagging and exporting", async () => {
    await acme.tags.create({ name: "Mailed" });
    const countTagged = async () =>
      (await acme.tags.query({ filter: { operator: "AND", conditions: [{ slug: "mailed" }] } }))
        .totalElements;
    const { page, complaints, close } = await openCustomers();
    const tagAll = async (total: number) => {
      await page.getByLabel("Select all on this page").check();
      await page.getByRole("button", { name: `Select all ${total} customers` }).click();
      await page.getByText(`All ${total} customers selected`).waitFor();
      await page.getByLabel("Tag", { exact: true }).selectOption("Mailed");
      await page.getByRole("button", { name: "Tag", exact: true }).click();
    };
    await page.getByLabel("Search customers").fill("customer");
    await waitForCount(page, "1–25 of 30 customers");
    await tagAll(30);
    await page.getByText("Tag added to 30 customers").waitFor();
    await expect.poll(() => countTagged()).toBe(30);
    await page.getByLabel("Search customers").fill("");
    await waitForCount(page, "1–25 of 32 customers");
    await tagAll(32);
    await page.getByText("Tag added to 2 customers").waitFor();
    await expect.poll(() => countTagged()).toBe(32);
    await page.getByLabel("With the tag").selectOption("Mailed");
    await page.getByText(/^Customers who .*Mailed/).waitFor();
    await page.getByLabel("Select all on this page").check();
    await page.getByRole("button", { name: "Select all 32 customers" }).click();
    await page.getByRole("button", { name: "Export all" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
    await expect
      .poll(async () => (await readFile(await (await download).path(), "utf8")).trim().split("\r\n"))
      .toHaveLength(33);
    expect(complaints).toEqual([]);
    await close();
  });

  it("has 20 rows on a 900-pixel-high screen, and doesn't overflow narrow screens", async () => {
    const { page, close } = await openCustomers();
    await page.setViewportSize({ width: 1_440, height: 900 });
    const visibleRows = await page
      .locator("tbody tr")
      .evaluateAll((rows) => rows.filter((row) => row.getBoundingClientRect().bottom <= 900).length);
    expect(visibleRows).toBeGreaterThanOrEqual(20);
    for (const width of [768, 390, 360]) {
      await page.setViewportSize({ width, height: 800 });
      await expect.poll(async () => [width, await isOverflowing(page)]).toEqual([width, false]);
    }
    await close();
  });

  it("has one search and one filter button on a phone, two lines per customer, and the rest in a menu", async () => {
    const { page, complaints, close } = await openCustomers();
    for (const width of [390, 768]) {
      await page.setViewportSize({ width, height: 844 });
      const main = page.getByRole("main");
      await main.getByRole("button", { name: "Filter", exact: true }).waitFor();
      const above = main.getByRole("button").or(main.getByRole("combobox")).or(main.getByRole("searchbox"));
      const tableTop = (await page.locator("table").boundingBox())?.y ?? 0;
      const tops = await above.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
      expect(tops.filter((top) => top < tableTop)).toHaveLength(3);
      await expect.poll(() => findViolations(page)).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    const row = page.locator("tbody tr").filter({ hasText: "Customer 30" });
    await row.getByText("Last visit:").waitFor();
    await expect.poll(async () => (await row.boundingBox())?.height).toBeLessThan(72);
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("dialog").getByLabel("Last visit").selectOption("Visited today");
    await page.getByRole("dialog").getByLabel("Sort by").selectOption("Name, Z to A");
    await page.getByRole("button", { name: "Show 2 customers" }).click();
    await expect.poll(() => page.locator("tbody .name").allTextContents()).toEqual(["Sam Some", "Fay Full"]);
    await page.getByRole("button", { name: "Filter (1)" }).click();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByRole("button", { name: "Show 32 customers" }).click();
    await page.getByRole("button", { name: "Filter", exact: true }).waitFor();
    await page.getByRole("button", { name: "More about this list" }).click();
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("dialog", { name: "Columns" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("has touch targets of at least 44 pixels for each row and button", async () => {
    const { page, close } = await visit(browser, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await signIn(page, shop, "/console/customers");
    await page.getByRole("link", { name: "Fay Full" }).waitFor();
    const targets = page.locator("tbody tr, .pick-area, .content button, nav.side > a, .more > button");
    const sizes = await targets.evaluateAll((all) =>
      all
        .map((each) => each.getBoundingClientRect())
        .filter(({ width }) => width > 0)
        .map(({ width, height }) => Math.min(width, height)),
    );
    expect(sizes.length).toBeGreaterThan(50);
    expect(sizes.filter((size) => size < 44)).toEqual([]);
    await close();
  });

  it("turns gray, but stays readable, while the server can't be reached, because it shows old results", async () => {
    const { page, close } = await openCustomers();
    const readFilter = async () =>
      String(
        await page.evaluate(`getComputedStyle(document.querySelector("table").closest(".stack")).filter`),
      );
    await expect.poll(() => readFilter()).toBe("none");
    await page.route("**/console/api/**", (route) => route.abort());
    await page.getByLabel("Search customers").fill("some");
    await page.getByText("The server can’t be reached.").waitFor();
    await expect.poll(() => readFilter()).toBe("grayscale(1)");
    await expect.poll(() => findViolations(page)).toEqual([]);
    await page.unroute("**/console/api/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await waitForCount(page, "1–1 of 1 customer");
    await expect.poll(() => readFilter()).toBe("none");
    await close();
  });
});
