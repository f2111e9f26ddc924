import { hash } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { stripPicture } from "../../../../src/base/values/picture.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import type { RowProblem } from "./finding.js";

/** A column that duplicates data from other rows. */
interface CopiedColumn {
  readonly of: string;
  readonly column: string;
  /** The column that identifies a row within its organization, or `null` for a table with at most one row per organization. */
  readonly key: string | null;
  /** The value that the column should have, as an expression that refers to the row as `copy`. */
  readonly value: RawBuilder<unknown>;
  /**
   * True if the column must be `null` whenever the expected value is. Otherwise, rows whose expected value is `null` are not
   * checked.
   */
  readonly mayBeNull?: true;
}

const listCopies = ({ eventLocator }: SqlDialect): readonly CopiedColumn[] => [
  {
    of: "organizations",
    column: "time_zone",
    key: null,
    value: sql`(select source.time_zone from loyalty_settings source
      where source.organization_id = copy.organization_id)`,
    mayBeNull: true,
  },
  {
    of: "webhook_deliveries",
    column: "event_type",
    key: "id",
    value: sql`(select source.type from loyalty_events source
      where ${eventLocator.at(sql`copy.organization_id`, sql`copy.event_position`, "source")}
      and source.id = copy.event_id)`,
  },
  {
    of: "webhook_deliveries",
    column: "attempts",
    key: "id",
    value: sql`(select count(*) from loyalty_webhook_attempts source
      where source.organization_id = copy.organization_id and source.delivery_id = copy.id)`,
  },
  {
    of: "wallet_cards",
    column: "template_id",
    key: "pass_id",
    value: sql`(select source.template_id from loyalty_wallet_passes source
      where source.organization_id = copy.organization_id and source.id = copy.pass_id)`,
  },
  {
    of: "wallet_cards",
    column: "message_id",
    key: "pass_id",
    value: sql`(select source.id from loyalty_messages source
      where source.organization_id = copy.organization_id and source.id = copy.message_id)`,
    mayBeNull: true,
  },
  {
    of: "purchase_effects",
    column: "at",
    key: "purchase_id",
    value: sql`(select source.at from loyalty_purchases source
      where source.organization_id = copy.organization_id and source.id = copy.purchase_id)`,
  },
  {
    of: "purchase_effects",
    column: "template_id",
    key: "purchase_id",
    value: sql`(select source.template_id from loyalty_wallet_passes source
      where source.organization_id = copy.organization_id and source.id = copy.pass_id)`,
  },
  {
    of: "purchase_effects",
    column: "user_id",
    key: "purchase_id",
    value: sql`(select holder.id from loyalty_wallet_passes source
      join loyalty_users holder on holder.organization_id = source.organization_id and holder.ordinal = source.user_ordinal
      where source.organization_id = copy.organization_id and source.id = copy.pass_id)`,
  },
  {
    of: "point_lots",
    column: "purchase_id",
    key: "pass_id",
    value: sql`(select source.id from loyalty_point_entries entry
      join loyalty_purchases source on source.organization_id = entry.organization_id
        and source.source = entry.source and source.receipt = entry.receipt
      where entry.organization_id = copy.organization_id and entry.pass_id = copy.pass_id
      and entry.sequence = copy.sequence and entry.type = 'earned')`,
    mayBeNull: true,
  },
  {
    of: "wallet_queues",
    column: "due_at",
    key: null,
    value: sql`(select min(source.next_attempt_at) from loyalty_wallet_deliveries source
      where source.organization_id = copy.organization_id)`,
    mayBeNull: true,
  },
  {
    of: "mail_queues",
    column: "due_at",
    key: null,
    value: sql`(select min(source.next_attempt_at) from loyalty_mail_jobs source
      where source.organization_id = copy.organization_id)`,
    mayBeNull: true,
  },
  {
    of: "message_queues",
    column: "due_at",
    key: null,
    value: sql`(select min(source.next_attempt_at) from loyalty_message_jobs source
      where source.organization_id = copy.organization_id)`,
    mayBeNull: true,
  },
  {
    of: "automation_queues",
    column: "due_at",
    key: null,
    value: sql`(select min(source.next_attempt_at) from loyalty_automation_jobs source
      where source.organization_id = copy.organization_id)`,
    mayBeNull: true,
  },
];

/** Creates the check that compares duplicated columns with the rows they were copied from, and pictures with their hashes. */
export function createCopyCheck(dialect: SqlDialect) {
  const { db } = dialect;
  const copies = listCopies(dialect);
  const positions = createEventPositionCheck(dialect);
  const isWrong = ({ column, value, mayBeNull }: CopiedColumn, organizationId: string) => {
    const isDifferent = sql`${sql.ref(`copy.${column}`)} is distinct from ${value}`;
    const isExpected = mayBeNull ? sql`true` : sql`${value} is not null`;
    return sql`copy.organization_id = ${organizationId} and ${isExpected} and ${isDifferent}`;
  };

  /** Finds deliveries and runs whose status contradicts their due time. A delivery is pending exactly while it has a due time. */
  const selectStatusMismatches = (organizationId: string) => sql<{
    id: string;
  }>`select id from loyalty_webhook_deliveries
    where organization_id = ${organizationId} and (status = 'pending') <> (next_attempt_at is not null)
    union all select id from loyalty_message_deliveries
    where organization_id = ${organizationId} and (status = 'PENDING') <> (next_attempt_at is not null)
    union all select id from loyalty_automation_runs
    where organization_id = ${organizationId} and status = 'WAITING' and next_attempt_at is null order by id`;

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly RowProblem[]> {
      const problems: RowProblem[] = [];
      problems.push(...(yield* positions.find(session, organizationId)));
      for (const copy of copies) {
        const { of, column, key } = copy;
        const rows = sql<{ id: string }>`select ${sql.ref(`copy.${key ?? "organization_id"}`)} as id
          from ${sql.table(`loyalty_${of}`)} copy where ${isWrong(copy, organizationId)} order by 1`;
        const name = `${of}.${column}`;
        for (const { id } of yield* session.all(rows.compile(db)))
          problems.push(key === null ? name : `${name} of ${id}`);
      }
      for (const { id } of yield* session.all(selectStatusMismatches(organizationId).compile(db))) {
        problems.push({ about: id, reason: "its status doesn't match its due time" });
      }
      for (const { picture, reason } of yield* findWrongPictures(session, organizationId)) {
        problems.push(reason === null ? picture : { about: picture, reason });
      }
      return problems;
    },

    *repair(session: Session, organizationId: string): Step<void> {
      // The copies below look up an event's kind by the delivery's event position.
      yield* positions.repair(session, organizationId);
      for (const copy of copies) {
        const { of, column, value } = copy;
        const update = sql`update ${sql.table(`loyalty_${of}`)} as copy set ${sql.ref(column)} = ${value}
          where ${isWrong(copy, organizationId)}`;
        yield* session.change(update.compile(db));
      }
      for (const { picture, facts } of yield* findWrongPictures(session, organizationId)) {
        if (facts === null) continue;
        const set = db
          .updateTable("loyalty_pictures")
          .set(facts)
          .where("organization_id", "=", organizationId);
        yield* session.change(set.where("hash", "=", picture).compile());
      }
    },
  };

  /**
   * Finds pictures whose type, size or hash doesn't match their bytes. A picture is named by its hash, so a wrong hash can't be
   * repaired.
   */
  function* findWrongPictures(session: ReadSession, organizationId: string) {
    const pictures = db.selectFrom("loyalty_pictures").where("organization_id", "=", organizationId);
    const wrongPictures = [];
    // One by one, because each picture may be a megabyte.
    for (const { hash: picture } of yield* session.all(pictures.select("hash").orderBy("hash").compile())) {
      const row = yield* findFirst(session, pictures.selectAll().where("hash", "=", picture).compile());
      if (row === null) continue;
      const pictureInfo = hash("sha256", row.bytes) === picture ? stripPicture(row.bytes) : null;
      // A picture stored before pictures were re-encoded may be one that would be rejected now.
      if (typeof pictureInfo === "string") continue;
      const facts = pictureInfo && {
        type: pictureInfo.type,
        width: pictureInfo.width,
        height: pictureInfo.height,
      };
      if (facts === null) wrongPictures.push({ picture, facts, reason: "its bytes don't match its hash" });
      else if (facts.type !== row.type || facts.width !== row.width || facts.height !== row.height)
        wrongPictures.push({ picture, facts, reason: null });
    }
    return wrongPictures;
  }
}

interface MisplacedDelivery {
  readonly id: string;
  /** The position of the delivery's event, or `null` if the outbox no longer contains the event. */
  readonly position: number | null;
}

/**
 * Creates the check for event positions stored in webhook deliveries. The check skips a delivery if its event is no longer in the
 * outbox.
 */
function createEventPositionCheck({ db, eventLocator }: SqlDialect) {
  const eventOfDelivery = eventLocator.at(
    sql`delivery.organization_id`,
    sql`delivery.event_position`,
    "source",
  );

  /** Scans the events once, because no index contains their IDs. */
  const selectMovedEvents = (organizationId: string) => sql<{
    id: string;
    position: number;
  }>`with named as materialized (
      select id, event_id from loyalty_webhook_deliveries delivery
      where organization_id = ${organizationId} and not exists (
        select 1 from loyalty_events source where ${eventOfDelivery} and source.id = delivery.event_id))
    select named.id as id, cast(min(source.position) as double precision) as position
    from loyalty_events source cross join named
    where ${eventLocator.between(sql`${organizationId}`, sql`0`, null, "source")} and named.event_id = source.id
    group by named.id order by named.id`;

  const selectForeignDeliveries = (organizationId: string) => sql<{ id: string }>`select delivery.id as id
    from loyalty_webhook_deliveries delivery join loyalty_events source on ${eventOfDelivery}
    where delivery.organization_id = ${organizationId} and source.id <> delivery.event_id order by delivery.id`;

  function* findMisplaced(session: ReadSession, organizationId: string): Step<readonly MisplacedDelivery[]> {
    const located: readonly MisplacedDelivery[] = yield* session.all(
      selectMovedEvents(organizationId).compile(db),
    );
    const locatedIds = new Set(located.map(({ id }) => id));
    const foreign = yield* session.all(selectForeignDeliveries(organizationId).compile(db));
    return [...located, ...foreign.flatMap(({ id }) => (locatedIds.has(id) ? [] : [{ id, position: null }]))];
  }

  return {
    *find(session: ReadSession, organizationId: string): Step<readonly string[]> {
      const misplacedDeliveries = yield* findMisplaced(session, organizationId);
      return misplacedDeliveries.map(({ id }) => `webhook_deliveries.event_position of ${id}`);
    },

    *repair(session: Session, organizationId: string): Step<void> {
      for (const { id, position } of yield* findMisplaced(session, organizationId)) {
        const update = db.updateTable("loyalty_webhook_deliveries").set({ event_position: position });
        yield* session.change(
          update.where("organization_id", "=", organizationId).where("id", "=", id).compile(),
        );
      }
    },
  };
}
