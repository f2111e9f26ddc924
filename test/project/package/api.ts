import { parseArgs } from "node:util";
import { findApiProblems, writeApiReports } from "./api-kept.js";

/*
 * Compares the public interface of what `npm run build` has built with the one in packaging/api, and ends with exit code 1
 * when it is another; with `--write` it writes it down.
 */
const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
if (values.write) writeApiReports();
else {
  const problems = findApiProblems();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
