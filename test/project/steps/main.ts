import { relative } from "node:path";
import { root } from "../imports.js";
import { findForgottenSteps } from "./forgotten.js";
import { compileProgram } from "./program.js";

/*
 * Looks for steps that are neither yielded, returned, given on nor run: such a change is answered and not stored, which types
 * and the linter let pass.
 */
const { program, files } = compileProgram();
const found = findForgottenSteps(program, files);
for (const { file, line, what, why } of found) {
  const [first = ""] = what.split("\n");
  console.error(`${relative(root, file)}:${line}  a step is lost: ${why}\n    ${first}`);
}
if (found.length > 0) process.exitCode = 1;
