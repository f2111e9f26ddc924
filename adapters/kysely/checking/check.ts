import { verificationOf } from "../../../src/access/audit-trail.js";
import { run, type Step } from "../../../src/concurrency/step.js";
import { repairMembers, wrongMembers } from "../../../src/segments/stored-members.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";
import type { SqlPlace } from "../copying/copy.js";
import type { ReadSession, Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { copyCheck } from "./copy-check.js";
import { counterCheck } from "./counter-check.js";
import type { Difference, FindingKind, IntegrityFinding } from "./finding.js";
import { foldCheck } from "./fold-check.js";
import { ledgerCheck } from "./ledger-check.js";
import { messageCheck } from "./message-check.js";
import { referenceCheck } from "./reference-check.js";
import { savedSegmentCheck } from "./saved-segment-check.js";
import { searchCheck } from "./search-check.js";
import { statisticsCheck } from "./statistics-check.js";

interface Check {
  find(session: ReadSession, organizationId: string): Step<readonly Difference[]>;
  /** Makes what follows from the rest anew. */
  repair?(session: Session, organizationId: string): Step<void>;
}

/** The rooms of one organization, in the order in which they are looked through. */
export async function checkOrganization(
  { dialect, database }: SqlPlace,
  storage: StorageAdapter,
  organizationId: string,
  isRepairing: boolean,
): Promise<IntegrityFinding[]> {
  const checks: Readonly<Record<Exclude<FindingKind, "segments" | "audit">, Check>> = {
    references: referenceCheck(dialect),
    folds: foldCheck(dialect),
    counters: counterCheck(dialect),
    copies: copyCheck(dialect),
    ledger: ledgerCheck(dialect),
    messages: messageCheck(dialect),
    statistics: statisticsCheck(dialect),
    search: searchCheck(dialect),
    savedSegments: savedSegmentCheck(dialect),
  };
  const findings: IntegrityFinding[] = [];
  const note = (kind: FindingKind, found: readonly Difference[], left: readonly Difference[]) => {
    const wrong = new Set(left.map(aboutOf));
    for (const one of found) {
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
      };
      await database.transaction(repairing, { isLarge: true, organizationId });
      note(kind, found, await look());
    }
  }
  const { brokenAt } = await storage.snapshot((reader) => verificationOf(reader, organizationId));
  if (brokenAt !== null) note("audit", [`entry ${brokenAt}`], [`entry ${brokenAt}`]);
  const segments = async () => {
    const { wrong } = await run(storage.verifyTagSets(organizationId));
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
  if (wrong.length > 0 && isRepairing) {
    await storage.transaction((tx) => repairMembers(tx, organizationId), { isLarge: true, organizationId });
  }
  if (wrong.length > 0) note("savedSegments", wrong, await members());
  return findings;
}

/** Keeps changes of the organization waiting, where transactions run side by side: what is made anew would undo them. */
function* lock({ db, locksOrganizations }: SqlDialect, session: Session, organizationId: string): Step<void> {
  if (!locksOrganizations) return;
  const row = db.selectFrom("loyalty_organizations").select("organization_id");
  yield* session.all(row.where("organization_id", "=", organizationId).forUpdate().compile());
}

function aboutOf(one: Difference): string {
  return typeof one === "string" ? one : one.about;
}

/** All organizations of a database, in their order. */
export async function organizationsOf({ dialect, database }: SqlPlace): Promise<string[]> {
  const query = dialect.db.selectFrom("loyalty_organizations").select("organization_id as id");
  const rows = await run(database.session.all(query.orderBy("organization_id").compile()));
  return rows.map(({ id }) => id);
}
