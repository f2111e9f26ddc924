#!/usr/bin/env node
import { run } from "./run.js";
import { FAILURE_CODE } from "./terminal/command-error.js";

let hasFailed = false;

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // A reader that went away, as `| head` does, is no fault.
  if (error.code === "EPIPE" || hasFailed) return;
  hasFailed = true;
  process.exitCode = FAILURE_CODE;
  process.stderr.write(`loyalty-kit: can't write to standard output: ${error.message}\n`);
});

// Nothing is left that could say so.
process.stderr.on("error", () => {});

/** How long a failed command may take to end by itself. */
const END_MS = 3_000;

const code = await run(process.argv.slice(2), {
  result: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
});
if (code !== 0) process.exitCode = code;

// Whatever it has left behind must not keep it from ending.
if (process.exitCode) setTimeout(() => process.exit(), END_MS).unref();
