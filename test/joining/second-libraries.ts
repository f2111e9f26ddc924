import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import nodeModule from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import Libsql from "libsql";
import type { OpenTransaction, SyncTransaction } from "loyalty-kit/joining";
import { addCleanup } from "../kit/cleanup.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

const { resolve } = nodeModule.createRequire(import.meta.url);

/** A connection through another SQLite library than loyalty-kit's. */
export interface SecondConnection extends SyncTransaction {
  exec(sql: string): unknown;
  close(): unknown;
}

export interface SecondLibrary {
  readonly name: string;
  open(file: string): SecondConnection;
}

/** Copies the driver's files, as a package manager does that nests it beside another version. */
export function installNestedCopy(): { readonly Driver: typeof Sqlite; readonly folder: string } {
  return installDriver((from, to) => copyFileSync(from, to));
}

/** Hard-links the driver's files, as a package manager does that links packages from its store. */
export function linkCopy(): { readonly Driver: typeof Sqlite; readonly folder: string } {
  return installDriver(linkSync);
}

function installDriver(put: (from: string, to: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-modules-"));
  addCleanup(() => rmSync(folder, { recursive: true, force: true }));
  const own = dirname(resolve("better-sqlite3/package.json"));
  const nested = join(folder, "node_modules/better-sqlite3");
  const addon = "build/Release/better_sqlite3.node";
  mkdirSync(dirname(join(nested, addon)), { recursive: true });
  for (const name of ["package.json", "lib"])
    cpSync(join(own, name), join(nested, name), { recursive: true });
  put(join(own, addon), join(nested, addon));
  for (const name of ["bindings", "file-uri-to-path"]) {
    symlinkSync(dirname(resolve(`${name}/package.json`)), join(folder, "node_modules", name));
  }
  const load = nodeModule.createRequire(join(folder, "shop.js"));
  const Driver: typeof Sqlite = load("better-sqlite3");
  return { Driver, folder };
}

let nested: ReturnType<typeof installNestedCopy> | undefined;

/** Loads one nested driver for all tests of a process, because a loaded addon is never unloaded. */
export function loadNestedDriver(): ReturnType<typeof installNestedCopy> {
  if (nested === undefined || !existsSync(nested.folder)) nested = installNestedCopy();
  return nested;
}

/** What the statements of these libraries have in common. */
interface PreparedStatement {
  readonly reader?: boolean;
  all(...parameters: unknown[]): unknown[];
  run(...parameters: unknown[]): { readonly changes: number | bigint };
}

function wrapConnection(connection: {
  prepare(sql: string): PreparedStatement;
  exec(sql: string): unknown;
  close(): unknown;
}): SecondConnection {
  return {
    exec: (sql) => connection.exec(sql),
    close: () => connection.close(),
    query(sql, parameters) {
      const statement = connection.prepare(sql);
      if (statement.reader ?? /^\s*(select|with|pragma)|\breturning\b/i.test(sql)) {
        const rows = statement.all(...parameters);
        return { rows, count: rows.length };
      }
      return { rows: [], count: Number(statement.run(...parameters).changes) };
    },
  };
}

/** Returns Node's own SQLite library, in versions that have one. */
function nodeLibraries(): SecondLibrary[] {
  if (!nodeModule.isBuiltin("node:sqlite")) return [];
  const load = nodeModule.createRequire(import.meta.url);
  return [
    {
      name: "node:sqlite",
      open(file) {
        const { DatabaseSync } = load("node:sqlite");
        return wrapConnection(new DatabaseSync(file));
      },
    },
  ];
}

export const secondLibraries: readonly SecondLibrary[] = [
  {
    name: "a nested copy of better-sqlite3",
    open(file) {
      const { Driver } = loadNestedDriver();
      return wrapConnection(new Driver(file));
    },
  },
  {
    name: "libsql",
    open(file) {
      const connection = new Libsql(file);
      connection.pragma("foreign_keys = on");
      return wrapConnection(connection);
    },
  },
  ...nodeLibraries(),
];

/** Creates a host's own asynchronous bridge, as for most libraries. */
export function openTransactionOn({ query }: SecondConnection): OpenTransaction {
  return { query: async (sql, parameters) => query(sql, parameters) };
}

/** Reads what another process would find in the file now, from a copy of it and its write-ahead log. */
export function inspectFile(file: string): { readonly stamps: number; readonly integrity: unknown } {
  const copy = createTemporaryFile();
  for (const end of ["", "-wal"]) if (existsSync(file + end)) copyFileSync(file + end, copy + end);
  const database = new Sqlite(copy);
  const stamps =
    database.prepare<[], number>("select count(*) from loyalty_stamp_entries").pluck().get() ?? 0;
  const integrity = database.pragma("integrity_check", { simple: true });
  database.close();
  return { stamps, integrity };
}
