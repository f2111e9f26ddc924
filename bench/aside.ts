import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TaskName } from "./tasks.js";

/** What came of a task in a process of its own. */
export interface ProcessResult {
  /** For both sides to be compared. */
  readonly result: string;
  readonly ms: number;
  /** The longest that the event loop did not get to anything else. */
  readonly stallMs: number;
  /** The most memory the process had, above what it had before the task, in bytes. */
  readonly memory: number;
}

/** Runs a task in a process of its own, so that neither its memory nor its stalls are those of others. */
export const runInProcess = (task: TaskName, file: string, users: number): Promise<ProcessResult> =>
  runProgram("aside-process", task, file, users);

/** Runs a program of this folder. @returns what it says at its end, which is JSON. */
export async function runProgram<Said>(name: string, ...args: readonly (string | number)[]): Promise<Said> {
  const program = join(import.meta.dirname, `${name}.ts`);
  const child = spawn(process.execPath, ["--expose-gc", "--import", "tsx", program, ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return JSON.parse(output);
}
