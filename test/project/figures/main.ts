import { parseArgs } from "node:util";
import { findExceeded } from "./bounds.js";
import { countSourceLines } from "./source-lines.js";
import { countTouched } from "./touched.js";
import { measureAssignment, measureStampToWebhook } from "./warm-requests.js";

/*
 * Counts the lines of the sources: `npm run figures`. With `-- --hold` it fails if a bound is exceeded, with `--
 * --list` it names the files that each request runs through, and with `-- --change A..B` it counts what those commits
 * touched instead.
 */
const { values } = parseArgs({
  options: {
    change: { type: "string" },
    hold: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});

if (values.change !== undefined) {
  const { files, added, removed } = countTouched(values.change);
  for (const file of files) console.log(file);
  console.log(`${files.length} files of src and adapters, ${added} lines added, ${removed} removed`);
} else {
  const { files, lines, smallFiles, importLines, comments, commentLines, vagueComments } = countSourceLines();
  const formatShare = (part: number) => `${((100 * part) / lines).toFixed(1)} %`;
  console.log(`src and adapters: ${files} files, ${lines} lines`);
  console.log(`  files of at most 40 lines: ${smallFiles}`);
  console.log(`  lines of imports: ${importLines} (${formatShare(importLines)})`);
  console.log(`  comments: ${comments} on ${commentLines} lines (${formatShare(commentLines)})`);
  console.log(`  comments that begin with What, How, Of, Whether, As, For: ${vagueComments}`);
  const through = { assignment: await measureAssignment(), stampToWebhook: await measureStampToWebhook() };
  for (const [name, { files, functions, folders }] of Object.entries(through)) {
    console.log(`${name}: ${files.length} files, ${functions} functions, ${folders} folders`);
    if (values.list) for (const file of files) console.log(`  ${file}`);
  }
  const over = findExceeded({ filesOfAssignment: through.assignment.files.length });
  for (const each of over) console.log(`over its bound: ${each}`);
  if (values.hold && over.length > 0) process.exitCode = 1;
}
