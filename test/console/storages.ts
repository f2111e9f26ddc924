import type { StorageAdapter } from "loyalty-kit";
import { newStorage as inPostgres } from "../postgres/open-storage.js";

/** The databases that shops run on. Default of `open`: a SQLite file. */
export const storages: readonly { readonly name: string; readonly open?: () => Promise<StorageAdapter> }[] = [
  { name: "SQLite" },
  { name: "Postgres", open: inPostgres },
];
