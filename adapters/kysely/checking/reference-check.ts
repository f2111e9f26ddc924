import { sql } from "kysely";
import type { Step } from "../../../src/concurrency/step.js";
import { first, type ReadSession } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { Found } from "./finding.js";

/** Rows and what they refer to: which column of theirs is which column there. */
const references = [
  { of: "user_tag_assignments", column: "user_ordinal", to: "users", key: "ordinal" },
  { of: "user_tag_assignments", column: "tag_ordinal", to: "user_tags", key: "ordinal" },
  { of: "segment_chunks", column: "set_id", to: "segment_sets", key: "set_id" },
  { of: "wallet_passes", column: "user_ordinal", to: "users", key: "ordinal" },
  { of: "wallet_passes", column: "template_id", to: "templates", key: "id" },
  { of: "stamp_entries", column: "pass_id", to: "wallet_passes", key: "id" },
  { of: "grant_tokens", column: "grant_id", to: "grants", key: "id" },
  { of: "webhook_deliveries", column: "endpoint_id", to: "webhook_endpoints", key: "id" },
  { of: "webhook_attempts", column: "delivery_id", to: "webhook_deliveries", key: "id" },
  { of: "wallet_devices", column: "pass_id", to: "wallet_cards", key: "pass_id" },
  { of: "wallet_deliveries", column: "pass_id", to: "wallet_cards", key: "pass_id" },
] as const;

/** Whether what rows refer to is there. */
export function referenceCheck({ db }: SqlDialect) {
  return {
    *find(session: ReadSession, organizationId: string): Step<Found> {
      const found: string[] = [];
      for (const { of, column, to, key } of references) {
        const dangling = sql`select 1 from ${sql.table(`loyalty_${of}`)} rows
          where rows.organization_id = ${organizationId} and not exists (
            select 1 from ${sql.table(`loyalty_${to}`)} others
            where others.organization_id = rows.organization_id
            and ${sql.ref(`others.${key}`)} = ${sql.ref(`rows.${column}`)}) limit 1`;
        if ((yield* first(session, dangling.compile(db))) !== null) found.push(`${of}.${column}`);
      }
      return found;
    },
  };
}
