import { parseArgs } from "node:util";
import { broken } from "./bounds.js";
import { linesOfSources } from "./source-lines.js";
import { touchedBy } from "./touched.js";
import { assignment, stampToWebhook } from "./warm-requests.js";

/*
 * Counts the sources: `npm run figures`. With `-- --hold` it fails when a bound is broken, with `-- --list` it names the
 * files that each request runs through, and with `-- --change A..B` it counts what those commits touched instead.
 */
const { values } = parseArgs({
  options: {
    change: { type: "string" },
    hold: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});

if (values.change !== undefined) {
  const { files, added, removed } = touchedBy(values.change);
  for (const file of files) console.log(file);
  console.log(`${files.length} files of src and adapters, ${added} lines added, ${removed} removed`);
} else {
  const { files, lines, smallFiles, importLines, comments, commentLines, vagueComments } = linesOfSources();
  const share = (part: number) => `${((100 * part) / lines).toFixed(1)} %`;
  console.log(`src and adapters: ${files} files, ${lines} lines`);
  console.log(`  files of at most 40 lines: ${smallFiles}`);
  console.log(`  lines of imports: ${importLines} (${share(importLines)})`);
  console.log(`  comments: ${comments} on ${commentLines} lines (${share(commentLines)})`);
  console.log(`  comments that begin with What, How, Of, Whether, As, For: ${vagueComments}`);
  const through = { assignment: await assignment(), stampToWebhook: await stampToWebhook() };
  for (const [name, { files, functions, folders }] of Object.entries(through)) {
    console.log(`${name}: ${files.length} files, ${functions} functions, ${folders} folders`);
    if (values.list) for (const file of files) console.log(`  ${file}`);
  }
  const over = broken({ filesOfAssignment: through.assignment.files.length });
  for (const each of over) console.log(`over its bound: ${each}`);
  if (values.hold && over.length > 0) process.exitCode = 1;
}
