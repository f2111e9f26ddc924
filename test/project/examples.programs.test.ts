import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { namesOfExamples } from "../../docs/site/reference/examples.js";
import { readPublicInterface } from "../../packaging/public-interface.js";
import { root } from "./imports.js";

const run = promisify(execFile);

/** An exported function or class, with the code of its examples. */
interface ExampleCall {
  readonly name: string;
  readonly codes: readonly string[];
}

const calls = findCalls(readPublicInterface());
const examples = calls.flatMap(({ name, codes }) => codes.map((code) => ({ name, code })));

/** Inside the project, so that the examples can import the package by its name. */
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(root, ".examples-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe("the examples of the reference", () => {
  it("exist for each exported function and class", () => {
    expect(calls.length).toBeGreaterThan(60);
    expect(calls.filter(({ codes }) => codes.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it("compile, each as a module", async () => {
    const names = Object.entries(namesOfExamples).map(
      ([name, { type, from }]) => `declare const ${name}: import("${from}").${type};`,
    );
    writeFileSync(join(folder, "names.d.ts"), names.join("\n"));
    for (const { name, code } of examples) writeFileSync(join(folder, `${name}.ts`), `${code}\nexport {};\n`);
    const compilerOptions = {
      ...{ module: "nodenext", target: "es2023", types: ["node"], strict: true },
      ...{ exactOptionalPropertyTypes: true, skipLibCheck: true, noEmit: true },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
    const tsc = join(root, "node_modules/typescript-7/bin/tsc");
    const { stdout } = await run(process.execPath, [tsc], { cwd: folder }).catch(
      (error: { stdout: string }) => error,
    );
    expect(stdout).toBe("");
  });

  it("have two to eight lines, and import what they are about", () => {
    for (const { name, code } of examples) {
      const lines = code.split("\n").filter((line) => line !== "");
      expect(lines.length, name).toBeGreaterThan(1);
      expect(lines.length, name).toBeLessThan(9);
      expect(code, name).toMatch(new RegExp(`^import \\{[^}]*\\b${name.split(".")[1]}\\b[^}]*\\} from`, "m"));
    }
  });
});

/** Lists the functions and classes that can be imported as values, each from the first entry point that exports it. */
function findCalls({ checker, surfaces }: ReturnType<typeof readPublicInterface>): readonly ExampleCall[] {
  const visited = new Set<ts.Symbol>();
  return surfaces.flatMap(({ entry, module }) => {
    const types = findTypeOnlyExports(module, checker);
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const isAlias = (exported.flags & ts.SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? checker.getAliasedSymbol(exported) : exported;
      if (visited.has(symbol) || types.has(exported) || !isCalled(symbol, checker)) return [];
      visited.add(symbol);
      const tags = symbol.getJsDocTags(checker).filter(({ name }) => name === "example");
      const codes = tags.map(({ text }) => ts.displayPartsToString([...(text ?? [])]));
      return [{ name: `${entry}.${exported.name}`, codes }];
    });
  });
}

/** Returns what a module exports by `export type { X }` and `export type *`. Such classes can't be constructed. */
function findTypeOnlyExports(module: ts.Symbol, checker: ts.TypeChecker): ReadonlySet<ts.Symbol> {
  const statements = (module.declarations ?? []).filter(ts.isSourceFile).flatMap((file) => file.statements);
  const found = statements.filter(ts.isExportDeclaration).flatMap((statement) => {
    const { exportClause, isTypeOnly, moduleSpecifier } = statement;
    if (exportClause !== undefined && ts.isNamedExports(exportClause))
      return exportClause.elements
        .filter((element) => isTypeOnly || element.isTypeOnly)
        .map((element) => checker.getSymbolAtLocation(element.name));
    const from = moduleSpecifier && checker.getSymbolAtLocation(moduleSpecifier);
    return isTypeOnly && from !== undefined ? checker.getExportsOfModule(from) : [];
  });
  return new Set(found.filter((symbol) => symbol !== undefined));
}

function isCalled(symbol: ts.Symbol, checker: ts.TypeChecker): boolean {
  const [node] = symbol.declarations ?? [];
  if (node === undefined || (symbol.flags & ts.SymbolFlags.Value) === 0) return false;
  const type = checker.getTypeOfSymbolAtLocation(symbol, node);
  return type.getCallSignatures().length > 0 || type.getConstructSignatures().length > 0;
}
