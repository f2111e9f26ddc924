import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { root } from "../imports.js";
import type { Installation } from "./installed.js";

/** Checks that a stack trace leads to the line of our sources that creates the error. */
export function findTraceProblems(installed: Installation): readonly string[] {
  const program = `
    import { LoyaltyService } from "loyalty-kit";
    import { memoryStorage } from "loyalty-kit/memory";
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    await loyalty.organization("acme").users.get("nobody").catch(({ stack }) => console.log(stack));
    await loyalty.close();`;
  const { stdout, stderr } = runProgram(installed, program, ["--enable-source-maps"]);
  const [, line = ""] = /[\\/]src[\\/]base[\\/]errors\.ts:([0-9]+)/.exec(stdout) ?? [];
  const sourceLine =
    readFileSync(join(root, "src/base/errors.ts"), "utf8").split("\n")[Number(line) - 1] ?? "";
  return sourceLine.includes("new LoyaltyError(")
    ? []
    : [`a stack trace leads elsewhere:\n${stdout}${stderr}`];
}

/** Checks that a host with its own `prom-client` can add the metrics of the package to its registry. */
export function findMetricsProblems(installed: Installation): readonly string[] {
  const program = `
    import { LoyaltyService } from "loyalty-kit";
    import { memoryStorage } from "loyalty-kit/memory";
    import { createMetrics } from "loyalty-kit/observability";
    import { Counter, Registry } from "prom-client";
    const registry = new Registry();
    registry.setDefaultLabels({ shop: "cafe" });
    new Counter({ name: "host_total", help: "The host's.", registers: [registry] }).inc();
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    createMetrics(loyalty, { registry });
    await loyalty.organization("acme").users.create({ email: "ada@example.com" });
    const told = (await registry.metrics()).split("\\n");
    console.log(told.filter((line) => /^(host|loyalty_events)_total.* [1-9]/.test(line)).join(" "));
    await loyalty.close();`;
  const expected = 'host_total{shop="cafe"} 1 loyalty_events_total{type="user.created",shop="cafe"} 1\n';
  const { stdout, stderr } = runProgram(installed, program);
  return stdout === expected ? [] : [`a host's own registry tells:\n${stdout}${stderr}`];
}

/** Checks at run time that each value exists that the declarations of an entry point promise. */
export function findValueProblems(
  installed: Installation,
  entryPoints: readonly string[],
): readonly string[] {
  const declared = listDeclaredValues(installed, entryPoints);
  const program = `
    for (const [name, values] of ${JSON.stringify(declared)}) {
      const entry = await import(name);
      for (const value of values) if (!(value in entry)) console.log(name + " has no " + value);
    }
    console.log("asked for ${declared.flatMap(([, values]) => values).length}");`;
  const { stdout, stderr } = runProgram(installed, program);
  return /^asked for [1-9][0-9]+\n$/.test(stdout) ? [] : [`values that only compile:\n${stdout}${stderr}`];
}

function listDeclaredValues({ folder }: Installation, entryPoints: readonly string[]) {
  const host = join(folder, "values.ts");
  writeFileSync(host, entryPoints.map((name, at) => `import * as entry${at} from "${name}";`).join("\n"));
  const { NodeNext } = ts.ModuleKind;
  const program = ts.createProgram([host], {
    module: NodeNext,
    target: ts.ScriptTarget.ES2023,
    noEmit: true,
  });
  const checker = program.getTypeChecker();
  const declarations = program.getSourceFile(host)?.statements.filter(ts.isImportDeclaration) ?? [];
  return declarations.map(({ importClause }, at) => {
    const entry = importClause?.namedBindings;
    assert.ok(entry);
    const values = checker.getPropertiesOfType(checker.getTypeAtLocation(entry)).map(({ name }) => name);
    return [entryPoints[at], values] as const;
  });
}

/** Loads each entry point with `import` and with `require`, and checks that both have the same exports. */
export function loadProblems(installed: Installation, entryPoints: readonly string[]): readonly string[] {
  const program = `
    import { createRequire } from "node:module";
    const require = createRequire(process.cwd() + "/host.js");
    for (const name of ${JSON.stringify(entryPoints)}) {
      const required = require(name);
      const imported = await import(name);
      for (const key of Object.keys(imported)) {
        if (typeof required[key] !== typeof imported[key]) throw new Error(name + ": " + key + " differs");
      }
    }
    console.log("loaded");`;
  const { stdout, stderr } = runProgram(installed, program);
  return stdout === "loaded\n" ? [] : [`an entry point does not load:\n${stderr}`];
}

function runProgram({ folder }: Installation, program: string, options: readonly string[] = []) {
  const args = [...options, "--input-type=module", "--eval", program];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
}
