import type { AppLookUps, AppReads, AppWrites } from "../../../../src/storage/apps.js";
import type { LookUpModule } from "../change/commit-buffer.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<AppReads, "listApps">;
type LookUps = Pick<AppLookUps, "findApp">;
type Writes = Pick<AppWrites, "insertApp" | "updateApp" | "deleteApp">;

export function appModule(dialect: SqlDialect): LookUpModule<Reads, Writes, LookUps> {
  const rows = createRowStatements(dialect, tables.apps);

  const findById = prepare((slot: Slot<{ id: string }>) =>
    dialect.db
      .selectFrom("loyalty_apps")
      .select(["organization_id as organizationId", ...rows.columns])
      .where("id", "=", slot("id")),
  );

  return {
    reads: {
      listApps: ({ session, organizationId }) => rows.list(session, organizationId),
    },
    lookUps: {
      *findApp({ session }, id) {
        const row = yield* findFirst(session, findById({ id }));
        if (row === null) return null;
        const { organizationId, ...app } = row;
        return { organizationId, app: rows.toRow(app) };
      },
    },
    writes: {
      *insertApp({ session, buffer, organizationId }, app) {
        yield* session.change(rows.insert(organizationId, app));
        yield* buffer.updateCounters(organizationId, {});
      },
      updateApp: ({ session, organizationId }, app) => changeRow(session, rows.update(organizationId, app)),
      deleteApp: ({ session, organizationId }, id) => changeRow(session, rows.remove(organizationId, { id })),
    },
  };
}
