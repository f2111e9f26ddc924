import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { findViolations, openBrowser, openShop, signIn, visit } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);
beforeAll(async () => {
  const card = await shop.acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  for (let at = 0; at < 3; at += 1) {
    const pass = await shop.acme.passes.create(card.id, { user: { email: `${at}@example.com` } });
    await shop.acme.stamps.add(pass.id, { count: 4 + at });
    if (at > 0) await shop.acme.passes.markInstalled(pass.id);
    if (at === 2) await shop.acme.stamps.redeem(pass.id);
  }
});

describe("the overview", () => {
  it("shows daily statistics to a token that may read them, and requests nothing else", async () => {
    const { page, complaints, close } = await visit(browser);
    const requestedPaths = new Set<string>();
    page.on("request", (request) => {
      const [, path] = new URL(request.url()).pathname.split("/console/api");
      if (path !== undefined) requestedPaths.add(path);
    });
    await signIn(page, shop, "/console", await shop.createToken("statistics:read"));
    const readTotal = async (title: string) => {
      const text = await page.getByRole("region", { name: title }).locator(".total").textContent();
      return Number.parseInt(text ?? "", 10);
    };
    const numbers = page.getByRole("list", { name: "The last 30 days" }).getByRole("listitem");
    await expect
      .poll(() => numbers.allInnerTexts())
      .toEqual(["3\nNew customers", "15\nStamps given", "1\nRewards redeemed"]);
    await expect.poll(() => readTotal("Stamps given")).toBe(15);
    for (const [title, total] of [
      ...([
        ["Customers", 3],
        ["Active cards", 3],
        ["Rewards earned", 2],
      ] as const),
      ...([
        ["Rewards redeemed", 1],
        ["Added to wallets", 2],
      ] as const),
    ] as const) {
      await page.getByLabel("Chart").selectOption(title);
      await expect.poll(async () => [title, await readTotal(title)]).toEqual([title, total]);
    }
    await expect.poll(() => page.getByText(/^(Apple|Google|Other) \d/).count()).toBe(0);
    for (const [title, hint] of [
      ["Emails sent", "Emails appear here once you send a message by email."],
      ["Messages on cards", "Messages appear here once you send one to cards in wallets."],
      ["Unsubscribes", "Unsubscribes appear here once a customer wants no more messages."],
    ] as const) {
      await page.getByLabel("Chart").selectOption(title);
      await expect.poll(() => readTotal(title)).toBe(0);
      await page.getByRole("region", { name: title }).getByText(hint).waitFor();
      await expect.poll(() => page.getByRole("slider").count()).toBe(0);
    }
    await page.getByLabel("Chart").selectOption("Stamps given");
    for (const days of [7, 90]) {
      await page.getByRole("button", { name: `${days} days` }).click();
      const rows = page.getByRole("region", { name: "Stamps given" }).locator("tbody tr");
      await expect.poll(() => rows.count()).toBe(days);
    }
    // Changes made elsewhere appear without a reload.
    await shop.acme.users.create({ email: "later@example.com" });
    await page.getByText("4New customers").waitFor();
    expect([...requestedPaths]).toEqual(["/v1/statistics"]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows a placeholder until its scripts have loaded", async () => {
    const { page, complaints, close } = await visit(browser);
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/main-[^/]*\.js$/, async (route) => {
      await isAnswered;
      await route.continue();
    });
    const signedIn = signIn(page, shop);
    await page.locator("#console > [aria-busy=true] > .skeleton").first().waitFor();
    await expect.poll(() => page.getByRole("navigation").count()).toBe(0);
    answer();
    await signedIn;
    await expect.poll(() => page.locator("#console > [aria-busy=true]").count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("loads what it couldn't load as soon as the browser is online again", async () => {
    const { page, close } = await visit(browser);
    await page.route("**/console/api/**", (route) => route.abort());
    await signIn(page, shop, "/console/customers");
    const notice = page.getByText("The server can’t be reached.").first();
    await notice.waitFor();
    await page.unroute("**/console/api/**");
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByRole("link", { name: "0@example.com" }).waitFor();
    await notice.waitFor({ state: "detached" });
    await close();
  });

  it("shows how the program is doing, and each number links to its customers", async () => {
    const { page, complaints, close } = await visit(browser);
    let requests = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/segments/query")) requests += 1;
    });
    await signIn(page, shop);
    await page.getByRole("button", { name: "More numbers" }).click();
    const tiles = page.getByRole("list", { name: "Your customers" });
    await tiles.getByRole("link", { name: "1 with a reward waiting" }).waitFor();
    await tiles.getByRole("link", { name: "3 new customers with a visit in the last 30 days" }).waitFor();
    await tiles.getByRole("link", { name: "0 earlier customers with a visit in the last 30 days" }).waitFor();
    await tiles.getByRole("link", { name: "0 no visit in 30 days" }).waitFor();
    expect(requests).toBe(8);
    const way = page.getByRole("region", { name: "From sign-up to reward" }).getByRole("listitem");
    await expect
      .poll(async () => (await way.allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " ").trim()))
      .toEqual([
        expect.stringMatching(/^Signed up \d 100%/),
        expect.stringMatching(/^Card in a wallet 2 /),
        "Second visit 0 0%",
        "Earned a reward 0 0%",
      ]);
    await page.getByRole("button", { name: "Today" }).click();
    const today = page.getByRole("list", { name: "Today so far" });
    await today.getByRole("link", { name: /^15 ?Stamps given$/ }).waitFor();
    await tiles.getByRole("link", { name: "with a reward waiting" }).click();
    await page.getByText("1–1 of 1 customer").waitFor();
    await page.getByText("Customers who have a reward waiting").waitFor();
    await page.getByRole("link", { name: "1@example.com" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("leaves out wallets in the steps to a reward if none is set up", async () => {
    let ahead = -2 * 86_400_000;
    const other = await openShop({ clock: () => Date.now() + ahead });
    const card = await other.acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 2 });
    const pass = await other.acme.passes.create(card.id, { user: { email: "ada@example.com" } });
    await other.acme.stamps.add(pass.id);
    ahead = 0;
    await other.acme.stamps.add(pass.id);
    const { page, close } = await visit(browser);
    await signIn(page, other);
    const way = page.getByRole("region", { name: "From sign-up to reward" });
    for (const name of ["Signed up 1", "Second visit 1", "Earned a reward 1"])
      await way.getByRole("link", { name }).waitFor();
    await expect.poll(() => way.getByRole("listitem").count()).toBe(3);
    await close();
  });

  it("links today's stamps to the customers who got them, and redeemed rewards to nothing", async () => {
    let ahead = -2 * 86_400_000;
    const other = await openShop({ clock: () => Date.now() + ahead });
    const card = await other.acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 1 });
    const createCard = (name: string) =>
      other.acme.passes.create(card.id, { user: { email: `${name}@example.com`, name } });
    const [before, now] = [await createCard("Bea"), await createCard("Nora")];
    await other.acme.stamps.add(before.id);
    await other.acme.stamps.redeem(before.id);
    ahead = 0;
    await other.acme.stamps.add(now.id);
    await other.acme.stamps.redeem(now.id);
    const { page, complaints, close } = await visit(browser);
    await signIn(page, other);
    const today = page.getByRole("list", { name: "Today so far" });
    await page.getByRole("button", { name: "Today" }).click();
    await today.getByText("1Rewards redeemed").waitFor();
    await expect.poll(() => today.getByRole("link", { name: "Rewards redeemed" }).count()).toBe(0);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await today.getByRole("link", { name: "Stamps given" }).click();
    await page.getByText("1–1 of 1 customer").waitFor();
    await page.getByRole("link", { name: "Nora" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows three numbers of a period, compared with the previous period", async () => {
    let ahead = -45 * 86_400_000;
    const other = await openShop({ clock: () => Date.now() + ahead });
    const card = await other.acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 9 });
    const giveStamps = async (email: string, count: number) => {
      const { id } = await other.acme.passes.create(card.id, { user: { email } });
      await other.acme.stamps.add(id, { count });
    };
    await giveStamps("ada@example.com", 4);
    await giveStamps("bob@example.com", 4);
    ahead = 0;
    await giveStamps("cyd@example.com", 2);
    const { page, complaints, close } = await visit(browser);
    await signIn(page, other);
    const readNumbers = async (name: string) =>
      (await page.getByRole("list", { name }).getByRole("listitem").allInnerTexts()).slice(0, 2);
    await expect
      .poll(() => readNumbers("The last 30 days"))
      .toEqual([
        "1\nNew customers\n-50% · 2 in the 30 days before",
        "2\nStamps given\n-75% · 8 in the 30 days before",
      ]);
    await page.getByRole("button", { name: "7 days" }).click();
    await expect
      .poll(() => readNumbers("The last 7 days"))
      .toEqual(["1\nNew customers\n0 in the 7 days before", "2\nStamps given\n0 in the 7 days before"]);
    await page.getByRole("button", { name: "90 days" }).click();
    await expect
      .poll(() => readNumbers("The last 90 days"))
      .toEqual(["3\nNew customers", "10\nStamps given"]);
    await page.getByRole("button", { name: "Today" }).click();
    await expect
      .poll(() => readNumbers("Today so far"))
      .toEqual([
        expect.stringMatching(/^1\nNew customers\n0 on all of last \w+day$/),
        expect.stringMatching(/^2\nStamps given\n0 on all of last \w+day$/),
      ]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows which wallets cards were added to, once that is known for a card", async () => {
    const other = await openShop();
    const card = await other.acme.templates.create({ name: "Tea", type: "LOYALTY_CARD" });
    const wallets = serviceInternals(other.loyalty).createWalletBackend(1_000);
    wallets.attachLinker(() => ({ apple: null, google: null }));
    for (const name of ["ada", "bob"]) {
      const { id } = await other.acme.passes.create(card.id, { user: { email: `${name}@example.com` } });
      if (name === "ada") await other.acme.passes.markInstalled(id);
      await other.acme.passes.walletLinks(id);
      const device = { passId: id, platform: "google", deviceId: "google", pushToken: null } as const;
      if (name === "bob") await wallets.devices.register("acme", device);
    }
    const { page, close } = await visit(browser);
    await signIn(page, other, "/console");
    await page.getByLabel("Chart").selectOption("Added to wallets");
    for (const valueText of ["Apple 0", "Google 1", "Other 1"]) await page.getByText(valueText).waitFor();
    await close();
  });

  it("shows what happens now, to whom and by whom, and pauses while the page is hidden", async () => {
    const other = await openShop();
    const { id } = await other.acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 5 });
    const { page, complaints, close } = await visit(browser);
    let requestCount = 0;
    page.on("request", (request) => {
      if (request.url().includes("/v1/events")) requestCount += 1;
    });
    await page.clock.install();
    await signIn(page, other);
    const lately = page.getByRole("region", { name: "Happening now" });
    await lately.getByText("Activity at the till").waitFor();
    const pass = await other.acme.passes.create(id, { user: { email: "lea@example.com" } });
    await other.acme.stamps.add(pass.id, { count: 2 });
    await page.clock.runFor(6_000);
    const readLines = async () =>
      (await lately.getByRole("listitem").allInnerTexts()).map((text) => text.replaceAll(/\s+/g, " "));
    await expect
      .poll(readLines)
      .toEqual([
        expect.stringMatching(/^lea@example\.com Stamped: 2\/5 · your software/),
        expect.stringMatching(/^lea@example\.com Got a card · /),
        expect.stringMatching(/^lea@example\.com Became a customer · /),
      ]);
    // A stamp that fills a card shows the full card, not the empty one that begins.
    await other.acme.stamps.add(pass.id, { count: 3 });
    await page.clock.runFor(6_000);
    await expect
      .poll(async () => (await readLines()).slice(0, 2))
      .toEqual([
        expect.stringContaining("Card full: earned a reward"),
        expect.stringContaining("Stamped: 5/5"),
      ]);
    const setVisibility = (state: "hidden" | "visible") =>
      page.evaluate(
        `Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true })`,
      );
    await setVisibility("hidden");
    const before = requestCount;
    await page.clock.runFor(30_000);
    await expect.poll(() => requestCount).toBe(before);
    await setVisibility("visible");
    await page.clock.runFor(6_000);
    await expect.poll(() => requestCount).toBeGreaterThan(before);
    await lately.getByRole("link", { name: "lea@example.com" }).first().click();
    await page.getByRole("heading", { level: 1, name: "lea@example.com" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("says when customers visit, and its charts give each day's value by keyboard and to screen readers", async () => {
    const { page, complaints, close } = await visit(browser);
    await signIn(page, shop);
    await page.getByRole("button", { name: "More numbers" }).click();
    const hours = page.getByRole("region", { name: "When customers visit" });
    const busiest = hours.getByText(/^Busiest in the last 8 weeks: \w+day, \d+:00 to \d+:00, [1-3] visits?$/);
    await busiest.waitFor();
    // Sunday is the last row, so there is none below it.
    const arrowKey = (await busiest.innerText()).includes("Sunday") ? "ArrowUp" : "ArrowDown";
    const readCounts = async () => (await hours.getByRole("cell").allInnerTexts()).map(Number);
    await expect.poll(async () => (await readCounts()).reduce((sum, count) => sum + count, 0)).toBe(3);
    await hours.locator('button[tabindex="0"]').press(arrowKey);
    await hours.getByText(/^\w+day, \d+:00 to \d+:00, 0 visits$/).waitFor();
    const stamps = page.getByRole("slider", { name: "Stamps given by day" });
    const readValueText = () => stamps.getAttribute("aria-valuetext");
    await expect.poll(readValueText).toMatch(/^\w+ \d+: 15$/);
    await stamps.press("ArrowLeft");
    await stamps.press("ArrowLeft");
    await expect.poll(readValueText).toMatch(/^\w+ \d+: 0$/);
    const chart = page.getByRole("region", { name: "Stamps given" });
    await expect.poll(() => chart.locator(".total").innerText()).toMatch(/^0 \w+ \d+$/);
    await expect.poll(() => chart.locator(".scale li").allInnerTexts()).toEqual(["20", "10", "0"]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows points by day, and the outstanding points by month as a table and a file", async () => {
    const now = Date.parse("2026-03-02T12:00:00Z");
    const other = await openShop({ clock: () => now });
    const createClub = (name: string, unit: string | null) =>
      other.acme.templates.create({ name, type: "LOYALTY_CARD", points: { unit, expiry: null } });
    const [club, evil] = [await createClub("Club", "beans"), await createClub("=1+1", null)];
    const { id } = await other.acme.passes.create(club.id, { user: { email: "ada@example.com" } });
    await other.acme.points.add(id, { points: 1_200, expiresAt: "2026-04-01T00:00:00Z" });
    await other.acme.points.add(id, { points: 30 });
    await other.acme.points.spend(id, { points: 200 });
    const owing = await other.acme.passes.create(evil.id, { user: { email: "bob@example.com" } });
    await other.acme.points.add(owing.id, { points: 5, expiresAt: "2026-04-01T00:00:01Z" });
    const debtor = await other.acme.passes.create(evil.id, { user: { email: "cyd@example.com" } });
    await other.acme.points.remove(debtor.id, { points: 7, allowsDebt: true });
    const { page, complaints, close } = await visit(browser);
    await signIn(page, other);
    const chart = page.getByRole("region", { name: "Points spent" });
    // A shop without stamps sees its points.
    await page.getByText("200Points spent").waitFor();
    await page.getByRole("region", { name: "Happening now" }).getByText("200 beans spent").waitFor();
    await page.getByLabel("Chart").selectOption("Points spent");
    await page.getByRole("button", { name: "More numbers" }).click();
    await expect.poll(() => chart.locator(".total").innerText()).toMatch(/^200/);
    const outstanding = page.getByRole("region", { name: "Outstanding points" });
    await outstanding.getByText("1,035 available · 7 owed by customers").waitFor();
    const readRows = async () =>
      (await outstanding.locator("tbody tr").allInnerTexts()).map((row) => row.split("\t"));
    await expect.poll(readRows).toEqual([
      ["March 2026", "1,000"],
      ["April 2026", "5"],
      ["Never", "30"],
    ]);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await outstanding.getByLabel("Card").selectOption("Club");
    await expect.poll(readRows).toEqual([
      ["March 2026", "1,000"],
      ["Never", "30"],
    ]);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      outstanding.getByRole("button", { name: "Download CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("outstanding-points-2026-03-02.csv");
    const rows = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
    expect(rows[0]).toBe("templateId,template,month,points");
    expect(rows.slice(1).sort()).toEqual(
      [`${club.id},Club,2026-03,1000`, `${club.id},Club,,30`, `${evil.id},'=1+1,2026-04,5`].sort(),
    );
    expect(complaints).toEqual([]);
    await close();
  });

  it("says that the token may not see the numbers, and requests nothing that would be refused", async () => {
    const { page, close } = await visit(browser);
    const rejectedStatuses: number[] = [];
    page.on("response", (response) => response.status() >= 400 && rejectedStatuses.push(response.status()));
    await signIn(page, shop, "/console", await shop.createToken("webhook:manage"));
    rejectedStatuses.length = 0;
    await page.getByText("You don’t have access to statistics").waitFor();
    expect(rejectedStatuses).toEqual([]);
    await close();
  });
});
