import type { AutomationReads, AutomationWrites } from "../../../../src/storage/automations.js";
import type { PortModule } from "../change/commit-buffer.js";
import { withRules } from "../session/call-rules.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { isAttemptedRun, isDueRun, isWaitingRun } from "../sql/index-conditions.js";
import { prepareLimitedDelete } from "../sql/limited-delete.js";
import { prepareNewestFirst } from "../sql/newest-first.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<
  AutomationReads,
  | "findAutomationRun"
  | "listAutomationRuns"
  | "dueAutomationRuns"
  | "nextAutomationRunAt"
  | "countAutomationRuns"
>;
type Writes = Pick<
  AutomationWrites,
  "insertAutomationRuns" | "updateAutomationRuns" | "skipWaitingRuns" | "removeAutomationRuns"
>;

interface AutomationKey {
  organizationId: string;
  automationId: string;
}

export function automationRunModule(dialect: SqlDialect): PortModule<Reads, Writes> {
  const { db } = dialect;
  const rows = createRowStatements(dialect, tables.automationRuns);
  const insertRun = rows.prepareInsertUnless("automationId", "userId", "occasion");

  const listByAutomation = prepareNewestFirst(dialect, tables.automationRuns, { owner: "automation_id" });
  const listByUser = prepareNewestFirst(dialect, tables.automationRuns, { owner: "user_id" });

  const selectScheduledRuns = (slot: Slot<AutomationKey>) =>
    db
      .selectFrom("loyalty_automation_runs")
      .where("organization_id", "=", slot("organizationId"))
      .where("automation_id", "=", slot("automationId"))
      .where(({ ref }) => isDueRun(ref("next_attempt_at")));
  const findDueRuns = prepare((slot: Slot<AutomationKey & { now: number; limit: number }>) =>
    selectScheduledRuns(slot)
      .select(rows.columns)
      .where("next_attempt_at", "<=", slot("now"))
      .orderBy("next_attempt_at")
      .orderBy("id")
      .limit(slot("limit")),
  );
  const findNextAttempt = prepare((slot: Slot<AutomationKey>) =>
    selectScheduledRuns(slot).select(({ fn }) => fn.min("next_attempt_at").as("at")),
  );

  const countTriedRuns = prepare((slot: Slot<{ organizationId: string; userId: string; since: number }>) =>
    db
      .selectFrom("loyalty_automation_runs")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("organization_id", "=", slot("organizationId"))
      .where("user_id", "=", slot("userId"))
      .where("updated_at", ">", slot("since"))
      .where(({ ref }) => isAttemptedRun(ref("status"))),
  );

  const skipRuns = prepare((slot: Slot<AutomationKey & { reason: string; updatedAt: number }>) =>
    db
      .updateTable("loyalty_automation_runs")
      .set({
        status: "SKIPPED",
        reason: slot("reason"),
        next_attempt_at: null,
        updated_at: slot("updatedAt"),
      })
      .where("organization_id", "=", slot("organizationId"))
      .where("automation_id", "=", slot("automationId"))
      .where(({ ref }) => isWaitingRun(ref("status"))),
  );

  const removeOld = prepareLimitedDelete(
    dialect,
    "loyalty_automation_runs",
    "id",
    (rows, slot: Slot<{ organizationId: string; before: number; limit: number }>) =>
      rows
        .where("created_at", "<", slot("before"))
        .where(({ not, ref }) => not(isDueRun(ref("next_attempt_at"))))
        .orderBy("created_at")
        .orderBy("id")
        .limit(slot("limit")),
  );

  return {
    reads: {
      findAutomationRun: ({ session, organizationId }, id) => rows.find(session, organizationId, { id }),

      listAutomationRuns: withRules({ needsSnapshot: true }, ({ session, organizationId }, filter, query) =>
        "userId" in filter
          ? listByUser(session, { organizationId, owner: filter.userId, ...query })
          : listByAutomation(session, { organizationId, owner: filter.automationId, ...query }),
      ),

      *dueAutomationRuns({ session, organizationId }, automationId, now, limit) {
        const runs = yield* session.all(findDueRuns({ organizationId, automationId, now, limit }));
        return runs.map(rows.toRow);
      },

      *nextAutomationRunAt({ session, organizationId }, automationId) {
        return (yield* findFirst(session, findNextAttempt({ organizationId, automationId })))?.at ?? null;
      },

      *countAutomationRuns({ session, organizationId }, userId, since) {
        return Number(
          (yield* findFirst(session, countTriedRuns({ organizationId, userId, since })))?.total ?? 0,
        );
      },
    },
    writes: {
      *insertAutomationRuns({ session, organizationId }, runs) {
        const addedIds: string[] = [];
        for (const run of runs) {
          if (yield* changeRow(session, insertRun(organizationId, run))) addedIds.push(run.id);
        }
        return addedIds;
      },

      *updateAutomationRuns({ session, organizationId }, runs) {
        yield* session.changeEach(runs.map((run) => rows.update(organizationId, run)));
      },

      skipWaitingRuns: ({ session, organizationId }, automationId, reason, updatedAt) =>
        session.change(skipRuns({ organizationId, automationId, reason, updatedAt })),

      removeAutomationRuns: ({ session, organizationId }, before, limit) =>
        session.change(removeOld({ organizationId, before, limit })),
    },
  };
}
