import fc from "fast-check";
import { LoyaltyService, type NewDesign } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
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
} from "./hostile-pictures.js";

const card = { name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 } as const;

function openShop() {
  const storage = memoryStorage();
  const acme = new LoyaltyService({ storage }).organization("acme");
  const createCardWithIcon = async (icon: Buffer) => {
    const { design } = await acme.templates.create({ ...card, design: { icon: dataUrl(icon) } });
    const picture = await runStep(storage.all.findPicture(design?.icon ?? ""));
    return Buffer.from(picture?.bytes ?? []);
  };
  return { storage, acme, createCardWithIcon };
}

const repeat = (count: number, part: Buffer) => Array.from({ length: count }, () => part);
const png = "must be a complete PNG or JPEG";
const kind = "must be a baseline or progressive JPEG";

describe("a picture that would be expensive to decode", () => {
  it.each<[what: string, icon: Buffer, why: string]>([
    ["a JPEG with 20,000 scans", buildJpeg({ width: 2_048, height: 2_048, scans: 20_000 }), "64 scans"],
    ["a JPEG with 65 scans", buildJpeg({ scans: 64 }), "64 scans"],
    [
      "a JPEG with 2,000 tables",
      buildJpeg({ before: repeat(2_000, buildSegment(0xdb, [])) }),
      "1000 segments",
    ],
    [
      "a JPEG with 2,000 comments",
      buildJpeg({ before: repeat(2_000, buildSegment(0xfe, "")) }),
      "1000 segments",
    ],
    ["a JPEG that is 65,535 pixels wide", buildJpeg({ width: 65_535, height: 8 }), "2048 pixels"],
    [
      "a JPEG with two frames",
      buildJpeg({ before: [buildSegment(0xc0, [8, 0, 8, 0, 8, 1, 1, 17, 0])] }),
      kind,
    ],
    ["a lossless JPEG", buildJpeg({ frame: 0xc3 }), kind],
    ["an arithmetic-coded JPEG", buildJpeg({ frame: 0xca }), kind],
    ["a hierarchical JPEG", buildJpeg({ before: [buildSegment(0xde, [8, 0, 8, 0, 8, 1, 1, 17, 0])] }), kind],
    ["a JPEG with 200 components", buildJpeg({ components: 200 }), kind],
    ["a JPEG without a frame", Buffer.from("ffd8ffda0008010100003f00ffd9", "hex"), png],
    ["a JPEG without a scan", Buffer.from("ffd8ffc0000b080008000801011100ffd9", "hex"), png],
    ["a truncated JPEG", buildJpeg({ width: 512, height: 512 }).subarray(0, -60), png],
    ["a JPEG whose segment is too long", Buffer.from("ffd8ffe0ffff00ffd9", "hex"), png],
    ["a PNG with 30,000 chunks", buildPng({ before: repeat(30_000, buildChunk("teSt", "")) }), "1000 chunks"],
    [
      "a PNG with 2,000 pixel data chunks",
      buildPng({ after: repeat(2_000, buildChunk("IDAT", "")) }),
      "1000 chunks",
    ],
    [
      "a PNG that is 2 ** 31 pixels wide",
      buildPng({ width: 2 ** 31, height: 8, rows: buildBomb(9) }),
      "2048 pixels",
    ],
    ["a PNG with an unknown critical chunk", buildPng({ before: [buildChunk("CgBI", "")] }), png],
    ["a PNG with two headers", buildPng({ before: [buildChunk("IHDR", Buffer.alloc(13))] }), png],
    ["a PNG whose palette comes last", buildPng({ after: [buildChunk("PLTE", "abc")] }), png],
    ["an indexed PNG without a palette", buildPng({ color: 3 }), png],
    ["a PNG with 64 bits per sample", buildPng({ depth: 64 }), png],
    [
      "a PNG whose pixel data is split by another chunk",
      buildPng({ after: [buildChunk("tRNS", "ab"), buildChunk("IDAT", "")] }),
      png,
    ],
    ["a truncated PNG", buildPng().subarray(0, 60), png],
    [
      "a PNG whose chunk is too long",
      Buffer.concat([buildPng().subarray(0, 33), Buffer.alloc(12, 0x7f)]),
      png,
    ],
    ["zeros", Buffer.alloc(500_000), png],
  ])("is refused when it is %s", async (_, icon, reason) => {
    const { storage, acme } = openShop();
    const design: NewDesign = { stamps: { filled: dataUrl(icon) } };
    const rejection = acme.templates.create({ ...card, design });
    await expect(rejection).rejects.toMatchObject({ code: "validation_failed", status: 422 });
    await expect(rejection).rejects.toHaveProperty(
      ["detail", "fields", "design.stamps.filled"],
      expect.stringContaining(reason),
    );
    expect(await runStep(storage.reader("acme").listPictures())).toEqual([]);
  });

  it("is accepted if it has no more scans than encoders produce, or is interlaced", async () => {
    const { createCardWithIcon } = openShop();
    for (const icon of [buildJpeg({ scans: 63 }), buildPng({ isInterlaced: true })]) {
      expect(await createCardWithIcon(icon)).toEqual(icon);
    }
  });
});

describe("a stored picture", () => {
  const location = "48.2082 N, 16.3738 E";

  it.each<[what: string, icon: Buffer]>([
    ["text chunks of a PNG", buildPng({ before: [buildChunk("tEXt", `Comment\0${location}`)] })],
    ["the Exif data of a PNG", buildPng({ after: [buildChunk("eXIf", location)] })],
    [
      "the color profile and time of a PNG",
      buildPng({ before: [buildChunk("iCCP", location), buildChunk("tIME", location)] }),
    ],
    [
      "the frames of an animation",
      buildPng({ before: [buildChunk("acTL", location)], after: [buildChunk("fdAT", location)] }),
    ],
    ["data after the end of a PNG", Buffer.concat([buildPng(), Buffer.from(location)])],
    ["the Exif data of a JPEG", buildJpeg({ before: [buildExif(1, location)] })],
    ["the comments of a JPEG", buildJpeg({ before: [buildSegment(0xfe, location)] })],
    [
      "color profiles of a JPEG",
      buildJpeg({ before: repeat(5, buildSegment(0xe2, `ICC_PROFILE\0${location}`)) }),
    ],
    [
      "metadata that programs add to a JPEG",
      buildJpeg({ before: [buildSegment(0xed, location), buildSegment(0xee, location)] }),
    ],
    ["data after the end of a JPEG", buildJpeg({ after: Buffer.from(location) })],
  ])("doesn't contain %s", async (_, icon) => {
    const { createCardWithIcon } = openShop();
    expect(icon.includes(location)).toBe(true);
    const picture = await createCardWithIcon(icon);
    expect(picture.includes(location)).toBe(false);
    expect(picture).toEqual(icon[0] === 0x89 ? buildPng() : buildJpeg());
  });

  it("doesn't contain metadata that inflates to 100 MB", async () => {
    const { createCardWithIcon } = openShop();
    const huge = Buffer.concat([Buffer.from("Comment\0\0"), buildBomb(100_000_000)]);
    for (const type of ["zTXt", "iCCP"]) {
      expect(await createCardWithIcon(buildPng({ before: [buildChunk(type, huge)] }))).toEqual(buildPng());
    }
  });

  it.each(["II", "MM"] as const)("retains the orientation of a photo, in byte order %s", async (order) => {
    const { createCardWithIcon } = openShop();
    for (const orientation of [2, 3, 4, 5, 6, 7, 8]) {
      const picture = await createCardWithIcon(
        buildJpeg({ before: [buildExif(orientation, location, order)] }),
      );
      expect(picture.includes(location)).toBe(false);
      expect(stripPicture(picture)).toMatchObject({ orientation });
    }
    expect(await createCardWithIcon(buildJpeg({ before: [buildExif(77, location, order)] }))).toEqual(
      buildJpeg(),
    );
  });

  it("is unchanged when it is stripped again, even if the upload was corrupted", () => {
    const before = [
      buildExif(6, location),
      buildSegment(0xee, "Adobe\0d\0\0\0\0\x01"),
      buildSegment(0xe0, "JFIF\0"),
    ];
    const files = [buildPng({ before: [buildChunk("tEXt", location)] }), buildJpeg({ before, scans: 3 })];
    const changes = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...files), changes, fc.nat(400), (file, changed, end) => {
        const bytes = Buffer.from(file);
        for (const [at, value] of changed) if (at < bytes.byteLength) bytes[at] = value;
        const picture = stripPicture(
          end > bytes.byteLength ? bytes : bytes.subarray(0, bytes.byteLength - (end % 3)),
        );
        if (typeof picture !== "string") expect(stripPicture(picture.bytes)).toEqual(picture);
      }),
      { numRuns: 2_000 },
    );
  });
});
