import { createHash, randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createZip, type ZippedFile } from "../../src/exports/zip.js";
import { collectArchive, readDirectory, unzip } from "./unzipped.js";

async function* generateFiles(
  files: Readonly<Record<string, readonly Uint8Array[]>>,
): AsyncGenerator<ZippedFile> {
  for (const [name, pieces] of Object.entries(files)) {
    yield {
      name,
      content: (async function* () {
        yield* pieces;
      })(),
    };
  }
}

const someFiles = {
  "a.txt": [Buffer.from("Zoë ".repeat(50_000)), Buffer.from(""), Buffer.from("Ĳsbrand")],
  "empty.csv": [],
  "ö/noise.bin": [randomBytes(200_000), randomBytes(1)],
};

const expectedHashes = hashFiles(
  Object.entries(someFiles).map(([name, pieces]) => [name, Buffer.concat(pieces)]),
);

/** Hashes files, because comparing them byte by byte takes seconds. */
function hashFiles(files: Iterable<readonly [string, Buffer]>): Record<string, string> {
  return Object.fromEntries(
    [...files].map(([name, content]) => [name, createHash("sha256").update(content).digest("hex")]),
  );
}

it("an archive has every file byte for byte, and compressed", async () => {
  const archive = await collectArchive(
    createZip(generateFiles(someFiles), Date.UTC(2026, 10, 23, 12, 34, 57)),
  );
  expect(hashFiles(unzip(archive))).toEqual(expectedHashes);
  expect(archive.length).toBeLessThan(210_000);
  // The time comes after version, flags and method: seconds are even, the year counts from 1980.
  expect(archive.readUInt16LE(10)).toBe((12 << 11) | (34 << 5) | (56 >> 1));
  expect(archive.readUInt16LE(12)).toBe(((2026 - 1980) << 9) | (11 << 5) | 23);
});

it("an archive can be read beyond 4 GiB too", async () => {
  const start = 2 ** 32 - 100_000;
  const archive = await collectArchive(createZip(generateFiles(someFiles), 0, start));
  expect(hashFiles(unzip(archive, start))).toEqual(expectedHashes);
});

it("an archive of more than 65,535 files has them all", async () => {
  const manyFiles = Object.fromEntries(Array.from({ length: 66_000 }, (_, at) => [`${at}`, []]));
  const names = [...readDirectory(await collectArchive(createZip(generateFiles(manyFiles), 0)))].map(
    ({ name }) => name,
  );
  expect(names.join()).toBe(Object.keys(manyFiles).join());
});

it("an archive without files is valid", async () => {
  expect(unzip(await collectArchive(createZip(generateFiles({}), 0)))).toEqual(new Map());
});

it("an archive requests a file once the previous one is read, and ends all when its reader stops", async () => {
  const steps: string[] = [];
  async function* generateContent(name: string) {
    try {
      for (let piece = 0; piece < 3; piece += 1) {
        steps.push(`${name}${piece}`);
        yield randomBytes(10);
      }
    } finally {
      steps.push(`end of ${name}`);
    }
  }
  async function* generateFiles() {
    try {
      for (const name of ["a", "b", "c"]) yield { name, content: generateContent(name) };
    } finally {
      steps.push("end");
    }
  }
  let pieces = 0;
  for await (const _ of createZip(generateFiles(), 0)) {
    pieces += 1;
    // The headers of two files, the content of the first, its end and its footer, and the start of the second.
    if (pieces === 8) break;
  }
  expect(steps).toEqual(["a0", "a1", "a2", "end of a", "b0", "end of b", "end"]);
});
