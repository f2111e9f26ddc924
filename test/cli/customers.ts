import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExportedUser } from "loyalty-kit";
import { type CommandResult, createEmptyFolder } from "./command.js";
import { runCommand } from "./run-command.js";

/** A user without the fields that no import can set. */
export type Customer = Omit<ExportedUser, "id" | "object" | "createdAt" | "updatedAt">;

/** Opens the customers of one organization in a database of their own, with commands that run in this process. */
export function openCustomers(
  organization = "acme",
  folder = createEmptyFolder(),
  database = join(folder, "loyalty.db"),
) {
  const databaseArgs = ["--database", database, "--organization", organization];
  let files = 0;
  let migration: Promise<CommandResult> | undefined;
  const newFilePath = () => join(folder, `${organization}-${++files}.csv`);
  return {
    folder,
    databaseArgs,
    newFilePath,
    /** Imports a file with this content. The first call migrates the database before that. */
    async import(content: string | Uint8Array, ...options: string[]): Promise<CommandResult> {
      const file = newFilePath();
      writeFileSync(file, content);
      migration ??= runCommand(["migrate", "--database", database]);
      await migration;
      return runCommand(["import", file, ...databaseArgs, ...options]);
    },
    /** Returns the output of an export. */
    async export(...options: string[]): Promise<string> {
      const file = newFilePath();
      const { code, stderr } = await runCommand(["export", "--output", file, ...databaseArgs, ...options]);
      if (code !== 0) throw new Error(stderr);
      return readFileSync(file, "utf8");
    },
    /** Returns all users, without ids and times. */
    async listAll(): Promise<Customer[]> {
      const lines = (await this.export("--format", "ndjson")).split("\n").filter(Boolean);
      return lines.map((line) => {
        const { id, object, createdAt, updatedAt, ...rest }: ExportedUser = JSON.parse(line);
        return rest;
      });
    },
  };
}

/** Builds a CSV file with this many customers. */
export function buildCustomersCsv(count: number): string {
  const rows = Array.from(
    { length: count },
    (_, at) => `${at}@example.com,c-${at},${at % 2 ? "odd" : "even"}\n`,
  );
  return `email,externalId,tags\n${rows.join("")}`;
}
