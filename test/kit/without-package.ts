import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Returns the start of a program, for which a package can't be found. */
export function hidePackage(name: string): string {
  return `
  import nodeModule, { register } from "node:module";
  const hooks = \`export const resolve = (specifier, context, next) => {
    if (specifier.startsWith("${name}"))
      throw Object.assign(new Error("Cannot find package '" + specifier + "'"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(specifier, context);
  };\`;
  register("data:text/javascript," + encodeURIComponent(hooks));
  const resolved = nodeModule._resolveFilename;
  nodeModule._resolveFilename = (specifier, ...others) => {
    if (specifier.startsWith("${name}"))
      throw Object.assign(new Error("Cannot find module '" + specifier + "'"), { code: "MODULE_NOT_FOUND" });
    return resolved(specifier, ...others);
  };`;
}

/** Runs a program in the checkout, and reads the JSON that it prints. */
export async function runProgram(program: string): Promise<unknown> {
  const { stdout } = await run(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", program],
    { cwd: join(import.meta.dirname, "../..") },
  );
  return JSON.parse(stdout);
}
