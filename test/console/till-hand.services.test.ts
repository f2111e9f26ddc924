import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findViolations, isOverflowing, openBrowser, openShop } from "./shop.js";
import { visitTill } from "./till-scene.js";

const shop = await openShop();
const browser = await openBrowser();
const { id: templateId } = await shop.acme.templates.create({
  name: "Bäckerei-Konditorei Schwarzwälder Frühstücksstempelkarte",
  type: "STAMP_CARD",
  maxStamps: 10,
  reward: "Ein Frühstück für zwei Personen mit Heißgetränk",
});

async function createCard(name: string, stamps: number): Promise<string> {
  const user = { name, email: `${crypto.randomUUID()}@example.com` };
  const pass = await shop.acme.passes.create(templateId, { user });
  if (stamps > 0) await shop.acme.stamps.add(pass.id, { count: stamps });
  return pass.qrCodeValue;
}

/** Finds controls of the till that are too small for a gloved thumb, out of view, or hard to read in the sun. */
function findOutOfReach(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const light = (text) => {
      const [r, g, b] = text.match(/[\\d.]+/g).map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
      const { backgroundColor } = getComputedStyle(element);
      return /, 0\\)$/.test(backgroundColor) ? ground(element.parentElement) : backgroundColor;
    };
    const nav = document.querySelector(".side").getBoundingClientRect().top;
    const found = [];
    const buttons = [...document.querySelectorAll(".till button, .till input")].filter((each) => each.checkVisibility());
    for (const each of buttons) {
      const { width, height } = each.getBoundingClientRect();
      if (Math.min(width, height) < 56) found.push("small: " + each.textContent + " " + width + "x" + height);
    }
    for (const each of document.querySelectorAll(".till-actions button, .outcome, .till-ask, .till-name")) {
      const { top, bottom } = each.getBoundingClientRect();
      if (bottom > nav || top < 0) found.push("out of sight: " + each.textContent);
    }
    for (const each of document.querySelectorAll(".till-actions button")) {
      const { top, bottom } = each.getBoundingClientRect();
      if ((top + bottom) / 2 < innerHeight * 0.6) found.push("too high: " + each.textContent);
    }
    const figures = ".till-name, .outcome-text, .outcome-more, .till-ask, .till-hint, .till .big, .note.shout, .till-done li";
    for (const each of document.querySelectorAll(figures)) {
      if (each.disabled) continue;
      const both = [light(getComputedStyle(each).color), light(ground(each))].sort((a, b) => b - a);
      const contrast = (both[0] + 0.05) / (both[1] + 0.05);
      if (contrast < 7) found.push("faint: " + each.textContent + " " + contrast.toFixed(1));
    }
    const sizes = [...document.querySelectorAll(".till *")].filter((each) => each.checkVisibility() && each.textContent !== "");
    const largest = Math.max(...sizes.map((each) => parseFloat(getComputedStyle(each).fontSize)));
    const result = document.querySelector(".outcome.good .outcome-text");
    if (result !== null && parseFloat(getComputedStyle(result).fontSize) < largest) {
      if (parseFloat(getComputedStyle(document.querySelector(".outcome .mark")).fontSize) < largest) found.push("not the largest");
    }
    return found;
  })()`);
}

/** Lists the roles and names that a screen reader reads at the till, in order. */
async function readSpoken(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  const nodesById = new Map(nodes.map((node) => [node.nodeId, node]));
  const spokenRoles = /^(heading|textbox|button|status|alert|region|list|image)$/;
  const all: string[] = [];
  const visitNode = (id: string) => {
    const node = nodesById.get(id);
    const role = String(node?.role?.value ?? "");
    if (spokenRoles.test(role)) all.push(`${role} ${String(node?.name?.value ?? "")}`.trim());
    for (const child of node?.childIds ?? []) visitNode(child);
  };
  visitNode(nodes.find(({ role }) => role?.value === "main")?.nodeId ?? "");
  await session.detach();
  return all;
}

describe("the till on a phone", () => {
  it("has everything that is needed on the screen, large, apart, and readable in the sun", async () => {
    for (const height of [640, 700]) {
      for (const colorScheme of ["light", "dark"] as const) {
        const options = { viewport: { width: height === 640 ? 360 : 390, height }, colorScheme };
        const { page, scanCodes, pressButton, waitForStatus, close } = await visitTill(
          browser,
          shop,
          {},
          options,
        );
        const checkState = async (state: string) => {
          // A hovered element has its own color.
          await page.mouse.move(0, 0);
          const found = [await findOutOfReach(page), await findViolations(page), await isOverflowing(page)];
          expect([state, height, colorScheme, ...found]).toEqual([state, height, colorScheme, [], [], false]);
        };
        await checkState("nothing scanned");
        await scanCodes(await createCard("Ada", 3));
        await pressButton("Add 1 stamp");
        await waitForStatus("+1 stamp");
        await scanCodes(await createCard("Maximiliane Freifrau von Hohenlohe-Waldenburg-Schillingsfürst", 7));
        await page.getByText(/\d of 10/).waitFor();
        await checkState("a card");
        await pressButton("Add 1 stamp");
        await waitForStatus("+1 stamp");
        await checkState("a stamp");
        await scanCodes(await createCard("Bo", 10));
        await page.getByText("Reward waiting").waitFor();
        await checkState("a reward that waits");
        await scanCodes("neverGiven12");
        await page.getByRole("alert").filter({ hasText: "No card has this code." }).waitFor();
        await checkState("refused");
        await close();
      }
    }
  }, 120_000);

  it("signals success, questions and refusals by sound and vibration, unless those are turned off", async () => {
    const { page, scanCodes, pressButton, waitForStatus, close } = await visitTill(browser, shop);
    const recordSignals = () =>
      page.evaluate(`{
        const start = OscillatorNode.prototype.start;
        window.told = { tones: [], vibrations: [] };
        OscillatorNode.prototype.start = function (...at) {
          window.told.tones.push(this.frequency.value);
          return start.apply(this, at);
        };
        navigator.vibrate = (pattern) => window.told.vibrations.push(pattern);
      }`);
    const assertSignals = async (expected: { tones: number[]; vibrations: number[][] }) => {
      await expect.poll(() => page.evaluate("window.told")).toEqual(expected);
      await page.evaluate("window.told = { tones: [], vibrations: [] }");
    };
    await recordSignals();
    const code = await createCard("Cy", 0);
    await scanCodes(code);
    await pressButton("Add 1 stamp");
    await waitForStatus("+1 stamp");
    await assertSignals({ tones: [880, 1_320], vibrations: [[60]] });
    await scanCodes(code);
    await page.getByText("Add another?").waitFor();
    await assertSignals({ tones: [660, 880, 660], vibrations: [[60, 60, 60, 60, 60]] });
    await scanCodes("neverGiven12");
    await page.getByText("No card has this code.").waitFor();
    await assertSignals({ tones: [180, 140], vibrations: [[120, 80, 120]] });
    await pressButton("Till settings");
    for (const name of ["Sound", "Vibration"]) await page.getByRole("switch", { name }).click();
    await page.reload();
    await page.getByLabel("Code, name, phone, or email").waitFor();
    await recordSignals();
    await scanCodes("neverGiven12");
    await page.getByText("No card has this code.").waitFor();
    await assertSignals({ tones: [], vibrations: [] });
    await close();
  });

  it("has its buttons in reach of the left thumb in left-handed mode, which is remembered", async () => {
    const { page, scanCodes, pressButton, close } = await visitTill(browser, shop);
    const leftEdge = async (name: string) =>
      (await page.getByRole("button", { name, exact: true }).boundingBox())?.x ?? 0;
    const code = await createCard("Dan", 0);
    await scanCodes(code);
    await page.getByRole("button", { name: "Add 1 stamp" }).waitFor();
    await expect.poll(() => leftEdge("Add 1 stamp")).toBeGreaterThan(await leftEdge("Add one"));
    await pressButton("Till settings");
    await page.getByRole("switch", { name: "Left-handed" }).click();
    await page.reload();
    await page.getByLabel("Code, name, phone, or email").waitFor();
    await scanCodes(code);
    await page.getByRole("button", { name: "Add 1 stamp" }).waitFor();
    await expect.poll(() => leftEdge("Add 1 stamp")).toBeLessThan(await leftEdge("Add one"));
    await close();
  });

  it("is read by a screen reader in the order of the work: the field, the card, its result, the actions", async () => {
    const { page, scanCodes, pressButton, waitForStatus, close } = await visitTill(browser, shop);
    await scanCodes(await createCard("Eve", 10));
    await page.getByText("Reward waiting").waitFor();
    await pressButton("Add 1 stamp");
    await waitForStatus("+1 stamp");
    await expect
      .poll(() => readSpoken(page))
      .toEqual([
        "heading Till",
        "button Till settings",
        "textbox Code, name, phone, or email",
        "region Card",
        "status",
        "button Undo",
        "alert",
        "image 1 of 10 stamps",
        "button Remove one",
        "button Add one",
        "button Add 1 stamp",
        "button Redeem 1 of 1 reward",
        "button Next customer",
      ]);
    await close();
  });
});
