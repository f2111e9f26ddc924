import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPlace, type Place } from "../postgres/place.js";
import { root } from "./imports.js";
import { pages, read } from "./pages.js";

const run = promisify(execFile);

interface Snippet {
  readonly page: string;
  readonly line: number;
  readonly code: string;
}

const snippets = pages.flatMap((page) => findSnippets(page, read(page)));

/** Inside the project, so that the snippets can import the package by its name. */
let folder: string;

/** Matches the Postgres servers in snippets. */
const serverUrl = /postgres:\/\/[^"\s]+/g;
const places: Place[] = [];

const target = ts.ScriptTarget.ES2023;
const module = ts.ModuleKind.ESNext;

beforeAll(async () => {
  folder = mkdtempSync(join(root, ".snippets-"));
  for (const [at, { code }] of snippets.entries()) {
    const runnable = await onServerOfTests(code);
    writeFileSync(join(folder, `snippet-${at}.ts`), runnable);
    // Without types, so that Node.js runs it without compiling it.
    writeFileSync(join(folder, `snippet-${at}.js`), ts.transpile(runnable, { target, module }));
  }
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  for (const place of places) await place.remove();
});

/** Replaces the server that the code names by an empty place of its own on the server of the tests. */
async function onServerOfTests(code: string): Promise<string> {
  if (code.search(serverUrl) === -1) return code;
  const place = await createPlace();
  places.push(place);
  return code.replaceAll(serverUrl, place.url);
}

describe("the code in the documentation", () => {
  it("exists in the README", () => {
    expect(snippets.filter(({ page }) => page === "README.md").length).toBeGreaterThan(0);
  });

  it.each(snippets.map((snippet, at) => ({ ...snippet, at })))(
    "of $page:$line runs, and prints what its comments say",
    async ({ at, code }) => {
      const file = join(folder, `snippet-${at}.js`);
      // A server in a snippet would listen forever; anything else ends by itself.
      const program = `
        await import(${JSON.stringify(pathToFileURL(file).href)});
        if (process.getActiveResourcesInfo().includes("TCPServerWrap")) process.exit(0);`;
      // Away from the project's configuration, so that the package's name leads to the built package.
      const elsewhere = mkdtempSync(join(tmpdir(), "snippet-"));
      const options = ["--input-type=module", "--eval", program];
      const { stdout, stderr } = await run(process.execPath, options, {
        cwd: elsewhere,
        env: { ...process.env, PORT: "0" },
      });
      rmSync(elsewhere, { recursive: true });
      expect(stderr).toBe("");
      const expectedLines = [...code.matchAll(/\/\/ → (.+)$/gm)].map(([, text]) => text);
      if (expectedLines.length > 0) expect(stdout.trimEnd().split("\n")).toEqual(expectedLines);
    },
  );

  it("of the README works in a folder that npm init created, and also a second time", async () => {
    const [first] = snippets;
    if (first?.page !== "README.md") throw new Error("the README has no snippet");
    const host = mkdtempSync(join(tmpdir(), "first-snippet-"));
    await run("npm", ["init", "--yes"], { cwd: host });
    mkdirSync(join(host, "node_modules"));
    symlinkSync(root, join(host, "node_modules/loyalty-kit"));
    writeFileSync(join(host, "cafe.mjs"), first.code);
    for (const stamps of [1, 2]) {
      const { stdout } = await run(process.execPath, ["cafe.mjs"], { cwd: host });
      expect(stdout).toBe(`Ada has ${stamps} of 10 stamps.\n`);
    }
    rmSync(host, { recursive: true });
  });

  it("compiles", async () => {
    const files = snippets.map((_, at) => join(folder, `snippet-${at}.ts`));
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--target", "ES2023", "--module", "NodeNext"];
    const result = await run(process.execPath, [
      join(root, "node_modules/typescript/bin/tsc"),
      ...options,
      ...files,
    ]).catch((error: { stdout: string }) => error);
    expect(result.stdout).toBe("");
  });
});

function findSnippets(page: string, text: string): Snippet[] {
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map((match) => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    code: match[1] ?? "",
  }));
}
