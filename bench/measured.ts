import { readFile, writeFile } from "node:fs/promises";
import { cpus } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { formatWhole, type Table } from "./report.js";

const page = join(import.meta.dirname, "../docs/contributing/performance.md");
const heading = "\n## Measured\n";

/**
 * Replaces the page's tables with a run's tables.
 * @param durationMs in milliseconds.
 * @param failedBenches the benchmarks without tables.
 */
export async function publishTables(
  tables: readonly Table[],
  users: number,
  durationMs: number,
  failedBenches: readonly string[],
): Promise<void> {
  const text = await readFile(page, "utf8");
  const [beforeHeading = text] = text.split(heading);
  const missing =
    failedBenches.length === 0 ? "" : `\nThese failed and have no tables: ${failedBenches.join(", ")}.\n`;
  await writeFile(
    page,
    `${beforeHeading}${heading}\n${describeConditions(users, durationMs)}${missing}\n${tables.map(formatMarkdown).join("\n")}`,
  );
}

function describeConditions(users: number, durationMs: number): string {
  const processors = cpus();
  const machine = `${processors.length} processors (${processors[0]?.model ?? "unknown"})`;
  const db = new Database(":memory:");
  const sqlite = db.prepare("select sqlite_version()").pluck().get();
  db.close();
  const day = new Date().toISOString().slice(0, 10);
  return `One run of ${Math.round(durationMs / 60_000)} minutes on ${day}: ${formatWhole(users)} users, ${machine}, Node ${process.versions.node}, SQLite ${sqlite}.\n`;
}

function formatMarkdown({ title, lines }: Table): string {
  const names = [...new Set(Object.values(lines).flatMap((line) => Object.keys(line)))];
  const rows = Object.entries(lines).map(([label, line]) => [
    label,
    ...names.map((name) => line[name] ?? ""),
  ]);
  const all = [["", ...names], ["", ...names].map(() => "---"), ...rows];
  return `### ${title}\n\n${all.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}
