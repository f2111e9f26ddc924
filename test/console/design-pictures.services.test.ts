import type { Design } from "loyalty-kit";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { createSolidPng } from "../../adapters/delivery/wallets/solid-png.js";
import { serviceInternals } from "../../src/internals.js";
import { readQr } from "./read-qr.js";
import { findViolations, isOverflowing, openBrowser, openShop, signIn, visit } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

/** Creates a card and opens its design. */
async function openDesign(look: Parameters<typeof visit>[1] = {}) {
  const { id } = await shop.acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const browserVisit = await visit(browser, look);
  const { page } = browserVisit;
  await signIn(page, shop, `/console/cards/${id}/design`);
  await page.getByRole("heading", { name: "Design for Coffee" }).waitFor();
  const saveDesign = async () => {
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Design saved.").waitFor();
    return shop.acme.templates.get(id);
  };
  return { ...browserVisit, id, saveDesign };
}

const file = {
  name: "photo.png",
  mimeType: "image/png",
  buffer: Buffer.from(createSolidPng(900, "#22AA55")),
};

/** Drops or pastes a picture of 900 by 900 pixels on a field, as a browser does. */
async function bringPicture(page: Page, field: string, gesture: "drop" | "paste"): Promise<void> {
  const bytes = JSON.stringify([...file.buffer]);
  const id = await page.getByLabel(field, { exact: true }).getAttribute("id");
  await page.evaluate(`(() => {
    const input = document.getElementById("${id}");
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(${bytes})], "photo.png", { type: "image/png" }));
    if (${gesture === "drop"}) input.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    else {
      input.focus();
      input.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }
  })()`);
}

/** Reads the size of a stored picture. */
async function readSize(hash: string | null): Promise<readonly [width: number, height: number]> {
  const picture = hash && (await serviceInternals(shop.loyalty).findPicture(hash));
  if (!picture) throw new Error("no picture is kept");
  return [picture.width, picture.height];
}

const requireDesign = ({ design }: { readonly design: Design | null }) => {
  if (design === null) throw new Error("there is no design");
  return design;
};

describe("a picture of a design", () => {
  it("is dropped, pasted or chosen, and cropped to the required size if it doesn't fit", async () => {
    const { page, complaints, saveDesign, close } = await openDesign();
    const dialog = page.getByRole("dialog");
    const use = dialog.getByRole("button", { name: "Use this area" });
    await bringPicture(page, "Picture behind the stamps", "drop");
    await dialog.getByRole("heading", { name: "Crop: picture behind the stamps" }).waitFor();
    await use.click();
    await dialog.waitFor({ state: "detached" });
    await bringPicture(page, "Icon", "paste");
    await page.getByRole("button", { name: "Remove icon" }).waitFor();
    await page.getByLabel("Logo", { exact: true }).setInputFiles(file);
    await page.getByRole("button", { name: "Crop logo" }).click();
    await dialog.getByRole("heading", { name: "Crop: logo" }).waitFor();
    await expect.poll(() => dialog.getByRole("button", { name: "Use whole picture" }).count()).toBe(0);
    await use.click();
    await dialog.waitFor({ state: "detached" });
    const { strip, icon, logo } = requireDesign(await saveDesign());
    await expect
      .poll(() => Promise.all([strip, icon, logo].map(readSize)))
      .toEqual([
        [1_125, 432],
        [174, 174],
        // All of it, at the full height of a logo, with no empty space around it.
        [150, 150],
      ]);
    expect(complaints).toEqual([]);
    await close();
  });

  it.each([
    ["the mouse", { viewport: { width: 1_440, height: 900 } }],
    ["a finger", { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
    ["the keyboard", { viewport: { width: 1_440, height: 900 }, colorScheme: "dark" }],
  ] as const)("is moved and enlarged with %s", async (gesture, look) => {
    const { page, complaints, close } = await openDesign(look);
    await page.getByLabel("Picture behind the stamps", { exact: true }).setInputFiles(file);
    const dialog = page.getByRole("dialog");
    const selectedArea = dialog.getByRole("img", { name: /Selected area/ });
    await selectedArea.waitFor();
    const readValue = (label: string) => async () => Number(await dialog.getByLabel(label).inputValue());
    const [size, verticalPosition] = [readValue("Size"), readValue("Vertical position")];
    await expect.poll(verticalPosition).toBe(50);
    const before = await size();
    const box = (await selectedArea.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    if (gesture === "the mouse") {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x, y + 40, { steps: 4 });
      await page.mouse.up();
      await page.mouse.wheel(0, -300);
    } else if (gesture === "a finger") {
      const session = await page.context().newCDPSession(page);
      const sendTouch = (
        type: "touchStart" | "touchMove" | "touchEnd",
        points: readonly (readonly [number, number])[],
      ) =>
        session.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: points.map(([left, top], id) => ({ x: left, y: top, id })),
        });
      await sendTouch("touchStart", [[x, y]]);
      for (let step = 1; step <= 4; step += 1) await sendTouch("touchMove", [[x, y + step * 10]]);
      await sendTouch("touchEnd", []);
      await sendTouch("touchStart", [
        [x - 20, y],
        [x + 20, y],
      ]);
      for (let step = 1; step <= 4; step += 1)
        await sendTouch("touchMove", [
          [x - 20 - step * 10, y],
          [x + 20 + step * 10, y],
        ]);
      await sendTouch("touchEnd", []);
    } else {
      await dialog.getByLabel("Vertical position").focus();
      for (let step = 0; step < 10; step += 1) await page.keyboard.press("ArrowLeft");
      await dialog.getByLabel("Size").focus();
      for (let step = 0; step < 10; step += 1) await page.keyboard.press("ArrowRight");
    }
    await expect.poll(async () => (await size()) > before).toBe(true);
    await expect.poll(async () => (await verticalPosition()) < 50).toBe(true);
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    expect(complaints).toEqual([]);
    await close();
  });
});

describe("the design of a card", () => {
  it("starts from a ready-made design: colors, stamps, words, reward and picture, undone with one press", async () => {
    const { page, complaints, saveDesign, close } = await openDesign({
      ...{ viewport: { width: 390, height: 844 }, colorScheme: "dark" },
    });
    await page.getByRole("button", { name: "Ready-made designs" }).click();
    const dialog = page.getByRole("dialog", { name: "Start from a ready-made design" });
    await expect.poll(() => dialog.getByRole("listitem").count()).toBe(10);
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    await dialog.getByRole("button", { name: /Pizzeria/ }).click();
    const apple = page.getByRole("region", { name: "In Apple Wallet" });
    for (const text of ["Pizzas", "5 more until your free pizza"])
      await apple.getByText(text, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await apple.getByText("5 more to go", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Ready-made designs" }).click();
    await dialog.getByRole("button", { name: /Florist/ }).click();
    const template = await saveDesign();
    expect(template.reward).toBe("A seasonal bouquet");
    const design = requireDesign(template);
    expect(design).toMatchObject({
      backgroundColor: "#E7F3E4",
      stamps: { shape: "HEART" },
      texts: [{ language: "en", stampsLabel: "Bouquets", toGo: "{count} more until your free bouquet" }],
    });
    await expect.poll(() => readSize(design.strip)).toEqual([1_125, 432]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("warns with the contrast when text is hard to read on its background, and fixes it with one press", async () => {
    const { page, close } = await openDesign();
    const warnings = page.getByText(/hard to read on this background/);
    await expect.poll(() => warnings.count()).toBe(0);
    await page.getByLabel("Background").fill("#777777");
    await page.getByLabel("Labels").fill("#888888");
    await page.getByText("Labels are hard to read on this background: the contrast is 1.2 : 1").waitFor();
    await page.getByRole("button", { name: "Make labels black" }).click();
    await expect.poll(() => page.getByLabel("Labels").inputValue()).toBe("#000000");
    await expect.poll(() => page.getByText("Labels are hard to read").count()).toBe(0);
    await page.getByText("Text and stamps are hard to read").waitFor();
    await page.getByRole("button", { name: "Make text and stamps black" }).click();
    await expect.poll(() => warnings.count()).toBe(0);
    await expect.poll(() => findViolations(page)).toEqual([]);
    await close();
  });

  it("previews lock screens, with the stamps that are left, the texts of locations, and the card's name", async () => {
    const { page, close } = await openDesign();
    const iphone = page.getByRole("region", { name: "On the iPhone lock screen" });
    const android = page.getByRole("region", { name: "On the Android lock screen" });
    await iphone.getByText("5 more to go", { exact: true }).waitFor();
    await android.getByText("Coffee", { exact: true }).waitFor();
    await android.getByText("5 more to go", { exact: true }).waitFor();
    await page.getByRole("slider", { name: /Stamps shown/ }).fill("10");
    await iphone.getByText("A reward is waiting for you").waitFor();
    await page.getByRole("button", { name: "Add location" }).click();
    await page.getByLabel("Lock screen text").fill("Your coffee is near");
    await iphone.getByText("Your coffee is near").waitFor();
    await close();
  });

  it("is previewed with a QR code that can be scanned", async () => {
    const { page, close } = await openDesign();
    const apple = page.getByRole("region", { name: "In Apple Wallet" });
    await expect.poll(() => readQr(apple, /QR code/)).toMatch(/\/c\/\w{12}$/);
    await close();
  });
});
