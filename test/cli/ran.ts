import { run } from "../../adapters/apps/cli/run.js";
import type { CommandResult } from "./command.js";

// What the developer has set for real servers is no part of these tests.
for (const name of Object.keys(process.env))
  if (/^LOYALTY_(?!TEST_|PROPERTY_)/.test(name)) delete process.env[name];

/** A command line in this process, which is sooner than a process of its own: for what is not about that. */
export async function runCommand(args: readonly string[]): Promise<CommandResult> {
  const output = { stdout: "", stderr: "" };
  const code = await run(args, {
    result: (line) => {
      output.stdout += `${line}\n`;
    },
    note: (line) => {
      output.stderr += `${line}\n`;
    },
  });
  return { code, ...output };
}
