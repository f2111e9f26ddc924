#!/usr/bin/env node
import { run } from "./run.js";

for (const stream of [process.stdout, process.stderr]) {
  // A reader that went away, as `| head` does, is no fault.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

/** A command that failed may take so long to end by itself. */
const END_MS = 3_000;

process.exitCode = await run(process.argv.slice(2), {
  result: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
});

// Whatever it has left behind must not keep it from ending.
if (process.exitCode !== 0) setTimeout(() => process.exit(), END_MS).unref();
