import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { type Plugin, rolldown } from "rolldown";
import { type Language, languages } from "../adapters/apps/console/server/language.js";
import { addBundled } from "./bundled-packages.js";
import { findPackageFolders } from "./bundling.js";

const consoleFolder = join(import.meta.dirname, "../adapters/apps/console");
const browser = join(consoleFolder, "browser");
const words = join(browser, "words");

/** Replaces the English words, which the screens import, with the words of another language. */
function replaceWords(language: Language): Plugin {
  return {
    name: "replace-words",
    resolveId: {
      filter: { id: /^\.{1,2}\/.*\.js$/ },
      handler(path, importer = "") {
        const file = join(dirname(importer), path);
        return dirname(file) === join(words, "en")
          ? join(words, language, `${basename(file, ".js")}.ts`)
          : null;
      },
    },
  };
}

/** Puts all style sheets in one file. */
const bundleStyles: Plugin = {
  name: "bundle-styles",
  async buildStart() {
    const entryPoints = [join(browser, "styles/main.css")];
    const { outputFiles } = await build({ entryPoints, bundle: true, minify: true, write: false });
    for (const { contents } of outputFiles)
      this.emitFile({ type: "asset", name: "main.css", source: contents });
  },
};

/** Records which packages are part of the built files, because their licenses ship with them. */
const recordPackages: Plugin = {
  name: "record-packages",
  async generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
    await addBundled(findPackageFolders(chunks.flatMap(({ moduleIds }) => moduleIds)));
  },
};

/** Compresses every file, because nearly all browsers accept gzip, and an installation needs only two fifths of the space. */
const gzipFiles: Plugin = {
  name: "gzip-files",
  generateBundle(_options, bundle) {
    for (const [name, file] of Object.entries(bundle)) {
      const content = file.type === "chunk" ? file.code : file.source;
      this.emitFile({ type: "asset", fileName: `${name}.gz`, source: gzipSync(content, { level: 9 }) });
      delete bundle[name];
    }
  },
};

/**
 * Builds the console's browser files in one language, and deletes all other files in its folder. Every screen is a file of its own
 * that loads when it is opened.
 */
async function buildConsole(language: Language): Promise<void> {
  const bundle = await rolldown({
    input: {
      main: join(browser, "main.tsx"),
      passkey: join(browser, "sign-in/main.ts"),
      reference: join(browser, "reference/main.tsx"),
      "till-worker": join(consoleFolder, "till-worker/worker.ts"),
    },
    platform: "browser",
    tsconfig: join(browser, "tsconfig.json"),
    plugins: [replaceWords(language), bundleStyles, recordPackages, gzipFiles],
  });
  await bundle.write({
    dir: `dist/console/${language}`,
    cleanDir: true,
    minify: true,
    entryFileNames: "[name]-[hash].js",
    chunkFileNames: ({ isDynamicEntry }) => (isDynamicEntry ? "[name]-[hash].js" : "chunk-[hash].js"),
    assetFileNames: "[name]-[hash][extname]",
    hashCharacters: "base36",
  });
  await bundle.close();
}

await Promise.all(languages.map(buildConsole));
