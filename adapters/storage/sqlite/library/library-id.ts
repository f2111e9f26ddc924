import { randomInt } from "node:crypto";
import type { SqliteConnection } from "../connection/connection.js";

/** A limit in bytes that no process reaches, so that this limit and higher ones have no effect. */
const NO_LIMIT = 2 ** 52;

/**
 * Returns a number that identifies the connection's SQLite library within this process. The number is the library's soft heap limit
 * (`pragma soft_heap_limit`), which all of a library's connections share. If no limit is set, sets a random one that is too high to
 * have any effect.
 * @returns the number, or `null` if the host has set a limit. The host's limit is left unchanged.
 */
export function readLibraryId(connection: SqliteConnection): number | null {
  const limit = Number(connection.pragma("soft_heap_limit"));
  if (limit >= NO_LIMIT) return limit;
  if (limit > 0) return null;
  connection.pragma(`soft_heap_limit = ${NO_LIMIT + randomInt(2 ** 47)}`);
  return Number(connection.pragma("soft_heap_limit"));
}
