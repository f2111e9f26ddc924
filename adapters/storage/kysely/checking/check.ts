import { verifyTrail } from "../../../../src/access/audit-trail.js";
import { runStep, type Step } from "../../../../src/base/concurrency/step.js";
import { repairMembers, wrongMembers } from "../../../../src/segments/stored-members.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";
import type { SqlAccess } from "../copying/copy.js";
import type { ReadSession, Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { copyCheck } from "./copy-check.js";
import { counterCheck } from "./counter-check.js";
import type { FindingKind, IntegrityFinding, RowProblem } from "./finding.js";
import { foldCheck } from "./fold-check.js";
import { ledgerCheck } from "./ledger-check.js";
import { messageCheck } from "./message-check.js";
import { referenceCheck } from "./reference-check.js";
import { savedSegmentCheck } from "./saved-segment-check.js";
import { searchCheck } from "./search-check.js";
import { statisticsCheck } from "./statistics-check.js";

interface Check {
  find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]>;
  /** Rebuilds the derived data. Absent if the data can't be rebuilt. */
  repair?(session: Session, organizationId: string): Step<void>;
}

/**
 * Checks that each event is stored where its position says it belongs, and moves misplaced events if requested. Call this before
 * {@link checkOrganization}, because a misplaced event can be among another organization's events.
 * @param organizationId the ID of the organization to check, or `null` to check all organizations.
 * @returns the events that were misplaced or had a wrong position.
 */
export async function checkEventPlaces(
  { dialect, database }: SqlAccess,
  organizationId: string | null,
  isRepairing: boolean,
): Promise<IntegrityFinding[]> {
  const { check } = dialect.eventPlaces;
  if (check === null) return [];
  const look = async () => {
    const events = await database.snapshot((session) => session.all(check.findMisplaced));
    return events.filter((event) => organizationId === null || event.organizationId === organizationId);
  };
  const found = await look();
  if (found.length > 0 && isRepairing) {
    const repairing = function* (session: Session) {
      yield* session.change(check.reposition(organizationId));
      yield* session.change(check.relocate(organizationId));
    };
    await database.transaction(repairing, { isLarge: true });
  }
  const left = new Set((found.length === 0 ? found : await look()).map(({ id }) => id));
  return found.map((event) => ({
    organizationId: event.organizationId,
    kind: "copies",
    about: `events.place of ${event.id}`,
    isRepaired: isRepairing && !left.has(event.id),
  }));
}

/**
 * Runs all checks on one organization, and repairs its data if requested. The order of the checks matters, because each check
 * relies on data that earlier checks have verified and repaired. Counters come before the rows that they number, ledgers before
 * statistics, and tag sets before segment members.
 */
export async function checkOrganization(
  { dialect, database }: SqlAccess,
  storage: StorageAdapter,
  organizationId: string,
  isRepairing: boolean,
): Promise<IntegrityFinding[]> {
  const checks: Readonly<Record<Exclude<FindingKind, "segments" | "audit">, Check>> = {
    copies: copyCheck(dialect),
    counters: counterCheck(dialect),
    references: referenceCheck(dialect),
    folds: foldCheck(dialect),
    ledger: ledgerCheck(dialect),
    messages: messageCheck(dialect),
    statistics: statisticsCheck(dialect),
    search: searchCheck(dialect),
    savedSegments: savedSegmentCheck(dialect),
  };
  const findings: IntegrityFinding[] = [];
  const note = (kind: FindingKind, found: readonly RowProblem[], left: readonly RowProblem[]) => {
    const wrong = new Set(left.map(aboutOf));
    // A repair may reveal further problems.
    const all = new Map([...left, ...found].map((one) => [aboutOf(one), one]));
    for (const one of all.values()) {
      const about = aboutOf(one);
      const isRepaired = isRepairing && !wrong.has(about);
      findings.push({
        organizationId,
        kind,
        about,
        isRepaired,
        ...(typeof one === "object" && { reason: one.reason }),
      });
    }
  };
  for (const [kind, check] of Object.entries(checks) as [keyof typeof checks, Check][]) {
    const { repair } = check;
    const look = () => database.snapshot((session) => check.find(session, organizationId));
    const found = await look();
    if (found.length === 0) continue;
    if (!isRepairing || repair === undefined) note(kind, found, found);
    else {
      const repairing = function* (session: Session) {
        yield* lock(dialect, session, organizationId);
        yield* repair(session, organizationId);
        yield* session.change(changedWithoutEvent(dialect, organizationId));
      };
      await database.transaction(repairing, { isLarge: true, organizationId });
      note(kind, found, await look());
    }
  }
  const { brokenAt } = await storage.snapshot((reader) => verifyTrail(reader, organizationId));
  if (brokenAt !== null) note("audit", [`entry ${brokenAt}`], [`entry ${brokenAt}`]);
  const segments = async () => {
    const { wrong } = await runStep(storage.verifyTagSets(organizationId));
    return wrong.map((slug) => slug ?? "all users");
  };
  const found = await segments();
  if (found.length > 0 && isRepairing) {
    await storage.transaction((tx) => tx.rebuildTagSets(organizationId), { isLarge: true, organizationId });
  }
  if (found.length > 0) note("segments", found, await segments());
  const members = async () => {
    const wrong = await storage.snapshot((reader) => wrongMembers(reader, organizationId));
    return wrong.map(({ segment: { slug } }) => `members of ${slug}`);
  };
  const wrong = await members();
  // Don't recount members from stamp cards or tags that are still wrong.
  const areProven = findings.every(({ kind, isRepaired }) => isRepaired || !feedsSegments.has(kind));
  if (wrong.length > 0 && isRepairing && areProven) {
    await storage.transaction((tx) => repairMembers(tx, organizationId), { isLarge: true, organizationId });
  }
  if (wrong.length > 0) note("savedSegments", wrong, await members());
  return findings;
}

/** Kinds of checks on data that segment members are derived from. */
const feedsSegments: ReadonlySet<FindingKind> = new Set(["references", "ledger", "segments"]);

/** Locks the organization if transactions run in parallel, because a rebuild would overwrite concurrent changes. */
function* lock({ db, locksOrganizations }: SqlDialect, session: Session, organizationId: string): Step<void> {
  if (!locksOrganizations) return;
  const row = db.selectFrom("loyalty_organizations").select("organization_id");
  yield* session.all(row.where("organization_id", "=", organizationId).forUpdate().compile());
}

/** Makes caches reload customers, because they may have read data from before the repair. */
function changedWithoutEvent({ db }: SqlDialect, organizationId: string) {
  const row = db.updateTable("loyalty_organizations").where("organization_id", "=", organizationId);
  return row.set(({ eb }) => ({ changes_without_event: eb("changes_without_event", "+", 1) })).compile();
}

function aboutOf(one: RowProblem): string {
  return typeof one === "string" ? one : one.about;
}
