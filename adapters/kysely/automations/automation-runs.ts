import type {
  AutomationReads,
  AutomationRunOwner,
  AutomationRunStatus,
  AutomationWrites,
} from "../../../src/storage/automations.js";
import type { Part } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import { changed, first } from "../session/session.js";
import { isDueRun, isTriedRun, isWaitingRun } from "../sql/automation-run-filters.js";
import type { SqlDialect } from "../sql/dialect.js";
import { limitedDelete } from "../sql/limited-delete.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
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

interface OfOwner {
  organizationId: string;
  owner: string;
}

interface OfAutomation {
  organizationId: string;
  automationId: string;
}

export function automationRuns(dialect: SqlDialect): Part<Reads, Writes> {
  const { db } = dialect;
  const rows = rowsOf(dialect, tables.automationRuns);
  const add = rows.insertUnless("automationId", "userId", "occasion");

  const listsBy = (column: "automation_id" | "user_id") => {
    const of = (slot: Slot<OfOwner>) =>
      db
        .selectFrom("loyalty_automation_runs")
        .where("organization_id", "=", slot("organizationId"))
        .where(column, "=", slot("owner"));
    type WithStatus = OfOwner & { status: AutomationRunStatus };
    const withStatus = (slot: Slot<WithStatus>) => of(slot).where("status", "=", slot("status"));
    const page = (query: ReturnType<typeof of>, slot: Slot<{ size: number; offset: number }>) =>
      query
        .select(rows.columns)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .limit(slot("size"))
        .offset(slot("offset"));
    const total = (query: ReturnType<typeof of>) =>
      query.select(({ fn }) => fn.countAll<number>().as("total"));
    type Page = { size: number; offset: number };
    return {
      page: prepare((slot: Slot<OfOwner & Page>) => page(of(slot), slot)),
      total: prepare((slot: Slot<OfOwner>) => total(of(slot))),
      pageWith: prepare((slot: Slot<WithStatus & Page>) => page(withStatus(slot), slot)),
      totalWith: prepare((slot: Slot<WithStatus>) => total(withStatus(slot))),
    };
  };
  const lists = { ofAutomation: listsBy("automation_id"), ofUser: listsBy("user_id") };
  const listsOf = (owner: AutomationRunOwner) =>
    "userId" in owner
      ? { owner: owner.userId, ...lists.ofUser }
      : { owner: owner.automationId, ...lists.ofAutomation };

  const toCome = (slot: Slot<OfAutomation>) =>
    db
      .selectFrom("loyalty_automation_runs")
      .where("organization_id", "=", slot("organizationId"))
      .where("automation_id", "=", slot("automationId"))
      .where(({ ref }) => isDueRun(ref("next_attempt_at")));
  const due = prepare((slot: Slot<OfAutomation & { now: number; limit: number }>) =>
    toCome(slot)
      .select(rows.columns)
      .where("next_attempt_at", "<=", slot("now"))
      .orderBy("next_attempt_at")
      .orderBy("id")
      .limit(slot("limit")),
  );
  const next = prepare((slot: Slot<OfAutomation>) =>
    toCome(slot).select(({ fn }) => fn.min("next_attempt_at").as("at")),
  );

  const tried = prepare((slot: Slot<{ organizationId: string; userId: string; since: number }>) =>
    db
      .selectFrom("loyalty_automation_runs")
      .select(({ fn }) => fn.countAll<number>().as("total"))
      .where("organization_id", "=", slot("organizationId"))
      .where("user_id", "=", slot("userId"))
      .where("updated_at", ">", slot("since"))
      .where(({ ref }) => isTriedRun(ref("status"))),
  );

  const skip = prepare((slot: Slot<OfAutomation & { reason: string; updatedAt: number }>) =>
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

  const removeOld = limitedDelete(
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
      findAutomationRun: ({ session }, organizationId, id) => rows.find(session, organizationId, { id }),

      listAutomationRuns: called(
        { isOneState: true },
        function* ({ session }, organizationId, of, { status, page, size }) {
          const { owner, ...list } = listsOf(of);
          const key = { organizationId, owner };
          const place = { ...key, size, offset: page * size };
          const found = yield* session.all(
            status === null ? list.page(place) : list.pageWith({ ...place, status }),
          );
          const counted = yield* first(
            session,
            status === null ? list.total(key) : list.totalWith({ ...key, status }),
          );
          return { items: found.map(rows.rowOf), total: Number(counted?.total ?? 0) };
        },
      ),

      *dueAutomationRuns({ session }, organizationId, automationId, now, limit) {
        const found = yield* session.all(due({ organizationId, automationId, now, limit }));
        return found.map(rows.rowOf);
      },

      *nextAutomationRunAt({ session }, organizationId, automationId) {
        return (yield* first(session, next({ organizationId, automationId })))?.at ?? null;
      },

      *countAutomationRuns({ session }, organizationId, userId, since) {
        return Number((yield* first(session, tried({ organizationId, userId, since })))?.total ?? 0);
      },
    },
    writes: {
      *insertAutomationRuns({ session }, organizationId, runs) {
        const added: string[] = [];
        for (const each of runs) {
          if (yield* changed(session, add(organizationId, each))) added.push(each.id);
        }
        return added;
      },

      *updateAutomationRuns({ session }, organizationId, runs) {
        yield* session.changeEach(runs.map((each) => rows.update(organizationId, each)));
      },

      skipWaitingRuns: ({ session }, organizationId, automationId, reason, updatedAt) =>
        session.change(skip({ organizationId, automationId, reason, updatedAt })),

      removeAutomationRuns: ({ session }, organizationId, before, limit) =>
        session.change(removeOld({ organizationId, before, limit })),
    },
  };
}
