import { readdirSync, readFileSync } from "node:fs";
import { join, normalize, relative, sep } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Which adapters an adapter may import besides itself and the core. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  memory: [],
  kysely: [],
  sqlite: ["kysely"],
  postgres: ["kysely"],
  http: [],
  "rate-limits": ["http"],
  express: ["http"],
  fastify: ["http"],
  oauth: ["http"],
  jwt: [],
  webhooks: [],
  "webhook-worker": [],
  cli: [
    "memory",
    "kysely",
    "sqlite",
    "postgres",
    "http",
    "rate-limits",
    "oauth",
    "express",
    "fastify",
    "webhook-worker",
  ],
};

/** Packages that are a host's choice, and the one adapter that may load each. */
const optional: Readonly<Record<string, string>> = {
  "better-sqlite3": "sqlite",
  pg: "postgres",
  express: "express",
  fastify: "fastify",
};

/** What the core may load: no framework, no driver, no I/O. */
const ofTheCore = [
  "ipaddr.js",
  "mitt",
  "node:assert/strict",
  "node:crypto",
  "node:timers",
  "node:zlib",
  "transliteration",
  "uuid",
  "zod",
];

interface Import {
  readonly file: string;
  readonly target: string;
}

const imports: readonly Import[] = ["src", "adapters", "examples"].flatMap(filesIn).flatMap(importsOf);

describe("architecture", () => {
  it("the core imports no adapter, no framework, no driver and does no I/O", () => {
    expect(
      violations("src", ({ target }) => target.startsWith("src/") || ofTheCore.includes(target)),
    ).toEqual([]);
  });

  it("an adapter imports the core, itself, and only the adapters that stand below it", () => {
    expect(
      violations("adapters", ({ file, target }) => {
        const neighbours = [adapterOf(file), ...(allowed[adapterOf(file)] ?? [])];
        return !target.startsWith("adapters/") || neighbours.includes(adapterOf(target));
      }),
    ).toEqual([]);
  });

  it("no adapter imports an example or a test", () => {
    expect(violations("adapters", ({ target }) => !/^(examples|test|bench)\//.test(target))).toEqual([]);
  });

  it("a driver or framework is loaded by its own adapter only", () => {
    expect(
      violations("adapters", ({ file, target }) => {
        const owner = Object.entries(optional).find(([name]) => target === name)?.[1];
        return owner === undefined || owner === adapterOf(file);
      }),
    ).toEqual([]);
  });

  it("examples know the package by its name only", () => {
    expect(violations("examples", ({ target }) => !/^(src|adapters)\//.test(target))).toEqual([]);
  });

  it("every adapter has its place in the rules", () => {
    expect(readdirSync(join(root, "adapters")).sort()).toEqual(Object.keys(allowed).sort());
  });
});

function violations(folder: string, isAllowed: (each: Import) => boolean): string[] {
  const own = imports.filter(({ file }) => file.startsWith(`${folder}/`));
  expect(own.length).toBeGreaterThan(0);
  return own.filter((each) => !isAllowed(each)).map(({ file, target }) => `${file} → ${target}`);
}

function adapterOf(file: string): string {
  return file.split("/")[1] ?? "";
}

function filesIn(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file.split(sep).join("/")}`);
}

/** Every module that a file names, in an import, an export or an import type; own files by their path. */
function importsOf(file: string): Import[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"));
  return importedFiles.map(({ fileName }) => ({
    file,
    target: fileName.startsWith(".")
      ? relative(root, normalize(join(root, file, "..", fileName)))
          .split(sep)
          .join("/")
      : fileName,
  }));
}
