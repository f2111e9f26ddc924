import type { Step } from "../../../src/base/concurrency/step.js";
import type { SqlAccess } from "./copying/copy.js";
import type { Session } from "./session/session.js";

/** A server process that uses the database. */
export interface RegisteredServer {
  readonly id: string;
  /** A fingerprint of the process's key. Fingerprints make it possible to compare keys without revealing them. */
  readonly keyPrint: string;
  /** When the process last registered itself, in milliseconds since the Unix epoch. */
  readonly seenAt: number;
}

/** Maximum number of records returned. */
const MAX_SERVERS = 100;

/**
 * Records that a server process uses the database, replacing the process's earlier record.
 * @param since a time in milliseconds since the Unix epoch. Other processes' records that were last updated before this time are
 *   deleted.
 * @returns the remaining records as they were before this call, including the process's own earlier record. At most 100 records are
 *   returned, most recently seen first.
 */
export function registerServer(
  { dialect: { db }, database }: SqlAccess,
  { id, keyPrint, seenAt }: RegisteredServer,
  since: number,
): Promise<RegisteredServer[]> {
  return database.transaction(function* (session: Session): Step<RegisteredServer[]> {
    const query = db
      .selectFrom("loyalty_servers")
      .select(["id", "key_print as keyPrint", "seen_at as seenAt"])
      .where("seen_at", ">=", since)
      .orderBy("seen_at", "desc")
      .limit(MAX_SERVERS);
    const servers = yield* session.all(query.compile());
    const deleteOutdated = db
      .deleteFrom("loyalty_servers")
      .where("seen_at", "<", since)
      .where("id", "<>", id);
    yield* session.change(deleteOutdated.compile());
    const values = { key_print: keyPrint, seen_at: seenAt };
    const upsert = db
      .insertInto("loyalty_servers")
      .values({ id, ...values })
      .onConflict((conflict) => conflict.column("id").doUpdateSet(values));
    yield* session.change(upsert.compile());
    return servers;
  });
}

/** Deletes a process's record. Call this when the process shuts down. */
export async function unregisterServer({ dialect: { db }, database }: SqlAccess, id: string): Promise<void> {
  const deletion = db.deleteFrom("loyalty_servers").where("id", "=", id).compile();
  await database.transaction((session) => session.change(deletion));
}
