import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../imports.js";
import { createApiReports } from "./api-report.js";

const folder = join(root, "packaging/api");
const extension = ".api.md";

/** Compares the public interface of the build with the stored one. */
export function findApiProblems(): readonly string[] {
  const reports = createApiReports();
  const storedNames = readdirSync(folder).map((name) => name.replace(extension, ""));
  return [
    ...storedNames
      .filter((name) => !reports.has(name))
      .map((name) => `packaging/api has ${name}, which is no entry point`),
    ...[...reports].flatMap(([name, report]) => findDifferences(name, report)),
  ];
}

/** Stores the public interface of the build. */
export function writeApiReports(): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
  for (const [name, report] of createApiReports()) writeFileSync(join(folder, name + extension), report);
}

function findDifferences(name: string, report: string): readonly string[] {
  const file = join(folder, name + extension);
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (before === report) return [];
  const [old, now] = [before, report].map((text) => new Set(text.split("\n")));
  const changes = [
    ...[...(old ?? [])].filter((line) => !now?.has(line)).map((line) => `  - ${line.trim()}`),
    ...[...(now ?? [])].filter((line) => !old?.has(line)).map((line) => `  + ${line.trim()}`),
  ];
  return [
    `the public interface of ${name} is another than in packaging/api (\`npm run api -- --write\` writes it down):`,
    ...changes.slice(0, 20),
    ...(changes.length > 20 ? [`  and ${changes.length - 20} more lines`] : []),
  ];
}
