import type { AppReads, AppWrites } from "../../../src/storage/apps.js";
import type { Part } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import { changed, first } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<AppReads, "listApps" | "findApp">;
type Writes = Pick<AppWrites, "insertApp" | "updateApp" | "deleteApp">;

export function apps(dialect: SqlDialect): Part<Reads, Writes> {
  const rows = rowsOf(dialect, tables.apps);

  const byId = prepare((slot: Slot<{ id: string }>) =>
    dialect.db
      .selectFrom("loyalty_apps")
      .select(["organization_id as organizationId", ...rows.columns])
      .where("id", "=", slot("id")),
  );

  return {
    reads: {
      listApps: ({ session }, organizationId) => rows.list(session, organizationId),
      findApp: called({ locks: "none" }, function* ({ session }, id) {
        const row = yield* first(session, byId({ id }));
        if (row === null) return null;
        const { organizationId, ...app } = row;
        return { organizationId, app: rows.rowOf(app) };
      }),
    },
    writes: {
      *insertApp({ session, pending }, organizationId, app) {
        yield* session.change(rows.insert(organizationId, app));
        yield* pending.count(organizationId, {});
      },
      updateApp: ({ session }, organizationId, app) => changed(session, rows.update(organizationId, app)),
      deleteApp: ({ session }, organizationId, id) => changed(session, rows.remove(organizationId, { id })),
    },
  };
}
