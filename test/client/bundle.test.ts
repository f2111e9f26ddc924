import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

it("the client is at most 10.5 kB for a page, and needs neither Node nor another package", async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: 'export { createClient } from "./adapters/http/client/index.js";', resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    write: false,
    metafile: true,
    // A missing module fails the build, as a missing package would.
    packages: "bundle",
    mainFields: [],
  });
  const [{ contents = new Uint8Array() } = {}] = outputFiles;
  const kilobytes = gzipSync(contents).byteLength / 1_000;
  expect(kilobytes).toBeLessThanOrEqual(10.5);
  expect(Object.keys(metafile.inputs).filter((file) => file.includes("node_modules"))).toEqual([]);
  const imports = Object.values(metafile.inputs).flatMap(({ imports }) => imports);
  expect(imports.filter(({ external = false }) => external)).toEqual([]);
});
