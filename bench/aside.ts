import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Settings } from "./bench.js";
import type { TaskName } from "./tasks.js";

/** The result of a task in its own process. */
export interface ProcessResult {
  /** For both sides to be compared. */
  readonly result: string;
  readonly ms: number;
  /** The longest time that the event loop was blocked. */
  readonly stallMs: number;
  /** The peak memory of the process above that before the task, in bytes. */
  readonly memory: number;
}

/** Runs a task in its own process, so that its memory and stalls are only its own. */
export const runInProcess = (
  task: TaskName,
  file: string,
  { users, share }: Settings,
): Promise<ProcessResult> => runProgram("aside-process", task, file, users, share);

/** Runs a program of this folder. @returns its output, parsed as JSON. */
export async function runProgram<Said>(name: string, ...args: readonly (string | number)[]): Promise<Said> {
  const program = join(import.meta.dirname, `${name}.ts`);
  const child = spawn(process.execPath, ["--expose-gc", "--import", "tsx", program, ...args.map(String)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
  if (code !== 0) throw new Error(`${name} ended with ${code}`);
  return JSON.parse(output);
}
