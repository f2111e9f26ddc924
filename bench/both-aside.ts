import assert from "node:assert/strict";
import { join } from "node:path";
import { type ProcessResult, runInProcess } from "./aside.js";
import type { Settings } from "./bench.js";
import { createFileToImport } from "./new-customers.js";
import { copyFile, createOurFile } from "./our-file.js";
import { createEmptyPlainFile, createPlainFile } from "./plain-file.js";
import type { TaskName } from "./tasks.js";

/** The tasks that have a naive counterpart. */
export type PairedTaskName = TaskName extends infer Name
  ? Name extends `${infer Task}, naively`
    ? Task
    : never
  : never;

/** Runs a task and its naive counterpart, each on its own file and in its own process. @throws if their results differ. */
export async function runBothInProcesses(
  task: PairedTaskName,
  settings: Settings,
): Promise<{ readonly ours: ProcessResult; readonly naive: ProcessResult }> {
  const { sharedFolder, folder, users } = settings;
  const isImport = task === "import";
  const ourCopy = isImport
    ? await createFileToImport(join(folder, "to-import.db"), users)
    : copyFile(await createOurFile(sharedFolder, users), folder, "ours");
  const plainCopy = isImport
    ? createEmptyPlainFile(join(folder, "plain-to-import.db"))
    : copyFile(createPlainFile(sharedFolder, users), folder, "plain");
  const ours = await runInProcess(task, ourCopy, settings);
  const naive = await runInProcess(`${task}, naively`, plainCopy, settings);
  assert.equal(ours.result, naive.result, `${task} answers the same`);
  return { ours, naive };
}
