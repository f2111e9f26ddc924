import { describe, expect, it } from "vitest";
import { createSolidPng } from "../../adapters/delivery/wallets/solid-png.js";
import { openBrowser, openShop, signIn, visit } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

/** Creates a card and opens its design. */
async function openDesign() {
  const { id } = await shop.acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
  const browserVisit = await visit(browser);
  const { page } = browserVisit;
  await signIn(page, shop, `/console/cards/${id}/design`);
  await page.getByRole("heading", { name: "Design for Coffee" }).waitFor();
  const readDesign = async () => (await shop.acme.templates.get(id)).design;
  const readStampImage = () => page.getByRole("img", { name: "5 of 10 stamps" }).first().getAttribute("src");
  const saveDesign = () => page.getByRole("button", { name: "Save" }).click();
  return { ...browserVisit, readDesign, readStampImage, saveDesign };
}

const createPngFile = (side: number) => ({
  name: "picture.png",
  mimeType: "image/png",
  buffer: Buffer.from(createSolidPng(side, "#AA2200")),
});

describe("the design of a card", () => {
  it("is previewed while it is edited, can be undone step by step, and is saved as shown", async () => {
    const { page, complaints, readDesign, readStampImage, saveDesign, close } = await openDesign();
    const plain = await readStampImage();
    await page.getByLabel("Stamp shape").selectOption("CUP");
    await expect.poll(readStampImage).not.toBe(plain);
    const cups = await readStampImage();
    await page.getByLabel("Background").fill("#3b2417");
    await expect.poll(readStampImage).not.toBe(cups);
    const undo = page.getByRole("button", { name: "Undo" });
    await undo.click();
    await expect.poll(readStampImage).toBe(cups);
    await undo.click();
    await expect.poll(readStampImage).toBe(plain);
    await expect.poll(() => undo.isDisabled()).toBe(true);

    await page.getByLabel("Stamp shape").selectOption("HEART");
    await page.getByLabel("Logo", { exact: true }).setInputFiles(createPngFile(60));
    await page.getByRole("button", { name: "Remove logo" }).waitFor();
    await page.getByRole("button", { name: "Add language" }).click();
    await page.getByLabel("Title").fill("Coffee & Co");
    await page.getByLabel("Stamps left").fill("only {count} left");
    await page.getByRole("button", { name: "Add front field" }).click();
    await page.getByRole("textbox", { name: "Front field 1" }).fill("Open");
    await page.getByLabel("Value").fill("daily");
    const apple = page.getByRole("region", { name: "In Apple Wallet" });
    for (const text of ["Coffee & Co", "only 5 left", "Open", "daily"]) {
      await apple.getByText(text, { exact: true }).waitFor();
    }
    await saveDesign();
    await page.getByText("Design saved.").waitFor();
    await expect
      .poll(() => readDesign())
      .toMatchObject({
        backgroundColor: "#FFFFFF",
        logo: expect.stringMatching(/^[0-9a-f]{64}$/),
        stamps: { shape: "HEART" },
        texts: [{ language: "en", title: "Coffee & Co", front: [{ label: "Open", value: "daily" }] }],
      });
    expect(complaints).toEqual([]);
    await close();
  });

  it("can be undone after it was saved, and after it was removed", async () => {
    const { page, readDesign, saveDesign, close } = await openDesign();
    await page.getByLabel("Stamp shape").selectOption("STAR");
    await saveDesign();
    const statusText = page.getByRole("status");
    await statusText.getByText("Design saved.").waitFor();
    await page.getByRole("button", { name: "Remove design" }).click();
    await statusText.getByText("Design removed.").waitFor();
    await expect.poll(() => readDesign()).toBeNull();
    await statusText.getByRole("button", { name: "Undo" }).last().click();
    await expect.poll(readDesign).toMatchObject({ stamps: { shape: "STAR" } });
    await statusText.getByRole("button", { name: "Undo" }).click();
    await expect.poll(readDesign).toBeNull();
    await close();
  });

  it("warns on leaving while there are unsaved changes, and stops warning once they are saved", async () => {
    const { page, saveDesign, close } = await openDesign();
    const warns = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))";
    await expect.poll(() => page.evaluate(warns)).toBe(false);
    await page.getByLabel("Stamp shape").selectOption("STAR");
    await expect.poll(() => page.evaluate(warns)).toBe(true);
    await page.locator("a.back").click();
    await page
      .getByRole("dialog", { name: "Leave without saving?" })
      .getByRole("button", { name: "Stay" })
      .click();
    await expect.poll(() => page.getByLabel("Stamp shape").inputValue()).toBe("STAR");
    const whenSaved = page.evaluate(`new Promise((resolve) => {
      const saved = () => document.body.textContent.includes("Design saved.") && resolve(${warns});
      new MutationObserver(saved).observe(document.body, { childList: true, subtree: true });
    })`);
    await saveDesign();
    await expect.poll(() => whenSaved).toBe(false);
    await close();
  });

  it("has locations and an expiry date, and shows at the field which number is wrong", async () => {
    const { page, complaints, readDesign, saveDesign, close } = await openDesign();
    await page.getByRole("button", { name: "Add location" }).click();
    const latitude = page.getByLabel("Latitude");
    await latitude.fill("95");
    await page.getByLabel("Lock screen text").fill("Your coffee is near");
    await saveDesign();
    await page.getByText("must be at most 90", { exact: true }).waitFor();
    await page.getByText("Locations: must be at most 90", { exact: true }).waitFor();
    await page.getByText("is required", { exact: true }).waitFor();
    await expect
      .poll(() => latitude.evaluate("document.activeElement?.labels?.[0]?.textContent"))
      .toBe("Latitude");
    await expect.poll(() => latitude.inputValue()).toBe("95");
    await latitude.fill("52.5");
    await page.getByLabel("Longitude").fill("-13.4");
    await page.getByLabel("Valid until").fill("2030-05-04T18:30");
    await saveDesign();
    await page.getByText("Design saved.").waitFor();
    await expect
      .poll(() => readDesign())
      .toMatchObject({
        locations: [{ latitude: 52.5, longitude: -13.4, text: "Your coffee is near" }],
        expiresAt: new Date("2030-05-04T18:30").toISOString(),
      });
    await page.reload();
    await expect.poll(() => page.getByLabel("Longitude").inputValue()).toBe("-13.4");
    await expect.poll(() => page.getByLabel("Valid until").inputValue()).toBe("2030-05-04T18:30");
    await page.getByRole("button", { name: "Remove location 1" }).click();
    await page.getByLabel("Valid until").fill("");
    await saveDesign();
    await expect.poll(readDesign).toMatchObject({ locations: [], expiresAt: null });
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows at the field what is wrong with a picture or a text, and keeps the input", async () => {
    const { page, readDesign, saveDesign, close } = await openDesign();
    const logo = page.getByLabel("Logo", { exact: true });
    const readFieldError = async (field: typeof logo) => {
      const about = (await field.getAttribute("aria-describedby")) ?? "";
      const error = about.split(" ").find((id) => id.endsWith("-error"));
      return error === undefined ? "" : page.locator(`[id="${error}"]`).textContent();
    };
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(30_000_001)], "large.png", { type: "image/png" }));
      const logo = document.getElementById("${await logo.getAttribute("id")}");
      logo.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    })()`);
    await expect.poll(() => readFieldError(logo)).toBe("“large.png” is larger than 30 MB.");
    await logo.setInputFiles({ name: "text.png", mimeType: "image/png", buffer: Buffer.from("no picture") });
    await expect.poll(() => readFieldError(logo)).toContain("“text.png” can’t be read as a picture.");
    await page.getByRole("button", { name: "Add language" }).click();
    const missing = page.getByLabel("Stamps left");
    await missing.fill("some more");
    await saveDesign();
    await expect.poll(() => readFieldError(missing)).toContain("must contain {count}");
    await expect.poll(() => missing.inputValue()).toBe("some more");
    await expect.poll(() => readDesign()).toBeNull();

    await missing.fill("{count} more");
    await saveDesign();
    await page.getByText("Design saved.").waitFor();
    await expect.poll(() => readDesign()).toMatchObject({ logo: null, texts: [{ toGo: "{count} more" }] });
    await close();
  });
});
