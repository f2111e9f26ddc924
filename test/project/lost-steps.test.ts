import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { root } from "./imports.js";
import { findForgottenSteps } from "./steps/lost-steps.js";

const file = join(root, "src/base/values/snippet.ts");

const before = `
import { awaitInStep, runStep, runSyncIfPossible, succeedStep, type Step } from "../concurrency/step.js";
declare function put(text: string): Step<number>;
declare function maybe(): Step<number> | null;
declare function call<T>(task: () => Step<T>): Promise<T>;
declare function each(task: (text: string) => void): void;
declare const list: readonly string[];
declare let kept: Step<number>;
declare let anything: unknown;
`;

/** Code in which a step is lost. */
const lostSteps: Record<string, string> = {
  "a statement": `function* f() { put("a"); yield* put("b"); }`,
  "a statement in an arrow function": `list.forEach((text) => { put(text); });`,
  "the result of an arrow function whose caller ignores it": `list.forEach((text) => put(text));`,
  "the result of a function whose caller ignores it": `each(function (text) { return put(text); });`,
  "a generator function whose caller ignores its result": `list.forEach(function* (text) { yield* put(text); });`,
  void: `function* f() { void put("a"); }`,
  await: `async function f() { await put("a"); }`,
  "yield without an asterisk": `function* f(): Generator<unknown, void> { yield put("a"); }`,
  "return in a generator function": `call(function* () { return put("a"); });`,
  "return in an async function": `async function f() { return put("a"); }`,
  "an async arrow function": `export const f = async () => put("a");`,
  "the condition of an if statement": `function* f() { if (put("a")) yield* put("b"); }`,
  "the condition of a conditional expression": `function* f() { return put("a") ? 1 : 2; }`,
  "a branch of a conditional expression": `function* f(is: boolean) { is ? put("a") : put("b"); }`,
  "a negation": `function* f() { return !put("a"); }`,
  "a comparison": `function* f() { return put("a") === null; }`,
  "the left side of a comma operator": `function* f() { return put("a"), 1; }`,
  "the right side of a comma operator in a statement": `function* f() { 1, put("a"); }`,
  "an operand of &&": `function* f(is: boolean) { is && put("a"); }`,
  "the left side of ??": `function* f() { maybe() ?? 1; }`,
  "a variable that is never read": `function* f() { const step = put("a"); }`,
  "a variable that is assigned but never read": `function* f() { let step = put("a"); step = put("b"); }`,
  "a variable in a condition": `function* f() { const step = put("a"); if (step) return 1; }`,
  "a variable whose type hides the step": `function* f() { const step: unknown = put("a"); return step; }`,
  "an assignment to a variable whose type hides the step": `function* f() { anything = put("a"); }`,
  "a cast": `function* f() { return put("a") as unknown; }`,
  "a template": `function* f() { return \`\${put("a")}\`; }`,
  "a spread": `function* f() { return [...put("a")]; }`,
  "a loop over the step": `function* f() { for (const each of put("a")) return each; }`,
  "a pattern": `function* f() { const [value] = put("a"); return value; }`,
  "a discarded list": `function* f() { [put("a"), put("b")]; }`,
  "a mapped list that is discarded": `function* f() { list.map((text) => put(text)); }`,
  "a list in a variable that is never read": `function* f() { const steps = list.map((text) => put(text)); }`,
  "a promise of the step": `async function f() { await Promise.resolve().then(() => put("a")); }`,
  "Promise.all": `async function f() { await Promise.all(list.map((text) => put(text))); }`,
  "an argument of type any": `function* f() { return String(put("a")); }`,
  "an argument of a generic type": `function* f() { return yield* succeedStep(put("a")); }`,
  "an argument of awaitInStep": `function* f() { return yield* awaitInStep(put("a")); }`,
  "a member": `function* f() { return put("a").next(); }`,
  "an object that is never used": `function* f() { const answer = { count: put("a") }; }`,
  "an object that a generator function returns": `call(function* () { return { count: put("a") }; });`,
  "a generator that isn't typed as a step": `function* g() { yield* put("a"); return 1; } function* f() { g(); }`,
  "a value that may be a step": `function* f() { maybe(); }`,
};

/** Code in which a step is run or passed on. */
const used: Record<string, string> = {
  yielded: `function* f() { return (yield* put("a")) + (yield* put("b")); }`,
  "yielded in a condition": `function* f() { if ((yield* put("a")) > 1) return 1; return 2; }`,
  "one of two": `function* f(is: boolean) { yield* is ? put("a") : put("b"); }`,
  returned: `function f() { return put("a"); }`,
  "returned by an arrow function": `export const f = () => put("a");`,
  "given on": `async function f() { return await runStep(put("a")); }`,
  "returned by a task": `async function f() { return call(() => put("a")); }`,
  "a task that is a generator function": `async function f() { return call(function* () { return yield* put("a"); }); }`,
  kept: `function f() { kept = put("a"); return kept; }`,
  "kept in a variable": `function* f() { const step = put("a"); yield* put("b"); return yield* step; }`,
  "kept in a list": `function* f() { const steps = list.map((text) => put(text)); for (const step of steps) yield* step; }`,
  "kept in an object": `function f() { return { step: put("a") }; }`,
  "a step that may be missing": `function* f() { const step = maybe(); if (step !== null) yield* step; }`,
  "a generator of other values": `function* g() { yield 1; } function f() { return [...g()]; }`,
  "run at once": `export const f = () => runSyncIfPossible(put("a"));`,
};

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  lib: ["lib.es2023.d.ts"],
  types: [],
  strict: true,
  noEmit: true,
};

/** Finds the lost steps. Each piece of code is a file of its own, all in one program. */
function findForgotten(codes: Record<string, string>): Map<string, string[]> {
  const texts = new Map(
    Object.values(codes).map((code, at) => [file.replace(".ts", `-${at}.ts`), before + code]),
  );
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  const names = [...texts.keys()];
  const program = ts.createProgram({ rootNames: names, options, host });
  const forgotten = findForgottenSteps(program, names);
  return new Map(
    Object.keys(codes).map((name, at) => [
      name,
      forgotten.filter((each) => each.file === names[at]).map(({ why }) => why),
    ]),
  );
}

describe("a lost step", () => {
  const reasons = findForgotten(lostSteps);

  it.each(Object.keys(lostSteps))("is found in %s", (name) => {
    expect(reasons.get(name)?.length).toBeGreaterThan(0);
  });
});

describe("a step that is run or passed on", () => {
  const reasons = findForgotten(used);

  it.each(Object.keys(used))("is not reported: %s", (name) => {
    expect(reasons.get(name)).toEqual([]);
  });
});
