#!/usr/bin/env node
import { run } from "./run.js";
import { FAILURE_CODE } from "./terminal/command-error.js";

let hasFailed = false;

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // It isn't an error if the reader closes the pipe early, as `| head` does.
  if (error.code === "EPIPE" || hasFailed) return;
  hasFailed = true;
  process.exitCode = FAILURE_CODE;
  process.stderr.write(`loyalty-kit: can't write to standard output: ${error.message}\n`);
});

// There is nowhere left to report the error.
process.stderr.on("error", () => {});

/** How long a failed command may take to end on its own, in milliseconds. */
const EXIT_TIMEOUT_MS = 3_000;

const exitCode = await run(process.argv.slice(2), {
  result: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
});
if (exitCode !== 0) process.exitCode = exitCode;

// Anything that the failed command has left running must not keep the process alive.
if (process.exitCode) setTimeout(() => process.exit(), EXIT_TIMEOUT_MS).unref();
