import { parseArgs } from "node:util";
import { findApiProblems, writeApiReports } from "./api-reports.js";

/*
 * Compares the public interface that `npm run build` has built with the one in packaging/api, and exits with code 1 if
 * they differ. With `--write` it stores the new one.
 */
const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
if (values.write) writeApiReports();
else {
  const problems = findApiProblems();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
