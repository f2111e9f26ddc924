import { wait } from "../../src/concurrency/step.js";
import type { HostedDialect } from "../kysely/session/host-executor.js";
import { translated } from "./errors.js";

/**
 * The names of what queries give as bigint. A host's driver gives those as texts, unless it is told otherwise, and no
 * longer tells which values were some.
 */
const integers: ReadonlySet<string> = new Set([
  ...["ordinal", "userOrdinal", "user_ordinal", "tag_ordinal", "setId", "chunk", "version", "setVersion"],
  ...["createdAt", "updatedAt", "created_at", "updated_at", "lastUsedAt", "expiresAt", "last_stamp_at"],
  ...["usedAt", "grantCreatedAt"],
  ...["nextUserOrdinal", "newestUserCreatedAt", "nextTagOrdinal", "newestEventPosition", "position", "total"],
  ...["maxStamps", "max_stamps", "current_stamps", "times_completed", "rewards_available", "stamps"],
  ...["total_stamps_collected", "entries", "is_preview_pass", "sequence", "delta", "stampsBefore"],
  ...["stampsAfter", "completions"],
  ...["previousSecretExpiresAt", "disabledAt", "failingSince", "attempts", "nextAttemptAt"],
  ...["newestEventMinute", "lastPosition", "slowSince", "pending", "count", "dueAt", "due_at"],
  ...["number", "startedAt", "duration", "httpStatus"],
  ...["day", "members", "cards", "rewardsEarned", "rewardsRedeemed"],
  ...["installsApple", "installsGoogle", "installsOther"],
  ...["revision", "changedAt", "atGoogleSince", "revokedAt", "toldRevision", "width", "height"],
]);

/** The open transaction of a host, on any driver of Postgres that Kysely has. */
export const hosted: HostedDialect = {
  // A change begins with the lock of its organization.
  *beforeChange() {},
  *isOpen(host) {
    try {
      // Outside of a transaction there are none.
      yield* wait(host.query("savepoint loyalty_look", []));
      yield* wait(host.query("release savepoint loyalty_look", []));
      return true;
    } catch {
      return false;
    }
  },
  rowOf: (row) =>
    Object.fromEntries(
      Object.entries(row ?? {}).map(([name, value]) => [name, integers.has(name) ? integerOf(value) : value]),
    ),
  translated,
};

function integerOf(value: unknown): unknown {
  return typeof value === "string" || typeof value === "bigint" ? Number(value) : value;
}
