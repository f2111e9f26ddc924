import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { languages } from "../../adapters/apps/console/server/language.js";

/** The maximum size of a screen, in kilobytes. German words are longer. */
const maxScreenKilobytes = { en: 44, de: 46 };

describe.each(languages)("the console's JavaScript in the language %s", (language) => {
  const folder = join(import.meta.dirname, "../../dist/console", language);

  /** Lists the built files whose names begin with this prefix. */
  const listFiles = (name: string) =>
    readdirSync(folder)
      .map((file) => file.replace(/\.gz$/, ""))
      .filter((file) => file.startsWith(`${name}-`) && file.endsWith(".js"));

  const readGzipped = (file: string) => readFileSync(join(folder, `${file}.gz`));

  /** Collects files and everything that they import before they run. */
  function collectImports(files: readonly string[]): Set<string> {
    const all = new Set<string>();
    const addFile = (file: string) => {
      if (all.has(file)) return;
      all.add(file);
      const text = gunzipSync(readGzipped(file)).toString();
      for (const [, importedFile = ""] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g))
        addFile(importedFile);
    };
    files.forEach(addFile);
    return all;
  }

  function sumGzippedKilobytes(...names: string[]): number {
    const files = [...collectImports(names.flatMap(listFiles))];
    expect(files.length).toBeGreaterThanOrEqual(names.length);
    return files.reduce((sum, file) => sum + readGzipped(file).byteLength, 0) / 1_000;
  }

  it("is at most 150 kB, gzipped, for the first screen", () => {
    expect(sumGzippedKilobytes("main", "overview-screen")).toBeLessThanOrEqual(150);
  });

  it("is at most 100 kB, gzipped, for the till", () => {
    expect(sumGzippedKilobytes("main", "till-screen")).toBeLessThanOrEqual(100);
  });

  const max = maxScreenKilobytes[language];

  it(`is at most ${max} kB, gzipped, for any screen`, () => {
    const screens = readdirSync(folder).flatMap((file) => /^[a-z]+-screen(?=-.*\.js\.gz$)/.exec(file) ?? []);
    expect(screens.length).toBeGreaterThan(5);
    for (const screen of screens)
      expect(sumGzippedKilobytes("main", screen), screen).toBeLessThanOrEqual(max);
  });
});
