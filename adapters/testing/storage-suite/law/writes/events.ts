import { auditRecord } from "../../../../../src/storage/audit.js";
import { emptyMomentCounts, type MomentCounts } from "../../../../../src/storage/day-counts.js";
import { idempotencyRecord } from "../../../../../src/storage/idempotency-records.js";
import { someAnswer, someAuditEntry, someEvent, someMark } from "../../kit/records.js";
import type { World } from "../world.js";
import { actors, subjects, type Write, type WriteName } from "./choosing.js";

const SIX_HOURS_MS = 6 * 3_600_000;

function someCounts(world: World): Partial<MomentCounts> {
  const names = Object.keys(emptyMomentCounts);
  return Object.fromEntries(world.some(names, 4).map((name) => [name, world.below(9) - 3]));
}

export const eventWrites = {
  *appendEvents(tx, world) {
    const events = Array.from({ length: 1 + world.below(3) }, () => {
      const type = world.one(["user.created", "pass.created"]);
      return someEvent({
        ...world.one(actors),
        type,
        data: world.one(["{}", '{"id":"usr_1"}', '{"id":"wp_1"}']),
      });
    });
    for (const event of events) world.keep(world.events, event);
    yield* tx.appendEvents(events);
  },
  removeEvents: (tx, world) =>
    tx.removeEvents(
      { since: world.one([0, 0, world.one(world.events).createdAt]), atMost: world.one([0, 1, 2, 100]) },
      { after: world.below(3), limit: world.one([1, 2, 100]) },
    ),
  *replaceEventData(tx, world) {
    const heads = yield* tx.listEventHeads(null, world.below(3), 1 + world.below(2));
    const missingHead = { position: 99, id: world.one(world.events).id };
    yield* tx.replaceEventData(
      [...heads, ...(world.rarely(3) ? [missingHead] : [])].map(({ position, id: eventId }) => ({
        position,
        id: eventId,
        data: '{"less":true}',
        actor: world.one(actors).actor,
      })),
    );
  },
  redactSubjects: (tx, world) => tx.redactSubjects(world.some(subjects, 3)),
  addCounts: (tx, world) =>
    tx.addCounts((12 + world.below(16)) * SIX_HOURS_MS, someCounts(world), !world.rarely(3)),
  lockAudit: (tx) => tx.lockAudit(),
  *appendAudit(tx, world) {
    const sequence = ((yield* tx.lockAudit())?.sequence ?? 0) + 1;
    const by = world.one(actors);
    const seal = by.subject === null ? {} : { salt: "salt", subjectSeal: "seal" };
    const entry = someAuditEntry(sequence, { ...world.fieldsOf(auditRecord), ...by, ...seal });
    yield* tx.appendAudit(entry, world.one([1, 3, 100]));
  },
  putIdempotencyRecord: (tx, world) => {
    const existing = world.one(world.answers);
    const record = someAnswer({
      ...world.fieldsOf(idempotencyRecord),
      ...(world.rarely(2) && { keyHash: existing.keyHash }),
      // Never empty, because a storage may remove either of two records that end at the same byte first.
      sealed: "x".repeat(1 + world.below(20)),
      userId: world.orNull(world.one(world.users).id),
      // Times rarely collide, because a storage may remove either of two records with equal times first.
      createdAt: world.below(2 ** 30),
    });
    return tx.putIdempotencyRecord(world.keep(world.answers, record));
  },
  putCooldown: (tx, world) => {
    const { name } = world.one(world.marks);
    // Times rarely collide, because a storage may remove either of two cooldowns with equal end times first.
    const mark = someMark({ ...(world.rarely(2) && { name }), until: world.below(2 ** 30) });
    return tx.putCooldown(world.keep(world.marks, mark));
  },
  removeExpiredCooldowns: (tx, world) =>
    tx.removeExpiredCooldowns(world.one(world.marks).until + world.below(2), world.one([1, 2, 100])),
  trimCooldowns: (tx, world) => tx.trimCooldowns(world.below(4), 100),
  redactIdempotencyRecords: (tx, world) => tx.redactIdempotencyRecords(world.one(world.users).id),
  removeExpiredIdempotencyRecords: (tx, world) =>
    tx.removeExpiredIdempotencyRecords(
      world.one(world.answers).createdAt + world.below(2),
      world.one([1, 2, 100]),
    ),
  trimIdempotencyRecords: (tx, world) => tx.trimIdempotencyRecords(world.below(60), world.one([1, 2, 100])),
} satisfies Partial<Record<WriteName, Write>>;
