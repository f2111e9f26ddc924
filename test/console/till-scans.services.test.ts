import type { Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openBrowser, openShop } from "./shop.js";
import { pressScript, scanTexts, visitTill, waitForState } from "./till-scene.js";

/** These tills scan in parallel, because a till ignores presses for a moment after each one. */
const TILLS = [1, 2, 3, 4];
/** In total for all tills, like the cards. */
const SCANS = 200;
const CARDS = 60;
const MOST_AT_ONCE = 8;
const LONG = 180_000;

/** A stamp without a timely response is sent again some seconds later. */
const later = { timeout: 20_000 };

const shop = await openShop();
const browser = await openBrowser();
const everyScan = { isEveryScanAStamp: true };

/** Creates customers with a card each. */
async function createCards(names: readonly string[], maxStamps = 10) {
  const { id } = await shop.acme.templates.create({
    name: "Coffee",
    type: "STAMP_CARD",
    maxStamps,
    reward: "A free coffee",
  });
  const cards = [];
  for (const name of names) {
    const user = { name, email: `${crypto.randomUUID()}@example.com` };
    const pass = await shop.acme.passes.create(id, { user });
    cards.push({ name, id: pass.id, code: pass.qrCodeValue });
  }
  return cards;
}

const countStamps = async (passId: string) => (await shop.acme.stamps.state(passId)).totalStampsCollected;

/** Generates the same numbers below 1 for the same seed. */
function* generateChances(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (state * 48_271) % 2_147_483_647;
    yield state / 2_147_483_647;
  }
}

/** Scans several cards quickly, again and again, and answers the till's questions. @returns the number of questions. */
async function scanWhereEveryScanIsAStamp(seed: number): Promise<number> {
  const all = await createCards(
    Array.from({ length: CARDS / TILLS.length }, (_, at) => `Customer ${at}`),
    4,
  );
  const random = generateChances(seed);
  const pickCard = () => all[Math.floor(random.next().value * all.length)] ?? all[0];
  const { page, scanCodes, complaints, close } = await visitTill(browser, shop, everyScan);
  const expectedStamps = new Map<string, number>(all.map(({ id }) => [id, 0]));
  /** Adds to the stamps expected for a displayed card. A card not found in time is shown by the end of its code. */
  const addWanted = (shownName: string, stamps: number) => {
    const card = all.find(({ name, code }) => [name, `Card …${code.slice(-4)}`].includes(shownName));
    if (card === undefined) throw new Error(`there is no card ${shownName}`);
    expectedStamps.set(card.id, (expectedStamps.get(card.id) ?? 0) + stamps);
  };
  let questionCount = 0;
  /** Answers the till's questions until no card is waiting. */
  const answerAll = async () => {
    for (;;) {
      const isYes = random.next().value < 0.5;
      const { name, isAsked, isDone } = await waitForState(
        page,
        "isAsked || (isDone && !isWaiting)",
        `if (isAsked && !isDone && ${isYes}) ${pressScript("Add 1 stamp")};
        else if (isAsked) ${pressScript("Next customer")}`,
      );
      if (!isAsked) return;
      if (!isYes && !isDone) addWanted(name, -1);
      questionCount += 1;
      const was = JSON.stringify(name);
      const after = await waitForState(
        page,
        `name !== ${was} || !isAsked || (isDone && ${isYes && !isDone})`,
      );
      if (after.name === "") return;
    }
  };
  let scannedCount = 0;
  while (scannedCount < SCANS / TILLS.length) {
    const now = Math.min(
      SCANS / TILLS.length - scannedCount,
      1 + Math.floor(random.next().value * MOST_AT_ONCE),
    );
    const codes = [];
    for (let at = 0; at < now; at += 1) {
      const card = pickCard();
      if (card === undefined) continue;
      codes.push(card.code);
      addWanted(card.name, 1);
    }
    scannedCount += now;
    await scanCodes(...codes);
    await answerAll();
  }
  for (const { id } of all) await expect.poll(() => countStamps(id), later).toBe(expectedStamps.get(id));
  expect(complaints).toEqual([]);
  await close();
  return questionCount;
}

/** Opens cards by scanning, and presses the stamp button for most of them. */
async function openOneAfterTheOther(seed: number): Promise<void> {
  const all = await createCards(
    Array.from({ length: 12 }, (_, at) => `Guest ${at}`),
    100,
  );
  const random = generateChances(seed);
  const { page, complaints, close } = await visitTill(browser, shop);
  const expectedStamps = new Map<string, number>();
  for (let at = 0; at < SCANS / TILLS.length; at += 1) {
    const card = all[Math.floor(random.next().value * all.length)] ?? all[0];
    if (card === undefined) throw new Error("there is no card");
    await scanTexts(page, card.code);
    await waitForState(page, `name === ${JSON.stringify(card.name)}`);
    if (random.next().value < 0.3) continue;
    expectedStamps.set(card.id, (expectedStamps.get(card.id) ?? 0) + 1);
    await waitForState(page, "isReady", pressScript("Add 1 stamp"));
    await waitForState(page, "isDone");
  }
  for (const { id } of all) await expect.poll(() => countStamps(id), later).toBe(expectedStamps.get(id) ?? 0);
  expect(complaints).toEqual([]);
  await close();
}

describe("scans at the till", () => {
  it(
    `add ${SCANS} stamps to the scanned cards if every scan is a stamp, except where someone declines`,
    async () => {
      const questionCounts = await Promise.all(TILLS.map(scanWhereEveryScanIsAStamp));
      expect(questionCounts.reduce((sum, each) => sum + each)).toBeGreaterThan(10);
    },
    LONG,
  );

  it(
    `open ${SCANS} cards one after the other, each of which gets what is pressed for it`,
    async () => {
      await Promise.all(TILLS.map((till) => openOneAfterTheOther(7 * till)));
    },
    LONG,
  );

  it("wait visibly for a response or an answer to a question, and are undone one by one", async () => {
    const [ada, bo, cy] = await createCards(["Ada", "Bo", "Cy"]);
    if (ada === undefined || bo === undefined || cy === undefined) throw new Error("there is no card");
    const { page, scanCodes, waitForName, pressButton, waitForStatus, close } = await visitTill(
      browser,
      shop,
      everyScan,
    );
    await scanCodes(ada.code);
    await waitForStatus("+1 stamp");
    await scanCodes(ada.code, bo.code, cy.code);
    await page.getByRole("alert").filter({ hasText: "Add another?" }).waitFor();
    const waitingRegion = page.getByRole("region", { name: "Waiting" });
    await expect
      .poll(() => waitingRegion.getByRole("listitem").allTextContents())
      .toEqual([bo, cy].map(({ code }) => `Card …${code.slice(-4)}`));
    await waitForName("Ada");
    await expect.poll(async () => [await countStamps(ada.id), await countStamps(bo.id)]).toEqual([1, 0]);
    await pressButton("Next customer (2 waiting)");
    await waitForName("Cy");
    await waitForStatus("+1 stamp");
    await pressButton("Undo");
    await waitForStatus("1 stamp undone");
    const before = page.getByRole("list", { name: "Recent activity" });
    await before.getByRole("button", { name: "Undo +1 stamp for Bo" }).click();
    await before.getByRole("listitem").filter({ hasText: "Bo" }).getByText("1 stamp undone").waitFor();
    await expect
      .poll(async () => [await countStamps(ada.id), (await shop.acme.stamps.state(bo.id)).currentStamps])
      .toEqual([1, 0]);
    await expect.poll(async () => (await shop.acme.stamps.state(cy.id)).currentStamps).toBe(0);
    await close();
  });

  it("get one answer each: a second fast press, or a scan after a press, answers nothing for the next card", async () => {
    const all = await createCards(["Lea", "Mo", "Nia", "Ola"], 2);
    for (const { id } of all) await shop.acme.stamps.add(id, { count: 2 });
    const [lea, mo, nia, ola] = all;
    if (!(lea && mo && nia && ola)) throw new Error("there is no card");
    const { page, scanCodes, waitForName, close } = await visitTill(browser, shop, everyScan);
    await scanCodes(...all.map(({ code }) => code));
    await waitForName("Lea");
    await page.getByText("3 cards waiting").waitFor();
    const next = page.getByRole("button", { name: /^Next customer/ });
    const box = await next.boundingBox();
    if (box === null) throw new Error("the button is nowhere");
    for (const after of ["Mo", "Nia"]) {
      await next.click({ trial: true });
      await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2, { delay: 20 });
      await waitForName(after);
      await page.getByText("Reward waiting").waitFor();
    }
    await page.getByText("1 card waiting").waitFor();
    // The focus stays on the button, and a scanner types quickly.
    await next.click({ trial: true });
    await next.focus();
    await page.keyboard.press("Enter");
    await scanCodes(lea.code);
    await waitForName("Ola");
    await page.getByText("Reward waiting").waitFor();
    await page.getByText("1 card waiting").waitFor();
    await expect
      .poll(() => Promise.all(all.map(async ({ id }) => (await shop.acme.stamps.state(id)).rewardsAvailable)))
      .toEqual([1, 1, 1, 1]);
    for (const { id } of all) await expect.poll(() => countStamps(id)).toBe(2);
    await close();
  });

  it("stop for a waiting reward, and for the stamp that earns one", async () => {
    const [dan, eve] = await createCards(["Dan", "Eve"], 2);
    if (dan === undefined || eve === undefined) throw new Error("there is no card");
    await shop.acme.stamps.add(dan.id, { count: 3 });
    const { page, scanCodes, waitForName, pressButton, waitForStatus, close } = await visitTill(
      browser,
      shop,
      everyScan,
    );
    await scanCodes(dan.code, eve.code);
    await page.getByRole("alert").filter({ hasText: "Reward waiting: A free coffee" }).waitFor();
    await waitForName("Dan");
    await expect.poll(async () => [await countStamps(dan.id), await countStamps(eve.id)]).toEqual([3, 0]);
    await pressButton("Redeem 1 of 1 reward");
    await waitForName("Eve");
    await waitForStatus("+1 stamp");
    await pressButton("Add 1 stamp");
    await waitForStatus("Card full. Reward earned!");
    await scanCodes(dan.code);
    await page.getByRole("region", { name: "Waiting" }).waitFor();
    await waitForName("Eve");
    await expect.poll(async () => (await shop.acme.stamps.state(dan.id)).rewardsAvailable).toBe(0);
    await close();
  });

  it("count for their own card in a dialog, in any field, during another call, and without a connection", async () => {
    const all = await createCards(["Fay", "Gus", "Hal", "Ivy", "Jo"]);
    const [fay, gus, hal, ivy, jo] = all;
    if (!(fay && gus && hal && ivy && jo)) throw new Error("there is no card");
    const { page, context, scanCodes, waitForName, pressButton, waitForStatus, close } = await visitTill(
      browser,
      shop,
      everyScan,
      {
        serviceWorkers: "block",
      },
    );
    await pressButton("Till settings");
    await page.getByRole("dialog", { name: "This till" }).waitFor();
    await scanCodes(fay.code);
    await waitForName("Fay");
    await waitForStatus("+1 stamp");
    await expect.poll(() => page.getByRole("dialog").count()).toBe(0);

    let answer = () => {};
    const holdRoute = async (route: Route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.continue();
    };
    await page.route("**/stamps/add", holdRoute, { times: 1 });
    await scanCodes(gus.code);
    await waitForName("Gus");
    await page.getByRole("button", { name: "Next customer" }).focus();
    await scanCodes(hal.code);
    await page.getByText("1 card waiting").waitFor();
    await expect.poll(() => countStamps(gus.id)).toBe(0);
    answer();
    await waitForName("Hal");
    await waitForStatus("+1 stamp");

    // The session ends, and the till asks for a token; the next scans must not end up in that field.
    await context.clearCookies();
    await scanCodes(ivy.code);
    const token = page.getByRole("dialog").getByLabel("API token");
    await token.fill(shop.token);
    await scanCodes(jo.code);
    await expect.poll(() => token.inputValue()).toBe(shop.token);
    await pressButton("Sign in");
    await waitForName("Jo");
    await waitForStatus("+1 stamp");
    for (const { id } of all) await expect.poll(() => countStamps(id)).toBe(1);

    await context.setOffline(true);
    const [kim] = await createCards(["Kim"]);
    if (kim === undefined) throw new Error("there is no card");
    await scanCodes(kim.code);
    await waitForStatus("Saved: +1 stamp");
    await pressButton("Undo");
    await waitForStatus("1 stamp undone");
    await scanCodes(kim.code);
    await waitForStatus("Saved: +1 stamp");
    await scanCodes(kim.code);
    await page.getByRole("alert").filter({ hasText: "Add another?" }).waitFor();
    await pressButton("Next customer");
    await context.setOffline(false);
    await expect.poll(() => countStamps(kim.id), { timeout: 15_000 }).toBe(1);
    await close();
  });
});
