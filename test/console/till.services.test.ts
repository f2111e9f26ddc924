import type { BrowserContextOptions } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { openBrowser, openShop, type Shop, signIn, visit } from "./shop.js";
import { storages } from "./storages.js";
import { scanTexts } from "./till-scene.js";

const browser = await openBrowser();

describe.each(storages)("the till on $name", ({ open }) => {
  let shop: Shop;
  let templateId: string;
  beforeAll(async () => {
    shop = await openShop(open === undefined ? {} : { storage: await open() });
    templateId = (await shop.acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 4 })).id;
  });

  /** Creates a customer with a card, and opens the till on a phone. */
  const openTillFor = async (name: string, options: BrowserContextOptions = {}) => {
    const pass = await shop.acme.passes.create(templateId, {
      user: { name, email: `${crypto.randomUUID()}@example.com` },
    });
    const browserVisit = await visit(browser, { viewport: { width: 390, height: 800 }, ...options });
    await signIn(browserVisit.page, shop, "/console/till");
    const field = browserVisit.page.getByLabel("Code, name, phone, or email");
    await field.waitFor();
    const enterCode = async (code: string) => {
      await field.fill(code);
      await browserVisit.page.keyboard.press("Enter");
    };
    const waitForStatus = (text: string) =>
      browserVisit.page.getByRole("status").filter({ hasText: text }).waitFor();
    const pressButton = (name: string | RegExp) =>
      browserVisit.page.getByRole("button", { name, exact: true }).click();
    return {
      ...browserVisit,
      pass,
      field,
      enterCode,
      waitForStatus,
      pressButton,
      state: () => shop.acme.stamps.state(pass.id),
    };
  };

  it("stamps the card whose code a reader types, and undoes it", async () => {
    const { complaints, pass, enterCode, waitForStatus, pressButton, state, close } =
      await openTillFor("Ada");
    await enterCode(` ${pass.qrCodeValue}?x=1`);
    await pressButton("Add one");
    await pressButton("Add 2 stamps");
    await waitForStatus("+2 stamps");
    await expect.poll(async () => (await state()).currentStamps).toBe(2);
    await pressButton("Undo");
    await waitForStatus("2 stamps undone");
    await expect.poll(async () => (await state()).currentStamps).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("keeps the keyboard focus on the pressed button, and in the till if that button disappears", async () => {
    const { page, pass, enterCode, waitForStatus, close } = await openTillFor("Flo");
    const readFocusedText = () => page.evaluate("document.activeElement?.textContent?.trim() ?? ''");
    const isInTill = () => page.evaluate("document.activeElement?.closest('.till') !== null");
    await enterCode(pass.qrCodeValue);
    const add = page.getByRole("button", { name: "Add 1 stamp" });
    await expect.poll(() => add.isEnabled()).toBe(true);
    await add.press("Enter");
    await waitForStatus("+1 stamp");
    await expect.poll(readFocusedText).toBe("Add 1 stamp");
    await page.getByRole("button", { name: "Undo" }).press("Enter");
    await waitForStatus("1 stamp undone");
    await expect.poll(isInTill).toBe(true);
    await close();
  });

  it("says that a card is full, and redeems the reward once", async () => {
    const { page, pass, enterCode, waitForStatus, pressButton, state, close } = await openTillFor("Bo");
    await shop.acme.stamps.add(pass.id, { count: 3 });
    await enterCode(pass.qrCodeValue.split("/").at(-1) ?? "");
    await pressButton("Add 1 stamp");
    await waitForStatus("Card full. Reward earned!");
    await pressButton("Redeem 1 of 1 reward");
    await waitForStatus("Reward redeemed");
    await expect.poll(async () => (await state()).rewardsAvailable).toBe(0);
    await pressButton("Undo");
    await waitForStatus("Redemption undone");
    await expect.poll(async () => (await state()).rewardsAvailable).toBe(1);
    await pressButton("Redeem 1 of 1 reward");
    await waitForStatus("Reward redeemed");
    await expect.poll(() => page.getByRole("button", { name: "Redeem" }).count()).toBe(0);
    await close();
  });

  it("also signals the result by sound", async () => {
    const { page, pass, enterCode, waitForStatus, pressButton, close } = await openTillFor("Fay");
    await page.evaluate(`{
      const start = OscillatorNode.prototype.start;
      window.tones = [];
      OscillatorNode.prototype.start = function (...at) {
        window.tones.push(this.frequency.value);
        return start.apply(this, at);
      };
    }`);
    const readTones = () => page.evaluate("window.tones.slice(-2)");
    await enterCode(pass.qrCodeValue);
    await pressButton("Add 1 stamp");
    await waitForStatus("+1 stamp");
    await expect.poll(() => readTones()).toEqual([880, 1_320]);
    await enterCode("neverGiven12");
    await page.getByRole("alert").waitFor();
    await expect.poll(() => readTones()).toEqual([180, 140]);
    await close();
  });

  it("can be installed as an app on a phone", async () => {
    const { page, context, close } = await openTillFor("Gus");
    await page.evaluate("navigator.serviceWorker.ready.then(() => null)");
    const session = await context.newCDPSession(page);
    const { errors, url } = await session.send("Page.getAppManifest");
    expect([errors, url]).toEqual([[], `${shop.url}/console/manifest.webmanifest`]);
    const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
    // The test's profile is private, and nothing can be installed in it.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);
    await close();
  });

  it("finds a customer who has no phone with them by name", async () => {
    const { page, field, waitForStatus, pressButton, state, close } = await openTillFor("Chloé");
    await field.fill("chlo");
    const found = page.getByRole("button", { name: /Chloé/ });
    await found.waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Find card" }).count()).toBe(0);
    // The customer's only card opens immediately.
    await found.click();
    await pressButton("Add 1 stamp");
    await waitForStatus("+1 stamp");
    await expect.poll(async () => (await state()).currentStamps).toBe(1);
    await page.getByRole("button", { name: "Next customer" }).click();
    await expect.poll(() => field.evaluate("document.activeElement.tagName")).toBe("INPUT");
    await close();
  });

  it("opens the only match on Enter, even before the response arrives, and none of several", async () => {
    const { page, field, close } = await openTillFor("Zoë Only", { serviceWorkers: "block" });
    await openTillFor("Zacharias Twin").then((other) => other.close());
    await openTillFor("Zita Twin").then((other) => other.close());
    await page.route("**/v1/contacts*", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await field.fill("only");
    await page.keyboard.press("Enter");
    await page.locator(".till-name").getByText("Zoë Only").waitFor();
    await page.unroute("**/v1/contacts*");
    await field.fill("twin");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /Zita Twin/ }).waitFor();
    await expect.poll(() => page.locator("[aria-expanded=true]").count()).toBe(0);
    await close();
  });

  it("says that a code is unknown, and that another till was faster", async () => {
    const { page, pass, enterCode, pressButton, close } = await openTillFor("Dov");
    await enterCode("neverGiven12");
    await page.getByRole("alert").filter({ hasText: "No card has this code." }).waitFor();
    await shop.acme.stamps.add(pass.id, { count: 4 });
    await enterCode(pass.qrCodeValue);
    await page.getByRole("button", { name: "Redeem 1 of 1 reward" }).waitFor();
    await shop.acme.stamps.redeem(pass.id);
    await pressButton("Redeem 1 of 1 reward");
    await page.getByRole("alert").filter({ hasText: "This card has no reward to redeem." }).waitFor();
    await close();
  });

  it("finds a card of another program if its capitals are typed in lowercase, and prefers an exact match", async () => {
    const { page, enterCode, close } = await openTillFor("Ned");
    const importCard = (name: string, code: string) =>
      shop.acme.passes.import([
        { name, email: `${crypto.randomUUID()}@example.com`, passes: [{ templateId, code }] },
      ]);
    await importCard("Capital Cora", "MEMBER000017");
    await enterCode("member000017");
    await page.locator(".till-name").getByText("Capital Cora").waitFor();
    await page.getByRole("button", { name: "Next customer" }).click();
    await importCard("Small Sam", "member000017");
    await enterCode("member000017");
    await page.locator(".till-name").getByText("Small Sam").waitFor();
    await close();
  });

  it("lets the next text replace one that isn't a code and finds no one", async () => {
    const { page, field, close } = await openTillFor("Ole");
    await field.fill("nobody by that name");
    await page.keyboard.press("Enter");
    await page.getByText("No customer or card found.").waitFor();
    await page.keyboard.type("ole");
    await expect.poll(() => field.inputValue()).toBe("ole");
    await close();
  });

  it("keeps a typed code that no card has, so that it can be corrected, and the next code replaces it", async () => {
    const { page, pass, field, enterCode, pressButton, close } = await openTillFor("Ron");
    await enterCode("neverGiven12");
    await page.getByRole("alert").filter({ hasText: "No card has this code." }).waitFor();
    await expect.poll(() => field.inputValue()).toBe("neverGiven12");
    await page.keyboard.insertText(pass.qrCodeValue);
    await page.keyboard.press("Enter");
    await page.locator(".till-name").getByText("Ron").waitFor();
    await expect.poll(() => field.inputValue()).toBe("");
    await enterCode("neverGiven12");
    await expect.poll(() => field.inputValue()).toBe("neverGiven12");
    await pressButton("Next customer");
    await expect.poll(() => field.inputValue()).toBe("");
    // A wrong code is not a customer.
    await expect.poll(() => page.getByText("No card has this code.").count()).toBe(0);
    await close();
  });

  it("accepts what a scanner types wherever the focus is, and its Enter presses no button", async () => {
    const { page, pass, field, waitForStatus, pressButton, state, close } = await openTillFor("Hal");
    const other = await shop.acme.passes.create(templateId, {
      user: { name: "Ivy", email: "ivy@example.com" },
    });
    const scanCode = async (text: string) => {
      await page.keyboard.type(text);
      await page.keyboard.press("Enter");
    };
    const waitForName = (name: string) => page.locator(".till-name").filter({ hasText: name }).waitFor();
    await expect.poll(() => page.evaluate("document.activeElement.tagName")).not.toBe("INPUT");
    await scanCode(pass.qrCodeValue);
    await waitForName("Hal");
    await pressButton("Add 1 stamp");
    await waitForStatus("+1 stamp");
    const focuses: (() => Promise<void>)[] = [
      () => page.getByRole("button", { name: "Add 1 stamp" }).focus(),
      () => page.getByRole("button", { name: "Next customer" }).focus(),
      () => page.getByRole("button", { name: "Add one" }).focus(),
      () => field.focus(),
      () => page.evaluate("document.activeElement.blur()"),
    ];
    for (const focus of focuses) {
      await scanCode(pass.qrCodeValue);
      await waitForName("Hal");
      await focus();
      await scanCode(other.qrCodeValue);
      await waitForName("Ivy");
    }
    await field.fill("Hal, or whoever");
    await field.focus();
    await scanTexts(page, pass.qrCodeValue);
    await waitForName("Hal");
    await expect.poll(() => field.inputValue()).toBe("");
    await page.getByRole("button", { name: "Add 1 stamp" }).focus();
    await scanCode("no card of ours");
    await page.getByText("No customer or card found").waitFor();
    await expect
      .poll(async () => [
        (await state()).currentStamps,
        (await shop.acme.stamps.state(other.id)).currentStamps,
      ])
      .toEqual([1, 0]);
    await close();
  });

  it("shows the newest state of a card at each scan", async () => {
    const { page, pass, enterCode, waitForStatus, pressButton, close } = await openTillFor("Jo");
    await enterCode(pass.qrCodeValue);
    await page.getByText("0 of 4").waitFor();
    await shop.acme.stamps.add(pass.id, { count: 5 });
    await enterCode(pass.qrCodeValue);
    await pressButton("Redeem 1 of 1 reward");
    await waitForStatus("Reward redeemed");
    await close();
  });

  it("queues cards during a call, stamps none of them with a press, and names the customer of a late failure", async () => {
    const { page, pass, enterCode, pressButton, state, close } = await openTillFor("Kim", {
      serviceWorkers: "block",
    });
    const other = await shop.acme.passes.create(templateId, {
      user: { name: "Lou", email: "lou@example.com" },
    });
    await enterCode(pass.qrCodeValue);
    const add = page.getByRole("button", { name: "Add 1 stamp" });
    await add.waitFor();
    let answer = () => {};
    await page.route("**/stamps/add", async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.fulfill({ status: 500, json: { code: "internal_error", params: null } });
    });
    await add.click();
    await enterCode(other.qrCodeValue);
    await enterCode(pass.qrCodeValue);
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
    await pressButton("Add 1 stamp");
    await expect.poll(async () => (await shop.acme.stamps.state(other.id)).currentStamps).toBe(1);
    await pressButton("Next customer (1 waiting)");
    await page.locator(".till-name").filter({ hasText: "Kim" }).waitFor();
    await expect.poll(async () => (await state()).currentStamps).toBe(0);
    await close();
  });

  it("says immediately that its sign-in has no access to cards", async () => {
    const { page, close } = await visit(browser);
    const token = await shop.createToken("loyalty:manage", "user:read");
    await signIn(page, { ...shop, token }, "/console/till");
    await page.getByRole("alert").filter({ hasText: "You don’t have access to cards" }).waitFor();
    await expect.poll(() => page.getByLabel("Code, name, phone, or email").count()).toBe(0);
    await close();
  });

  it("counts a saved stamp without a connection, and says that it was sent once there is one again", async () => {
    const { page, context, pass, enterCode, waitForStatus, pressButton, state, close } =
      await openTillFor("Una");
    const other = await shop.acme.passes.create(templateId, {
      user: { name: "Vic", email: `${crypto.randomUUID()}@example.com` },
    });
    await enterCode(pass.qrCodeValue);
    const add = page.getByRole("button", { name: "Add 1 stamp" });
    await expect.poll(() => add.isEnabled()).toBe(true);
    await context.setOffline(true);
    await add.click();
    await waitForStatus("Saved: +1 stamp 1 of 4");
    await context.setOffline(false);
    await waitForStatus("Sent: +1 stamp 1 of 4");
    await expect.poll(async () => (await state()).currentStamps).toBe(1);
    await context.setOffline(true);
    await enterCode(other.qrCodeValue);
    await pressButton("Save 1 stamp");
    await waitForStatus("Saved: +1 stamp");
    await context.setOffline(false);
    await waitForStatus("Sent: +1 stamp 1 of 4");
    await page.locator(".till-name").getByText("Vic").waitFor();
    await expect.poll(() => page.getByText(/No connection|waiting for a connection/).count()).toBe(0);
    await close();
  });

  it("stamps once if the response is lost", async () => {
    // The till's service worker would send requests past the page's route.
    const { page, pass, enterCode, waitForStatus, pressButton, state, close } = await openTillFor("Eve", {
      serviceWorkers: "block",
    });
    await enterCode(pass.qrCodeValue);
    let lostCount = 0;
    await page.route("**/stamps/add", async (route) => {
      if (lostCount > 0) return route.continue();
      lostCount += 1;
      await route.fetch();
      await route.abort();
    });
    await pressButton("Add 1 stamp");
    await waitForStatus("+1 stamp");
    await expect.poll(async () => [lostCount, (await state()).currentStamps]).toEqual([1, 1]);
    await close();
  });
});
