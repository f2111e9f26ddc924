import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "esbuild";
import { defineConfig } from "tsup";
import { languages } from "./adapters/apps/console/server/language.js";
import { recordBundled } from "./packaging/bundling.js";

const words = join(import.meta.dirname, "adapters/apps/console/browser/words");

/** Puts the words of a language in the place of the English ones, which the screens import. */
function wordsIn(language: string): Plugin {
  return {
    name: "words",
    setup(build) {
      build.onResolve({ filter: /^\.{1,2}\/.*\.js$/ }, ({ path, resolveDir }) => {
        const file = join(resolveDir, path);
        if (dirname(file) !== join(words, "en")) return null;
        return { path: join(words, language, `${basename(file, ".js")}.ts`) };
      });
    },
  };
}

/** Keeps the files of a folder by gzip alone, as most browsers get them: they take two fifths of their room in an installation. */
async function gzipFilesIn(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    await writeFile(`${file}.gz`, gzipSync(await readFile(file), { level: 9 }));
    await rm(file);
  }
}

/** What the console is in the browser, once in each language: one file for what every screen needs, and one for each screen. */
export default defineConfig(
  languages.map((language) => ({
    entry: {
      main: "adapters/apps/console/browser/main.tsx",
      passkey: "adapters/apps/console/browser/sign-in/main.ts",
      reference: "adapters/apps/console/browser/reference/main.tsx",
      "till-worker": "adapters/apps/console/till-worker/worker.ts",
    },
    outDir: `dist/console/${language}`,
    tsconfig: "adapters/apps/console/browser/tsconfig.json",
    platform: "browser",
    format: "esm",
    target: "es2022",
    splitting: true,
    minify: true,
    clean: true,
    // The package has no need of them at run time: they are in the files.
    noExternal: [/.*/],
    onSuccess: () => gzipFilesIn(`dist/console/${language}`),
    esbuildPlugins: [wordsIn(language), recordBundled([])],
    esbuildOptions(options) {
      options.entryNames = "[name]-[hash]";
      options.chunkNames = "[name]-[hash]";
      options.legalComments = "inline";
    },
  })),
);
