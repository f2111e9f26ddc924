import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import encodeQR from "qr";
import { afterAll, describe, expect, it } from "vitest";
import { openBrowser, openShop, signIn, visit } from "./shop.js";

const [WIDTH, HEIGHT] = [640, 480];
const MODULE = 10;

const shop = await openShop();
const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-camera-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A film of one picture, in the form that Chromium plays in place of a camera: a QR code on grey paper. */
function filmOf(text: string): string {
  const modules = encodeQR(text, "raw", { border: 2 });
  const luma = Buffer.alloc(WIDTH * HEIGHT, 180);
  const size = modules.length * MODULE;
  const [left, top] = [Math.floor((WIDTH - size) / 2), Math.floor((HEIGHT - size) / 2)];
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const isDark = modules[Math.floor(y / MODULE)]?.[Math.floor(x / MODULE)] ?? false;
      luma[(top + y) * WIDTH + left + x] = isDark ? 30 : 220;
    }
  }
  const frame = Buffer.concat([Buffer.from("FRAME\n"), luma, Buffer.alloc((WIDTH * HEIGHT) / 2, 128)]);
  const head = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420mpeg2\n`);
  const file = join(folder, "card.y4m");
  writeFileSync(file, Buffer.concat([head, ...Array.from({ length: 10 }, () => frame)]));
  return file;
}

describe("the camera at the till", () => {
  it("finds the card that is held before it, which is stamped and redeemed then", async () => {
    const { acme } = shop;
    const { id } = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 1 });
    const pass = await acme.passes.create(id, { user: { email: "ada@example.com", name: "Ada" } });
    const browser = await openBrowser([
      "--use-fake-device-for-media-stream",
      `--use-file-for-fake-video-capture=${filmOf(pass.qrCodeValue)}`,
    ]);
    const { page, complaints, close } = await visit(browser, { permissions: ["camera"] });
    await signIn(page, shop, "/console/till");
    await page.getByRole("button", { name: "Scan with the camera" }).click();
    await page.getByText("Ada").waitFor();
    await page.getByRole("button", { name: "Add 1 stamp" }).click();
    await page.getByText("Card full: a reward!").waitFor();
    await page.getByRole("button", { name: "Redeem 1 of 1 reward" }).click();
    await page.getByText("Reward redeemed").waitFor();
    expect(await acme.stamps.state(pass.id)).toMatchObject({ totalStampsCollected: 1, rewardsAvailable: 0 });
    expect(complaints).toEqual([]);
    await close();
    await browser.close();
  });
});
