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
  *appendEvents(tx, id, world) {
    const events = Array.from({ length: 1 + world.below(3) }, () => {
      const type = world.one(["user.created", "pass.created"]);
      return someEvent({
        ...world.one(actors),
        type,
        data: world.one(["{}", '{"id":"usr_1"}', '{"id":"wp_1"}']),
      });
    });
    for (const event of events) world.keep(world.events, event);
    yield* tx.appendEvents(id, events);
  },
  removeEvents: (tx, id, world) =>
    tx.removeEvents(
      id,
      { since: world.one([0, 0, world.one(world.events).createdAt]), atMost: world.one([0, 1, 2, 100]) },
      { after: world.below(3), limit: world.one([1, 2, 100]) },
    ),
  *replaceEventData(tx, id, world) {
    const heads = yield* tx.listEventHeads(id, null, world.below(3), 1 + world.below(2));
    const missingHead = { position: 99, id: world.one(world.events).id };
    yield* tx.replaceEventData(
      id,
      [...heads, ...(world.rarely(3) ? [missingHead] : [])].map(({ position, id: eventId }) => ({
        position,
        id: eventId,
        data: '{"less":true}',
        actor: world.one(actors).actor,
      })),
    );
  },
  redactSubjects: (tx, id, world) => tx.redactSubjects(id, world.some(subjects, 3)),
  addCounts: (tx, id, world) =>
    tx.addCounts(id, (12 + world.below(16)) * SIX_HOURS_MS, someCounts(world), !world.rarely(3)),
  lockAudit: (tx, id) => tx.lockAudit(id),
  *appendAudit(tx, id, world) {
    const sequence = ((yield* tx.lockAudit(id))?.sequence ?? 0) + 1;
    const by = world.one(actors);
    const seal = by.subject === null ? {} : { salt: "salt", subjectSeal: "seal" };
    const entry = someAuditEntry(sequence, { ...world.fieldsOf(auditRecord), ...by, ...seal });
    yield* tx.appendAudit(id, entry, world.one([1, 3, 100]));
  },
  putIdempotencyRecord: (tx, id, world) => {
    const existing = world.one(world.answers);
    const record = someAnswer({
      ...world.fieldsOf(idempotencyRecord),
      ...(world.rarely(2) && { keyHash: existing.keyHash }),
      sealed: "x".repeat(world.below(20)),
      userId: world.orNull(world.one(world.users).id),
      // Times rarely collide, because a storage may remove either of two records with equal times first.
      createdAt: world.below(2 ** 30),
    });
    return tx.putIdempotencyRecord(id, world.keep(world.answers, record));
  },
  putCooldown: (tx, id, world) => {
    const { name } = world.one(world.marks);
    // Times rarely collide, because a storage may remove either of two cooldowns with equal end times first.
    const mark = someMark({ ...(world.rarely(2) && { name }), until: world.below(2 ** 30) });
    return tx.putCooldown(id, world.keep(world.marks, mark));
  },
  removeExpiredCooldowns: (tx, id, world) =>
    tx.removeExpiredCooldowns(id, world.one(world.marks).until + world.below(2), world.one([1, 2, 100])),
  trimCooldowns: (tx, id, world) => tx.trimCooldowns(id, world.below(4), 100),
  redactIdempotencyRecords: (tx, id, world) => tx.redactIdempotencyRecords(id, world.one(world.users).id),
  removeExpiredIdempotencyRecords: (tx, id, world) =>
    tx.removeExpiredIdempotencyRecords(
      id,
      world.one(world.answers).createdAt + world.below(2),
      world.one([1, 2, 100]),
    ),
  trimIdempotencyRecords: (tx, id, world) =>
    tx.trimIdempotencyRecords(id, world.below(60), world.one([1, 2, 100])),
} satisfies Partial<Record<WriteName, Write>>;
