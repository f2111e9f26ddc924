import type { BrowserContextOptions } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { openBrowser, openShop, type Shop, signIn, visit } from "./shop.js";
import { storages } from "./storages.js";
import { scanAtOnce } from "./till-scene.js";

const browser = await openBrowser();

describe.each(storages)("the till on $name", ({ open }) => {
  let shop: Shop;
  let templateId: string;
  beforeAll(async () => {
    shop = await openShop(open === undefined ? {} : { storage: await open() });
    templateId = (await shop.acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 4 })).id;
  });

  /** A customer with a card, and a phone at the till. */
  const atTill = async (name: string, options: BrowserContextOptions = {}) => {
    const pass = await shop.acme.passes.create(templateId, {
      user: { name, email: `${crypto.randomUUID()}@example.com` },
    });
    const visited = await visit(browser, { viewport: { width: 390, height: 800 }, ...options });
    await signIn(visited.page, shop, "/console/till");
    const field = visited.page.getByLabel("Code, name, phone, or email");
    await field.waitFor();
    const read = async (code: string) => {
      await field.fill(code);
      await visited.page.keyboard.press("Enter");
    };
    const done = (text: string) => visited.page.getByRole("status").filter({ hasText: text }).waitFor();
    const press = (name: string | RegExp) => visited.page.getByRole("button", { name, exact: true }).click();
    return { ...visited, pass, field, read, done, press, state: () => shop.acme.stamps.state(pass.id) };
  };

  it("stamps the card whose code a reader types, and takes it back", async () => {
    const { complaints, pass, read, done, press, state, close } = await atTill("Ada");
    await read(` ${pass.qrCodeValue}?x=1`);
    await press("Add one");
    await press("Add 2 stamps");
    await done("+2 stamps");
    await expect.poll(async () => (await state()).currentStamps).toBe(2);
    await press("Undo");
    await done("2 stamps undone");
    await expect.poll(async () => (await state()).currentStamps).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("keeps the keyboard focus on what was pressed, and in the till when that has gone", async () => {
    const { page, pass, read, done, close } = await atTill("Flo");
    const focused = () => page.evaluate("document.activeElement?.textContent?.trim() ?? ''");
    const isInTill = () => page.evaluate("document.activeElement?.closest('.till') !== null");
    await read(pass.qrCodeValue);
    const add = page.getByRole("button", { name: "Add 1 stamp" });
    await expect.poll(() => add.isEnabled()).toBe(true);
    await add.press("Enter");
    await done("+1 stamp");
    await expect.poll(focused).toBe("Add 1 stamp");
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await done("1 stamp undone");
    await expect.poll(isInTill).toBe(true);
    await close();
  });

  it("says that a card is full, and hands out the reward once", async () => {
    const { page, pass, read, done, press, state, close } = await atTill("Bo");
    await shop.acme.stamps.add(pass.id, { count: 3 });
    await read(pass.qrCodeValue.split("/").at(-1) ?? "");
    await press("Add 1 stamp");
    await done("Card full. Reward earned!");
    await press("Redeem 1 of 1 reward");
    await done("Reward redeemed");
    await expect.poll(async () => (await state()).rewardsAvailable).toBe(0);
    await press("Undo");
    await done("Redemption undone");
    await expect.poll(async () => (await state()).rewardsAvailable).toBe(1);
    await press("Redeem 1 of 1 reward");
    await done("Reward redeemed");
    await expect.poll(() => page.getByRole("button", { name: "Redeem" }).count()).toBe(0);
    await close();
  });

  it("says by ear, too, how it went", async () => {
    const { page, pass, read, done, press, close } = await atTill("Fay");
    await page.evaluate(`{
      const start = OscillatorNode.prototype.start;
      window.tones = [];
      OscillatorNode.prototype.start = function (...at) {
        window.tones.push(this.frequency.value);
        return start.apply(this, at);
      };
    }`);
    const tones = () => page.evaluate("window.tones.slice(-2)");
    await read(pass.qrCodeValue);
    await press("Add 1 stamp");
    await done("+1 stamp");
    await expect.poll(() => tones()).toEqual([880, 1_320]);
    await read("neverGiven12");
    await page.getByRole("alert").waitFor();
    await expect.poll(() => tones()).toEqual([180, 140]);
    await close();
  });

  it("can be kept among a phone's apps", async () => {
    const { page, context, close } = await atTill("Gus");
    await page.evaluate("navigator.serviceWorker.ready.then(() => null)");
    const session = await context.newCDPSession(page);
    const { errors, url } = await session.send("Page.getAppManifest");
    expect([errors, url]).toEqual([[], `${shop.url}/console/manifest.webmanifest`]);
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    // A profile of the test is a private one, in which nothing is installed.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
    await close();
  });

  it("finds who has no phone along by name", async () => {
    const { page, field, done, press, state, close } = await atTill("Chloé");
    await field.fill("chlo");
    await press(/Chloé/);
    await press(/Coffee/);
    await press("Add 1 stamp");
    await done("+1 stamp");
    await expect.poll(async () => (await state()).currentStamps).toBe(1);
    await page.getByRole("button", { name: "Next customer" }).click();
    await expect.poll(() => field.evaluate("document.activeElement.tagName")).toBe("INPUT");
    await close();
  });

  it("says when a code is none of ours, and when another till was quicker", async () => {
    const { page, pass, read, press, close } = await atTill("Dov");
    await read("neverGiven12");
    await page.getByRole("alert").filter({ hasText: "No card has this code." }).waitFor();
    await shop.acme.stamps.add(pass.id, { count: 4 });
    await read(pass.qrCodeValue);
    await page.getByRole("button", { name: "Redeem 1 of 1 reward" }).waitFor();
    await shop.acme.stamps.redeem(pass.id);
    await press("Redeem 1 of 1 reward");
    await page.getByRole("alert").filter({ hasText: "This card has no reward to redeem." }).waitFor();
    await close();
  });

  it("takes what a scanner types wherever the focus is, and its Enter presses no button", async () => {
    const { page, pass, field, done, press, state, close } = await atTill("Hal");
    const other = await shop.acme.passes.create(templateId, {
      user: { name: "Ivy", email: "ivy@example.com" },
    });
    const scan = async (text: string) => {
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
    const shows = (name: string) => page.locator(".till-name").filter({ hasText: name }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).not.toBe("INPUT");
    await scan(pass.qrCodeValue);
    await shows("Hal");
    await press("Add 1 stamp");
    await done("+1 stamp");
    const focuses: (() => Promise<void>)[] = [
      () => page.getByRole("button", { name: "Add 1 stamp" }).focus(),
      () => page.getByRole("button", { name: "Next customer" }).focus(),
      () => page.getByRole("button", { name: "Add one" }).focus(),
      () => field.focus(),
      () => page.evaluate("document.activeElement.blur()"),
    ];
    for (const focus of focuses) {
      await scan(pass.qrCodeValue);
      await shows("Hal");
      await focus();
      await scan(other.qrCodeValue);
      await shows("Ivy");
    }
    await field.fill("Hal, or whoever");
    await field.focus();
    await scanAtOnce(page, pass.qrCodeValue);
    await shows("Hal");
    await expect.poll(() => field.inputValue()).toBe("");
    await page.getByRole("button", { name: "Add 1 stamp" }).focus();
    await scan("no card of ours");
    await page.getByText("No customer or card found").waitFor();
    await expect
      .poll(async () => [
        (await state()).currentStamps,
        (await shop.acme.stamps.state(other.id)).currentStamps,
      ])
      .toEqual([1, 0]);
    await close();
  });

  it("shows the newest state of a card at each scan of it", async () => {
    const { page, pass, read, done, press, close } = await atTill("Jo");
    await read(pass.qrCodeValue);
    await page.getByText("0 of 4").waitFor();
    await shop.acme.stamps.add(pass.id, { count: 5 });
    await read(pass.qrCodeValue);
    await press("Redeem 1 of 1 reward");
    await done("Reward redeemed");
    await close();
  });

  it("has cards wait while an answer is under way, stamps none of them by a press, and tells late failures by name", async () => {
    const { page, pass, read, press, state, close } = await atTill("Kim", { serviceWorkers: "block" });
    const other = await shop.acme.passes.create(templateId, {
      user: { name: "Lou", email: "lou@example.com" },
    });
    await read(pass.qrCodeValue);
    const add = page.getByRole("button", { name: "Add 1 stamp" });
    await add.waitFor();
    let answer = () => {};
    await page.route("**/stamps/add", async (route) => {
      await new Promise<void>((answering) => {
        answer = answering;
      });
      await route.fulfill({ status: 500, json: { code: "internal_error", params: null } });
    });
    await add.click();
    await read(other.qrCodeValue);
    await read(pass.qrCodeValue);
    await page.getByRole("region", { name: "Waiting" }).getByText("2 cards waiting").waitFor();
    await expect.poll(() => add.isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Next customer (2 waiting)" }).click();
    await expect.poll(() => page.locator(".till-name").textContent()).toBe("Kim");
    answer();
    await page.locator(".till-name").filter({ hasText: "Lou" }).waitFor();
    await page
      .getByRole("alert")
      .filter({ hasText: "Kim: Something went wrong. See the server’s log" })
      .waitFor();
    await expect.poll(async () => (await state()).currentStamps).toBe(0);
    await page.unroute("**/stamps/add");
    await press("Add 1 stamp");
    await expect.poll(async () => (await shop.acme.stamps.state(other.id)).currentStamps).toBe(1);
    await press("Next customer (1 waiting)");
    await page.locator(".till-name").filter({ hasText: "Kim" }).waitFor();
    await expect.poll(async () => (await state()).currentStamps).toBe(0);
    await close();
  });

  it("says at once that its sign-in You don’t have access to cards", async () => {
    const { page, close } = await visit(browser);
    const token = await shop.tokenWith("loyalty:manage", "user:read");
    await signIn(page, { ...shop, token }, "/console/till");
    await page.getByRole("alert").filter({ hasText: "You don’t have access to cards" }).waitFor();
    await expect.poll(() => page.getByLabel("Code, name, phone, or email").count()).toBe(0);
    await close();
  });

  it("stamps once when the answer is lost", async () => {
    // Once the till's worker is there, requests go by it, past the route of the page.
    const { page, pass, read, done, press, state, close } = await atTill("Eve", { serviceWorkers: "block" });
    await read(pass.qrCodeValue);
    let lost = 0;
    await page.route("**/stamps/add", async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort();
    });
    await press("Add 1 stamp");
    await done("+1 stamp");
    await expect.poll(async () => [lost, (await state()).currentStamps]).toEqual([1, 1]);
    await close();
  });
});
