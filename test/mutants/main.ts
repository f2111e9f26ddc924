import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { plantFault } from "../planted/faults.js";
import { pickSome } from "../planted/pick-some.js";
import { root } from "../project/imports.js";
import { findMutants, type Mutant } from "./mutants.js";

/*
 * Changes the code in one place at a time, and counts the changes that the tests of `npm test` find. It works on a copy
 * of the checkout. A first run of the tests shows which of them execute each place. A mutant is then tried only with
 * those, the quickest first. Some survivors change nothing visible, or only a diagnosis; the others show that a test is
 * missing.
 */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    mutants: { type: "string", default: "20" },
    folder: { type: "string", multiple: true, default: ["src", "adapters"] },
  },
});

/** Number of the quickest test files that run first. Each further run has twice as many as all before it. */
const QUICKEST = 30;

const all = (await Promise.all(values.folder.map(findMutants))).flat();
const mutants = pickSome(all, Number(values.mutants), Number(values.seed));
const copy = mkdtempSync(join(tmpdir(), "loyalty-kit-mutants-"));
let running: number | undefined;
process.once("exit", () => {
  stopRunning();
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

await copyCheckout();
const tests = await findTests(mutants);
const survivors: string[] = [];
for (const [index, mutant] of mutants.entries()) {
  const change = `${mutant.before} → ${mutant.after}`.replaceAll(/\s+/g, " ").slice(0, 110);
  const place = `${mutant.file}:${mutant.line}  ${change}`;
  const began = Date.now();
  const found = await tryMutant(mutant, tests.get(index) ?? []);
  if (found === null) survivors.push(place);
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(
    `${index + 1}. ${place}\n    ${found ?? "SURVIVED"} (${tests.get(index)?.length} tests, ${seconds} s)`,
  );
}
console.log(`\n${mutants.length - survivors.length} of ${mutants.length} found (${all.length} are possible)`);
if (survivors.length > 0) console.log(`Survivors:\n${survivors.map((each) => `- ${each}`).join("\n")}`);

/** Copies the checkout, including uncommitted changes, and builds it. */
async function copyCheckout(): Promise<void> {
  const { output } = await runProgram("git", ["ls-files", "-z", "-co", "--exclude-standard"], root);
  for (const file of output.split("\0")) {
    if (file !== "") cpSync(join(root, file), join(copy, file), { force: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  await runProgram("npm", ["run", "build:js"]);
}

/** Runs all tests once, and returns the test files that execute the code of each mutant, the quickest first. */
async function findTests(mutants: readonly Mutant[]): Promise<ReadonlyMap<number, readonly string[]>> {
  const marks = mutants.flatMap(({ file, marks }, index) =>
    marks.map(({ at, text }) => ({ file, at, text: text(`globalThis.comeBy?.(${index})`) })),
  );
  for (const file of new Set(marks.map(({ file }) => file))) {
    const text = marks
      .filter((mark) => mark.file === file)
      .toSorted((a, b) => b.at - a.at)
      .reduce(
        (marked, { at, text }) => marked.slice(0, at) + text + marked.slice(at),
        readFileSync(file, "utf8"),
      );
    writeFileSync(join(copy, file), text);
  }
  const setup = join(copy, "test/kit/setup.ts");
  const record = join(copy, "record.jsonl");
  appendFileSync(setup, markingSetup(record));
  const { code, output } = await runTests([], 1_800_000);
  if (code !== 0) console.log(`Some tests fail already:\n${output.match(/^ FAIL .*/gm)?.join("\n")}`);
  cpSync(join(root, "test/kit/setup.ts"), setup);
  for (const { file } of marks) cpSync(join(root, file), join(copy, file));
  const files = readFileSync(record, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): TestFile => JSON.parse(line))
    .filter(({ isRight }) => isRight)
    .toSorted((a, b) => a.ms - b.ms);
  return new Map(
    mutants.map((_, index) => {
      const seeing = files.filter(({ passed }) => passed.includes(index));
      // Code that no test executes may run once, when its module is loaded, or in a thread.
      return [index, (seeing.length > 0 ? seeing : files).map(({ path }) => path)];
    }),
  );
}

/** What a test file reports about itself; `passed` lists the mutants whose code it executes. */
type TestFile = Readonly<{ path: string; ms: number; isRight: boolean; passed: readonly number[] }>;

/** Returns code to add to the setup of the tests, so that each file writes a line about itself. */
function markingSetup(record: string): string {
  return `
    import { appendFileSync } from "node:fs";
    import { afterEach, expect } from "vitest";
    const began = performance.now();
    const passed = (globalThis.passed ??= new Set());
    globalThis.comeBy = (index) => passed.add(index);
    let isRight = true;
    afterEach(({ task }) => { isRight &&= task.result?.state !== "fail"; });
    afterAll(() => {
      const [path, ms] = [expect.getState().testPath, performance.now() - began];
      appendFileSync(${JSON.stringify(record)}, JSON.stringify({ path, ms, isRight, passed: [...passed] }) + "\\n");
      passed.clear();
    });`;
}

/** Returns how the tests found a mutant, or `null` if it survived. */
async function tryMutant(mutant: Mutant, files: readonly string[]): Promise<string | null> {
  const place = join(copy, mutant.file);
  writeFileSync(place, plantFault(readFileSync(mutant.file, "utf8"), mutant));
  try {
    for (let [from, to] = [0, QUICKEST]; from < files.length; [from, to] = [to, 3 * to]) {
      const { code, output } = await runTests(files.slice(from, to), 900_000);
      if (code === null) return "found: the tests come to no end";
      if (code !== 0) return `found: ${/^ FAIL .*/m.exec(output)?.[0] ?? "an error outside of the tests"}`;
    }
    const types = await runProgram("node", ["node_modules/typescript-7/bin/tsc"]);
    return types.code === 0 ? null : "found: the types do not fit";
  } finally {
    cpSync(join(root, mutant.file), place);
  }
}

function runTests(files: readonly string[], timeout: number) {
  // The tests of the project only read its texts.
  const options = ["--maxWorkers=1", "--exclude=test/project/**", "--no-color", "--bail"];
  const bail = files.length > 0 ? "1" : "0";
  return runProgram("npx", ["vitest", "run", ...options, bail, ...files], copy, timeout);
}

/** Runs a program. The code is `null` if it was stopped before its end. */
async function runProgram(command: string, args: readonly string[], cwd = copy, timeout = 600_000) {
  // In a process group of its own, so that its workers end with it.
  const child = spawn(command, args, { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  running = child.pid;
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  const timer = setTimeout(stopRunning, timeout);
  const [code]: (number | null)[] = await once(child, "close");
  clearTimeout(timer);
  running = undefined;
  return { code, output };
}

function stopRunning(): void {
  if (running !== undefined) process.kill(-running, "SIGKILL");
}
