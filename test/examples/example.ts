import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createEmptyFolder, type RunningProgram, start } from "../cli/command.js";

const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;

export function pathToExample(example: string): string {
  return join(import.meta.dirname, "../../examples", example);
}

/** Runs an example as a host does: on the built package, without this project's path configuration. */
export function startExample(
  example: string,
  environment: Readonly<Record<string, string>> = {},
): RunningProgram {
  return start(["--import", tsx, pathToExample(example)], environment, createEmptyFolder());
}
