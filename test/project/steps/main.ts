import { relative } from "node:path";
import { root } from "../imports.js";
import { findForgottenSteps } from "./lost-steps.js";
import { compileProgram } from "./program.js";

/*
 * Finds steps that are neither yielded, returned, passed on nor run. Such a change is answered but not stored, and
 * neither types nor the linter report it.
 */
const { program, files } = compileProgram();
const found = findForgottenSteps(program, files);
for (const { file, line, what, why } of found) {
  const [first = ""] = what.split("\n");
  console.error(`${relative(root, file)}:${line}  a step is lost: ${why}\n    ${first}`);
}
if (found.length > 0) process.exitCode = 1;
