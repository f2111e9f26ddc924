import { sql } from "kysely";
import type { Session } from "../../adapters/storage/kysely/session/session.js";
import type { SqlDialect } from "../../adapters/storage/kysely/sql/dialect.js";
import type { Step } from "../../src/base/concurrency/step.js";

/** The index that the next release adds. */
export const NEXT_INDEX = "loyalty_templates_place";

/**
 * Creates a made-up next release: its templates have a place, which a migration adds to this release's
 * tables.
 */
export function createNextRelease(dialect: SqlDialect): SqlDialect {
  return { ...dialect, migrations: [...dialect.migrations, addPlaces] };
}

/**
 * Adds the column and its index. Also changes every user, so that a migration with many users has much to
 * write.
 */
function* addPlaces({ db, columns }: SqlDialect, session: Session): Step<void> {
  const { schema } = db;
  const added = schema.alterTable("loyalty_templates").addColumn("place", columns.integer);
  const index = schema.createIndex(NEXT_INDEX).on("loyalty_templates").columns(["organization_id", "place"]);
  yield* session.change(added.compile());
  yield* session.change(sql`update loyalty_users set metadata = replace(metadata, 'x', 'y')`.compile(db));
  yield* session.change(index.compile());
}
