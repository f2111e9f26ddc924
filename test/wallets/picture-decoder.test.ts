import { randomBytes } from "node:crypto";
import { LoyaltyService, type PictureDecoder } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { pictureDecoder } from "loyalty-kit/wallets";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { convertPicture } from "../../adapters/delivery/wallets/picture-decoder.js";
import { DrawingTimeout } from "../../adapters/delivery/wallets/rasterizing/drawer.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { stripPicture } from "../../src/base/values/picture.js";
import {
  buildBomb,
  buildChunk,
  buildExif,
  buildJpeg,
  buildPng,
  buildSegment,
  dataUrl,
} from "../cards/hostile-pictures.js";
import { openWallets } from "./apple/wallets-scene.js";
import { decodePixels } from "./drawing/pixels.js";

const card = { name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 } as const;
const damaged = buildPng({ after: [], rows: Buffer.from("no pixels") });

function start(decoder: PictureDecoder | null = pictureDecoder()) {
  const storage = memoryStorage();
  const loyalty = new LoyaltyService({ storage, pictureDecoder: decoder });
  const acme = loyalty.organization("acme");
  const create = (design: object, others: object = {}) =>
    acme.templates.create({ ...card, ...others, design });
  const createTemplate = async (icon: Buffer) => {
    const { design } = await create({ icon: dataUrl(icon) });
    const storedPicture = await runStep(storage.all.findPicture(design?.icon ?? ""));
    if (storedPicture === null) throw new Error("no picture was kept");
    return { ...storedPicture, bytes: Buffer.from(storedPicture.bytes) };
  };
  return { storage, loyalty, acme, create, createTemplate };
}

/** Creates a decoder that continues on command. */
function createSlowDecoder() {
  const starts: (() => void)[] = [];
  const decoder: PictureDecoder = {
    decode: (picture) => new Promise((resolve) => starts.push(() => resolve(picture))),
  };
  return { decoder, begun: starts };
}

describe("a picture that is decoded", () => {
  it("is stored as a PNG of our own, whatever its format was", async () => {
    const { createTemplate } = start();
    const place = "48.2082 N, 16.3738 E";
    const jpeg = await createTemplate(
      buildJpeg({ width: 24, height: 16, before: [buildExif(1, place)], scans: 3 }),
    );
    expect(jpeg).toMatchObject({ type: "image/png", width: 24, height: 16 });
    expect(jpeg.bytes.includes(place)).toBe(false);
    const pixels = decodePixels(jpeg.bytes);
    expect([pixels.width, pixels.height, pixels.getColor(23, 15)]).toEqual([24, 16, "#808080"]);
    const film = await createTemplate(
      buildPng({ before: [buildChunk("acTL", place), buildChunk("tEXt", place)] }),
    );
    expect(film.bytes).toEqual((await createTemplate(buildPng())).bytes);
    expect(stripPicture(film.bytes)).toMatchObject({
      width: 8,
      height: 8,
      bytes: new Uint8Array(film.bytes),
    });
  });

  it("is upright, whatever the orientation of the photo was", async () => {
    const { createTemplate } = start();
    for (const [orientation, size] of [
      [3, [24, 16]],
      [6, [16, 24]],
      [8, [16, 24]],
    ] as const) {
      const { width, height, bytes } = await createTemplate(
        buildJpeg({ width: 24, height: 16, before: [buildExif(orientation, "")] }),
      );
      expect([width, height]).toEqual(size);
      expect(decodePixels(bytes).getColor(width - 1, height - 1)).toBe("#808080");
    }
  });

  it("may be fully transparent, as pictures of missing stamps are", async () => {
    const { createTemplate } = start();
    for (const [width, height] of [
      [8, 8],
      [1_500, 1],
    ] as const) {
      const rows = Buffer.alloc(height * (width * 4 + 1));
      const { bytes } = await createTemplate(buildPng({ width, height, color: 6, rows }));
      expect(stripPicture(bytes)).toMatchObject({ width, height });
    }
  });

  it("is scaled down if it has more than a MiB as a PNG", async () => {
    const { createTemplate } = start();
    const side = 1_400;
    const createRow = () => Buffer.concat([Buffer.from([0]), randomBytes(side / 4)]);
    const rows = Buffer.concat(Array.from({ length: side }, createRow));
    const { width, height, bytes } = await createTemplate(
      buildPng({ width: side, height: side, depth: 2, rows }),
    );
    expect(bytes.byteLength).toBeLessThanOrEqual(1_048_576);
    expect(width).toBe(height);
    expect(width).toBeLessThan(side);
    expect(decodePixels(bytes).width).toBe(width);
  });

  it.each<[what: string, picture: Buffer]>([
    ["no pixels", damaged],
    ["too few pixels", buildPng({ rows: Buffer.alloc(40) })],
    ["a wrong checksum", Buffer.from(buildPng().map((byte, at) => (at === 45 ? byte ^ 1 : byte)))],
    ["no tables", Buffer.from("ffd8ffc0000b080008000801011100ffda0008010100003f00ffd9", "hex")],
    [
      "four printing colors",
      buildJpeg({ components: 4, before: [buildSegment(0xee, "Adobe\0d\0\0\0\0\x02")] }),
    ],
  ])("is refused on its field when it has %s, and nothing is stored", async (_, picture) => {
    const { create, storage, acme } = start();
    const rejection = create({ logo: dataUrl(buildPng()), stamps: { empty: dataUrl(picture) } });
    await expect(rejection).rejects.toMatchObject({
      code: "validation_failed",
      detail: { fields: { "design.stamps.empty": expect.stringContaining("can't be decoded") } },
    });
    expect(await runStep(storage.reader("acme").listPictures())).toEqual([]);
    expect(await acme.templates.list()).toEqual([]);
  });

  it("may be sent again if it wasn't decoded in time", async () => {
    const rasterize = async () => Promise.reject(new DrawingTimeout("no drawing: took too long"));
    const { create, storage } = start({ decode: (picture) => convertPicture(rasterize, picture) });
    await expect(create({ logo: dataUrl(buildPng()) })).rejects.toMatchObject({
      code: "storage_unavailable",
      status: 503,
      cause: { name: "DrawingTimeout" },
    });
    expect(await runStep(storage.reader("acme").listPictures())).toEqual([]);
  });

  it("takes no more memory than its dimensions need, even if its pixels inflate to more", async () => {
    const { createTemplate } = start();
    const { width, height } = await createTemplate(buildPng({ rows: Buffer.alloc(30_000_000) }));
    expect([width, height]).toEqual([8, 8]);
    await expect(
      createTemplate(buildPng({ width: 2_048, height: 2_048, depth: 16, color: 6, rows: buildBomb(9) })),
      // On a busy machine the time limit is reached before the memory limit.
    ).rejects.toMatchObject({ code: expect.stringMatching(/^(?:validation_failed|storage_unavailable)$/) });
  });

  it("is decoded once per call with an idempotency key, and can be sent by its hash from then on", async () => {
    const decode = vi.fn<PictureDecoder["decode"]>(async (picture) => picture);
    const { create, acme } = start({ decode });
    const once = { idempotencyKey: "card-1" };
    const first = await create({ logo: dataUrl(buildPng()) }, once);
    expect(await create({ logo: dataUrl(buildPng()) }, once)).toEqual(first);
    expect(await acme.templates.update(first.id, { design: first.design })).toEqual(first);
    expect(decode).toHaveBeenCalledTimes(1);
  });

  it("delays no other organization, but another picture of its own organization waits for it", async () => {
    const { decoder, begun } = createSlowDecoder();
    const { loyalty } = start(decoder);
    const create = (organizationId: string, width: number) =>
      loyalty
        .organization(organizationId)
        .templates.create({ ...card, design: { icon: dataUrl(buildPng({ width })) } });
    const own = [create("acme", 8), create("acme", 9)];
    const other = create("globex", 8);
    await expect.poll(() => begun.length).toBe(2);
    begun[1]?.();
    await other;
    begun[0]?.();
    await expect.poll(() => begun.length).toBe(3);
    begun[2]?.();
    await Promise.all(own);
  });

  it("is refused temporarily when 20 of the organization wait, and when nothing can be decoded", async () => {
    const { decoder, begun } = createSlowDecoder();
    const { create } = start(decoder);
    const creations = Array.from({ length: 21 }, () => create({ icon: dataUrl(buildPng()) }));
    await expect(create({ icon: dataUrl(buildPng()) })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    for (let at = 0; at < 21; at += 1) {
      await expect.poll(() => begun.length).toBe(at + 1);
      begun[at]?.();
    }
    await Promise.all(creations);
    const brokenShop = start({ decode: () => Promise.reject(new Error("no room for a thread")) });
    await expect(brokenShop.create({ icon: dataUrl(buildPng()) })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
  });
});

describe("a service with wallets", () => {
  it("decodes pictures with them until they are closed", async () => {
    const { acme, template, wallets } = await openWallets(memoryStorage());
    onTestFinished(() => wallets.close());
    const logo = dataUrl(damaged);
    await expect(acme.templates.update(template.id, { design: { logo } })).rejects.toThrow("design.logo");
    await wallets.close();
    expect((await acme.templates.update(template.id, { design: { logo } })).design?.logo).toMatch(
      /^[0-9a-f]{64}$/,
    );
  });
});
