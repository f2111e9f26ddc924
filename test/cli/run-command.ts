import { run } from "../../adapters/apps/cli/run.js";
import type { CommandResult } from "./command.js";

// The developer's settings for real servers don't apply to these tests.
for (const name of Object.keys(process.env))
  if (/^LOYALTY_(?!TEST_|PROPERTY_)/.test(name)) delete process.env[name];

/** Runs a command in this process, which is faster than a new one. For tests that don't need their own process. */
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
