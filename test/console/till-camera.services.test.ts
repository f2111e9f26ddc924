import { describe, expect, it } from "vitest";
import { openBrowserBefore } from "./camera.js";
import { openShop, signIn, visit } from "./shop.js";

const shop = await openShop();

describe("the camera at the till", () => {
  it("finds the card that is held before it, which is stamped and redeemed then", async () => {
    const { acme } = shop;
    const { id } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 1 });
    const pass = await acme.passes.create(id, { user: { email: "ada@example.com", name: "Ada" } });
    const browser = await openBrowserBefore(pass.qrCodeValue);
    const { page, complaints, close } = await visit(browser, { permissions: ["camera"] });
    await signIn(page, shop, "/console/till");
    await page.getByRole("button", { name: "Scan with the camera" }).click();
    await page.getByText("Ada").waitFor();
    await page.getByRole("button", { name: "Add 1 stamp" }).click();
    await page.getByText("Card full. Reward earned!").waitFor();
    await page.getByRole("button", { name: "Redeem 1 of 1 reward" }).click();
    await page.getByText("Reward redeemed").waitFor();
    await expect
      .poll(() => acme.stamps.state(pass.id))
      .toMatchObject({ totalStampsCollected: 1, rewardsAvailable: 0 });
    expect(complaints).toEqual([]);
    await close();
    await browser.close();
  });
});
