import {
  type AutomationReads,
  type AutomationWrites,
  automationJobs,
} from "../../../../src/storage/automations.js";
import type { PortModule } from "../change/commit-buffer.js";
import { prepareSetDueTime } from "../jobs/jobs.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { isDueRun } from "../sql/index-conditions.js";
import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<
  AutomationReads,
  | "findAutomation"
  | "listAutomations"
  | "automationVersion"
  | "countPastAutomations"
  | "findAutomationCompletion"
>;
type Writes = Pick<
  AutomationWrites,
  | "insertAutomation"
  | "updateAutomation"
  | "deleteAutomation"
  | "insertPastAutomation"
  | "removePastAutomations"
  | "putAutomationCompletion"
>;

interface AutomationKey {
  organizationId: string;
  automationId: string;
}

/** The columns that make up an automation's content. */
const CONTENT_COLUMNS = ["if", "after", "do", "per", "creator_id as creatorId"] as const;

export function automationModule(dialect: SqlDialect): PortModule<Reads, Writes> {
  const { db } = dialect;
  const rows = createRowStatements(dialect, tables.automations);
  const versions = createRowStatements(dialect, tables.automationVersions);
  const completions = createRowStatements(dialect, tables.automationCompletions);
  const setDueTime = prepareSetDueTime(dialect, automationJobs);

  const findVersion = prepare((slot: Slot<AutomationKey & { version: number }>) =>
    db
      .selectFrom("loyalty_automations")
      .select(CONTENT_COLUMNS)
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("automationId"))
      .where("version", "=", slot("version"))
      .unionAll(
        db
          .selectFrom("loyalty_automation_versions")
          .select(CONTENT_COLUMNS)
          .where("organization_id", "=", slot("organizationId"))
          .where("automation_id", "=", slot("automationId"))
          .where("version", "=", slot("version")),
      ),
  );

  const countPastVersions = prepare((slot: Slot<AutomationKey>) =>
    db
      .selectFrom("loyalty_automation_versions")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("organization_id", "=", slot("organizationId"))
      .where("automation_id", "=", slot("automationId")),
  );

  const removePastVersions = prepare((slot: Slot<AutomationKey & { before: number }>) =>
    db
      .deleteFrom("loyalty_automation_versions")
      .where("organization_id", "=", slot("organizationId"))
      .where("automation_id", "=", slot("automationId"))
      .where("ended_at", "<", slot("before"))
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom("loyalty_automation_runs as run")
              .select("run.id")
              .whereRef("run.organization_id", "=", "loyalty_automation_versions.organization_id")
              .whereRef("run.automation_id", "=", "loyalty_automation_versions.automation_id")
              .whereRef("run.version", "=", "loyalty_automation_versions.version")
              .where(({ ref }) => isDueRun(ref("run.next_attempt_at"))),
          ),
        ),
      ),
  );

  return {
    reads: {
      findAutomation: ({ session, organizationId }, id) => rows.find(session, organizationId, { id }),
      listAutomations: ({ session, organizationId }) => rows.list(session, organizationId),
      automationVersion: ({ session, organizationId }, automationId, versionNumber) =>
        findFirst(session, findVersion({ organizationId, automationId, version: versionNumber })),
      *countPastAutomations({ session, organizationId }, automationId) {
        return Number(
          (yield* findFirst(session, countPastVersions({ organizationId, automationId })))?.total ?? 0,
        );
      },
      findAutomationCompletion: ({ session, organizationId }, automationId, userId) =>
        completions.find(session, organizationId, { automationId, userId }),
    },
    writes: {
      *insertAutomation({ session, buffer, organizationId }, automation) {
        yield* session.change(rows.insert(organizationId, automation));
        yield* buffer.updateCounters(organizationId, {});
      },
      updateAutomation: ({ session, organizationId }, automation) =>
        changeRow(session, rows.update(organizationId, automation)),
      *deleteAutomation({ session, organizationId }, id) {
        if (!(yield* changeRow(session, rows.remove(organizationId, { id })))) return false;
        yield* session.change(setDueTime({ organizationId }));
        return true;
      },
      *insertPastAutomation({ session, organizationId }, past) {
        yield* session.change(versions.insert(organizationId, past));
      },
      *removePastAutomations({ session, organizationId }, automationId, before) {
        yield* session.change(removePastVersions({ organizationId, automationId, before }));
      },
      *putAutomationCompletion({ session, organizationId }, completion) {
        yield* session.change(completions.put(organizationId, completion));
      },
    },
  };
}
