#!/usr/bin/env node
import { run } from "./run.js";

for (const stream of [process.stdout, process.stderr]) {
  // A reader that went away, as `| head` does, is no fault.
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
}

process.exitCode = await run(process.argv.slice(2), {
  result: (line) => process.stdout.write(`${line}\n`),
  note: (line) => process.stderr.write(`${line}\n`),
});
