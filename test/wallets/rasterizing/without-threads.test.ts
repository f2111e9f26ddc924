import { LoyaltyService } from "loyalty-kit";
import { createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createMetrics } from "loyalty-kit/observability";
import { createFakePki, verifiedPass } from "loyalty-kit/testing";
import { createWallets, pictureDecoder } from "loyalty-kit/wallets";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loadRasterizer } from "../../../adapters/delivery/wallets/rasterizing/rasterizer.js";
import { renderPicture } from "../../../adapters/delivery/wallets/rasterizing/render-picture.js";
import { stripPicture } from "../../../src/base/values/picture.js";
import { buildJpeg, buildPng } from "../../cards/hostile-pictures.js";
import { refused } from "../../kit/refused-threads.js";

vi.mock("node:worker_threads", () => import("../../kit/refused-threads.js"));

const readPicture = (bytes: Buffer) => {
  const picture = stripPicture(bytes);
  if (typeof picture === "string") throw new Error(picture);
  return picture;
};

/** Untrusted pictures: one that the event loop draws, and one that is too large for it. */
const small = readPicture(buildJpeg({ width: 24, height: 16, scans: 3 }));
const large = readPicture(buildPng({ width: 1_025, height: 1_025 }));

async function drawPictures() {
  const rasterize = await loadRasterizer();
  const stamp =
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="5" fill="#0F0"/></svg>';
  const croppedPicture = await renderPicture(rasterize, small, { width: 12, height: 12 }, "slice");
  return { rasterize, pngs: [(await rasterize(stamp)).png, croppedPicture] };
}

/** The first drawings have threads. After them, this process can't start any. */
refused.isOn = false;
const { pngs: drawnByThreads } = await drawPictures();
refused.isOn = true;

const message =
  "Stamps and pictures are drawn on the event loop, and large pictures aren't drawn, because a worker thread can't start: Access to this API has been restricted";

describe("without threads", () => {
  it("the event loop draws the same, byte for byte", async () => {
    expect((await drawPictures()).pngs).toEqual(drawnByThreads);
  });

  it("an invalid drawing fails as it does in a thread, and the next drawing succeeds", async () => {
    const { rasterize } = await drawPictures();
    await expect(rasterize("<svg")).rejects.toMatchObject({ name: "DrawingFailure" });
    expect((await drawPictures()).pngs).toEqual(drawnByThreads);
  });

  it("a large picture is left out of cards, and stored as it was uploaded", async () => {
    const { rasterize } = await drawPictures();
    await expect(renderPicture(rasterize, large, { width: 8, height: 8 }, "meet")).rejects.toMatchObject({
      name: "PictureTooLarge",
    });
    expect(await pictureDecoder()?.decode(large)).toBe(large);
    expect(await pictureDecoder()?.decode(small)).toMatchObject({ type: "image/png", width: 24, height: 16 });
  });

  it("cards have their stamps, and the service, the doctor and the metrics report once why no thread started", async () => {
    const warnings: unknown[] = [];
    const loyalty = new LoyaltyService({
      storage: memoryStorage(),
      onError: (error) => warnings.push(error),
    });
    const pki = createFakePki();
    const apple = { ...pki.pass, wwdr: pki.wwdr, organizationName: "Coffee" };
    const wallets = createWallets(loyalty, { publicUrl: "https://shop.example", apple, deliver: false });
    const api = createHttpApi(loyalty, { authenticate: async () => null, extensions: [wallets.http] });
    onTestFinished(() => wallets.close().then(() => loyalty.close()));
    const { templates, passes } = loyalty.organization("acme");
    const { id } = await templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
    for (const email of ["ada@example.com", "bob@example.com"]) {
      const pass = await passes.create(id, { user: { email } });
      const answer = await api.fetch(new Request((await passes.walletLinks(pass.id)).apple ?? ""));
      const { files } = verifiedPass(new Uint8Array(await answer.arrayBuffer()), pki.root, Date.now());
      expect(files.get("strip@3x.png")?.byteLength).toBeGreaterThan(1_000);
    }
    expect(refused.tries).toBe(1);
    expect(warnings.map(String)).toEqual([`MissingThreadError: ${message}`]);
    const found = (await wallets.check()).filter(({ code }) => code === "pictures_without_thread");
    expect(found).toEqual([{ severity: "warning", code: "pictures_without_thread", message }]);
    const series = 'loyalty_threads_missing{work="pictures",cause="ERR_ACCESS_DENIED"} 1\n';
    expect(await createMetrics(loyalty).text()).toContain(series);
  });
});
