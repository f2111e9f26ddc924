import { describe, expect, it } from "vitest";
import { openBrowserBefore } from "./camera.js";
import { openBrowser, openShop, signIn, visit } from "./shop.js";

const shop = await openShop();

describe("the camera at the till", () => {
  it("finds a card that is held in front of it, which is then stamped and redeemed", async () => {
    const { acme } = shop;
    const { id } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 1 });
    const pass = await acme.passes.create(id, { user: { email: "ada@example.com", name: "Ada" } });
    const browser = await openBrowserBefore(pass.qrCodeValue);
    const { page, complaints, close } = await visit(browser, { permissions: ["camera"] });
    await signIn(page, shop, "/console/till");
    await page.getByRole("button", { name: "Scan with the camera" }).click();
    await page.getByText("Ada").waitFor();
    await page.getByRole("button", { name: "Add 1 stamp" }).click();
    await page.getByRole("status").getByText("Card full. Reward earned!").waitFor();
    await page.getByRole("button", { name: "Redeem 1 of 1 reward" }).click();
    await page.getByRole("status").getByText("Reward redeemed").waitFor();
    await expect
      .poll(() => acme.stamps.state(pass.id))
      .toMatchObject({ totalStampsCollected: 1, rewardsAvailable: 0 });
    expect(complaints).toEqual([]);
    await close();
    await browser.close();
  });

  it("closes if the device has none, and says so until the next action", async () => {
    const template = await shop.acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 4 });
    await shop.acme.passes.create(template.id, { user: { email: "bo@example.com" } });
    const browser = await openBrowser();
    const { page, complaints, close } = await visit(browser, { permissions: ["camera"] });
    await signIn(page, shop, "/console/till");
    await page.getByRole("button", { name: "Scan with the camera" }).click();
    const message = page.getByText("This device has no camera. Type the code or the name.");
    await message.waitFor();
    await page.getByRole("button", { name: "Scan with the camera" }).waitFor();
    await page.getByLabel("Code, name, phone, or email").fill("bo@");
    await page.getByRole("button", { name: "bo@example.com", exact: true }).click();
    await page.getByText("0 of 4").waitFor();
    await expect.poll(() => message.count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
    await browser.close();
  });
});
