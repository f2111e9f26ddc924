import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { DrawingFailure } from "../../../adapters/delivery/wallets/rasterizing/drawer.js";
import {
  loadRasterizer,
  withMemoryLimit,
} from "../../../adapters/delivery/wallets/rasterizing/rasterizer.js";

import { missingThreads } from "../../../src/base/signals.js";
import { buildJpeg } from "../../cards/hostile-pictures.js";
import { decodePixels } from "../drawing/pixels.js";

const createSvg = (side: number, inside: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}">${inside}</svg>`;
const rect = '<rect width="8" height="8" fill="#00FF00"/>';

/** Creates a drawing that takes a minute. */
function createEndlessSvg(): string {
  const jpeg = buildJpeg({ width: 2_048, height: 2_048, scans: 20_000 }).toString("base64");
  return createSvg(8, `<image width="8" height="8" href="data:image/jpeg;base64,${jpeg}"/>`);
}

describe("the rasterizer", () => {
  it("stops a drawing that takes too long, while others draw and the process goes on", async () => {
    const rasterize = await loadRasterizer();
    const impatient = await loadRasterizer(undefined, 500);
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 5);
    const late = expect(impatient(createEndlessSvg())).rejects.toMatchObject({
      name: "DrawingTimeout",
      cause: { name: "AbortError" },
    });
    const { png } = await rasterize(createSvg(8, rect));
    expect(decodePixels(png).getColor(4, 4)).toBe("#00FF00");
    await late;
    clearInterval(turning);
    // It would be one or two if the drawing blocked the event loop.
    expect(turns).toBeGreaterThan(5);
    expect((await rasterize(createSvg(8, rect))).png).toEqual(png);
  });

  it("accepts what was drawn while the process was blocked", async () => {
    const rasterize = await loadRasterizer(undefined, 2_000);
    await rasterize(createSvg(8, rect));
    const drawing = rasterize(createSvg(8, rect));
    await new Promise((resolve) => setImmediate(resolve));
    for (const end = performance.now() + 2_500; performance.now() < end; );
    expect((await drawing).isBlank).toBe(false);
  });

  it("fails if a drawing takes more memory than allowed, and draws again after that", async () => {
    // A busy machine may take longer than the usual time limit to draw the second one.
    const rasterize = await loadRasterizer(undefined, 60_000);
    await expect(rasterize(createSvg(20_000, rect))).rejects.toThrow(DrawingFailure);
    expect((await rasterize(createSvg(2_048, rect))).isBlank).toBe(false);
  });

  it("reports a blank drawing, and fails on invalid input", async () => {
    const rasterize = await loadRasterizer();
    expect((await rasterize(createSvg(8, ""))).isBlank).toBe(true);
    await expect(rasterize("<svg")).rejects.toThrow(DrawingFailure);
  });

  it("isn't loaded if its memory can't be limited", async () => {
    // A module of WebAssembly without a memory, and one whose memory has a limit of its own.
    for (const sections of ["", "050401010102"]) {
      const code = Buffer.from(`0061736d01000000${sections}`, "hex");
      expect(() => withMemoryLimit(code, 9)).toThrow("can't be limited");
    }
    const limited = withMemoryLimit(Buffer.from("0061736d010000000503010002", "hex"), 300);
    expect(Buffer.from(limited).toString("hex")).toBe("0061736d01000000" + "05050101" + "02ac02");
  });

  // This test is the last one, because the process tries no thread again after it.
  it("draws on the event loop if its threads can't start, and reports why", async () => {
    const require = createRequire(import.meta.url);
    const readCode = () => readFile(require.resolve("@resvg/resvg-wasm/index_bg.wasm"));
    const folder = mkdtempSync(join(tmpdir(), "rasterizer-"));
    const script = readFileSync(require.resolve("@resvg/resvg-wasm"), "utf8");
    // Only a thread that runs a script from text has `require`.
    const onlyHere = `if (typeof require === "function") throw new Error("not in a thread"); ${script}`;
    const file = join(folder, "resvg.js");
    writeFileSync(file, onlyHere);
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const before = await loadRasterizer().then((drawInThread) => drawInThread(createSvg(8, rect)));
    const rasterize = await loadRasterizer({ findFile: () => file, readCode });
    expect(await rasterize(createSvg(8, rect))).toEqual(before);
    const reasons = missingThreads.readAll().map(({ work, cause }) => [work, String(cause)]);
    expect(reasons).toEqual([["pictures", "Error: not in a thread"]]);
  });
});
