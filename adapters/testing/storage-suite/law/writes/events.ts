import { auditRecord } from "../../../../../src/storage/audit.js";
import { emptyMomentCounts, type MomentCounts } from "../../../../../src/storage/day-counts.js";
import { idempotencyRecord } from "../../../../../src/storage/idempotency-records.js";
import { someAuditEntry, someCooldown, someEvent, someIdempotencyRecord } from "../../kit/records.js";
import type { World } from "../world.js";
import { actors, subjects, type Write, type WriteName } from "./choosing.js";

const SIX_HOURS_MS = 6 * 3_600_000;

function someCounts(world: World): Partial<MomentCounts> {
  const names = Object.keys(emptyMomentCounts);
  return Object.fromEntries(world.pickSome(names, 4).map((name) => [name, world.randomBelow(9) - 3]));
}

export const eventWrites = {
  *appendEvents(tx, world) {
    const events = Array.from({ length: 1 + world.randomBelow(3) }, () => {
      const type = world.pickOne(["user.created", "pass.created"]);
      return someEvent({
        ...world.pickOne(actors),
        type,
        data: world.pickOne(["{}", '{"id":"usr_1"}', '{"id":"wp_1"}']),
      });
    });
    for (const event of events) world.track(world.events, event);
    yield* tx.appendEvents(events);
  },
  removeEvents: (tx, world) =>
    tx.removeEvents(
      {
        since: world.pickOne([0, 0, world.pickOne(world.events).createdAt]),
        atMost: world.pickOne([0, 1, 2, 100]),
      },
      { after: world.randomBelow(3), limit: world.pickOne([1, 2, 100]) },
    ),
  *replaceEventData(tx, world) {
    const heads = yield* tx.listEventHeads(null, world.randomBelow(3), 1 + world.randomBelow(2));
    const missingHead = { position: 99, id: world.pickOne(world.events).id };
    yield* tx.replaceEventData(
      [...heads, ...(world.oneIn(3) ? [missingHead] : [])].map(({ position, id: eventId }) => ({
        position,
        id: eventId,
        data: '{"less":true}',
        actor: world.pickOne(actors).actor,
      })),
    );
  },
  redactSubjects: (tx, world) => tx.redactSubjects(world.pickSome(subjects, 3)),
  addCounts: (tx, world) =>
    tx.addCounts((12 + world.randomBelow(16)) * SIX_HOURS_MS, someCounts(world), !world.oneIn(3)),
  lockAudit: (tx) => tx.lockAudit(),
  *appendAudit(tx, world) {
    const sequence = ((yield* tx.lockAudit())?.sequence ?? 0) + 1;
    const by = world.pickOne(actors);
    const seal = by.subject === null ? {} : { salt: "salt", subjectSeal: "seal" };
    const entry = someAuditEntry(sequence, { ...world.createFields(auditRecord), ...by, ...seal });
    yield* tx.appendAudit(entry, world.pickOne([1, 3, 100]));
  },
  putIdempotencyRecord: (tx, world) => {
    const existing = world.pickOne(world.answers);
    const record = someIdempotencyRecord({
      ...world.createFields(idempotencyRecord),
      ...(world.oneIn(2) && { keyHash: existing.keyHash }),
      // Never empty, because a storage may remove either of two records that end at the same byte first.
      sealed: "x".repeat(1 + world.randomBelow(20)),
      userId: world.orNull(world.pickOne(world.users).id),
      // Times rarely collide, because a storage may remove either of two records with equal times first.
      createdAt: world.randomBelow(2 ** 30),
    });
    return tx.putIdempotencyRecord(world.track(world.answers, record));
  },
  putCooldown: (tx, world) => {
    const { name } = world.pickOne(world.marks);
    // Times rarely collide, because a storage may remove either of two cooldowns with equal end times first.
    const cooldown = someCooldown({ ...(world.oneIn(2) && { name }), until: world.randomBelow(2 ** 30) });
    return tx.putCooldown(world.track(world.marks, cooldown));
  },
  removeExpiredCooldowns: (tx, world) =>
    tx.removeExpiredCooldowns(
      world.pickOne(world.marks).until + world.randomBelow(2),
      world.pickOne([1, 2, 100]),
    ),
  trimCooldowns: (tx, world) => tx.trimCooldowns(world.randomBelow(4), 100),
  redactIdempotencyRecords: (tx, world) => tx.redactIdempotencyRecords(world.pickOne(world.users).id),
  removeExpiredIdempotencyRecords: (tx, world) =>
    tx.removeExpiredIdempotencyRecords(
      world.pickOne(world.answers).createdAt + world.randomBelow(2),
      world.pickOne([1, 2, 100]),
    ),
  trimIdempotencyRecords: (tx, world) =>
    tx.trimIdempotencyRecords(world.randomBelow(60), world.pickOne([1, 2, 100])),
} satisfies Partial<Record<WriteName, Write>>;
