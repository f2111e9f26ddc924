import { run } from "../../adapters/cli/run.js";
import type { Ended } from "./command.js";

/** A command line in this process: what it refuses at once needs none of its own. */
export async function ran(args: readonly string[]): Promise<Ended> {
  const written = { stdout: "", stderr: "" };
  const code = await run(args, {
    result: (line) => {
      written.stdout += `${line}\n`;
    },
    note: (line) => {
      written.stderr += `${line}\n`;
    },
  });
  return { code, ...written };
}
