import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { HttpRequest, HttpResponse } from "../../../http/index.js";
import { getHeaderValue } from "../../../http/request/http-message.js";
import { findPackageFolder } from "../../../setup/installed-file.js";
import type { Language } from "./language.js";
import { securityHeaders } from "./page-response.js";

/** Matches static imports only, because dynamic imports have parentheses. */
const importing = /\b(?:from|import)"\.\/([^"]+)"/g;

const types: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

/** Matches `gzip` in `Accept-Encoding`, unless its quality of 0 refuses it. */
const gzipTaken = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

interface Asset {
  readonly type: string;
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  /** Names of the scripts that this script imports statically. */
  readonly imports: readonly string[];
}

/** The built browser files for one language. They are read from disk when first used. */
export class Assets {
  private files: ReadonlyMap<string, Asset> | null = null;

  constructor(readonly language: Language) {}

  /** All file names, including their content hashes. */
  get names(): string[] {
    return [...this.all.keys()];
  }

  /**
   * Returns a file's path relative to the console, including the content hash. For example, `main.js` becomes
   * `assets/en/main-1A2B3C4D.js`.
   */
  formatPath(file: string): string {
    return `assets/${this.language}/${this.buildHashedName(file)}`;
  }

  /**
   * Returns the paths of all scripts that a file imports, directly or indirectly. The page lists these paths so that the browser
   * can load the scripts in parallel instead of discovering each one only after loading the file that imports it.
   */
  listImports(file: string): string[] {
    const files = new Set([this.buildHashedName(file)]);
    // The loop also visits names that are added while it runs.
    for (const name of files) for (const imported of this.all.get(name)?.imports ?? []) files.add(imported);
    return [...files].slice(1).map((name) => `assets/${this.language}/${name}`);
  }

  private buildHashedName(file: string): string {
    const extension = extname(file);
    const start = `${file.slice(0, -extension.length)}-`;
    const name = this.names.find((each) => each.startsWith(start) && each.endsWith(extension));
    if (name === undefined) throw new Error(`the console was built without ${file}`);
    return name;
  }

  /**
   * Returns a file's content as text.
   * @param file the file's name without the content hash, such as `main.js`.
   */
  readText(file: string): string {
    return Buffer.from(this.all.get(this.buildHashedName(file))?.plain ?? []).toString();
  }

  /**
   * Returns a response with a file's content, or `null` if there is no such file. The response can be cached indefinitely because
   * the file's name contains a hash of its content.
   */
  serve(name: string, { headers }: HttpRequest): HttpResponse | null {
    const asset = this.all.get(name);
    if (asset === undefined) return null;
    const takesGzip = gzipTaken.test(getHeaderValue(headers, "accept-encoding") ?? "");
    return {
      status: 200,
      headers: {
        "content-type": asset.type,
        "cache-control": "public, max-age=31536000, immutable",
        vary: "accept-encoding",
        ...securityHeaders,
        ...(takesGzip && { "content-encoding": "gzip" }),
      },
      body: takesGzip ? asset.gzipped : asset.plain,
    };
  }

  private get all(): ReadonlyMap<string, Asset> {
    this.files ??= read(join(findPackageFolder(), "dist", "console", this.language));
    return this.files;
  }
}

function read(folder: string): ReadonlyMap<string, Asset> {
  const names = readdirSync(folder).map((file) => basename(file, ".gz"));
  return new Map(
    names.map((name) => {
      const gzipped = readFileSync(join(folder, `${name}.gz`));
      const type = types[extname(name)] ?? "application/octet-stream";
      const plain = gunzipSync(gzipped);
      const imports = extname(name) === ".js" ? importsIn(plain.toString()) : [];
      return [name, { type, plain: new Uint8Array(plain), gzipped: new Uint8Array(gzipped), imports }];
    }),
  );
}

function importsIn(script: string): string[] {
  return [...script.matchAll(importing)].flatMap(([, name]) => name ?? []);
}
