import type { CompiledQuery } from "kysely";
import { turns } from "../../../src/concurrency/event-loop.js";
import type { Step } from "../../../src/concurrency/step.js";
import { fold } from "../../../src/values/text.js";
import { first, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

/** The rows that one read returns. */
const BATCH = 500;

/** Stands in what is looked through, as JSON: most rows have none of it. */
const WRITTEN = '%"typedEmail":%';

type Json = Readonly<Record<string, unknown>>;

interface Row {
  /** The ordinal of a user, the position of an event. */
  readonly place: number;
  readonly json: string;
}

/** The rows of a table of one organization that may have metadata of customers in them. */
interface Place {
  readonly behind: (place: number) => CompiledQuery<Row>;
  readonly write: (place: number, json: string) => CompiledQuery<unknown>;
  readonly metadataIn: (whole: Json) => unknown;
  readonly withMetadata: (whole: Json, metadata: Json) => Json;
}

/**
 * Removes emails from metadata: someone who joined with another user's email had it stored there as a text, which erasing
 * that user did not find. The id of that user stays.
 */
export function* typedEmails(dialect: SqlDialect, session: Session): Step<void> {
  const { db } = dialect;
  const organizations = db.selectFrom("loyalty_organizations").select("organization_id as id").compile();
  for (const { id } of yield* session.all(organizations)) {
    for (const place of [usersOf(dialect, id), eventsOf(dialect, id)])
      yield* renew(dialect, session, id, place);
  }
}

function usersOf({ db }: SqlDialect, organizationId: string): Place {
  return {
    behind: (place) =>
      db
        .selectFrom("loyalty_users")
        .select(["ordinal as place", "metadata as json"])
        .where("organization_id", "=", organizationId)
        .where("ordinal", ">", place)
        .where("metadata", "like", WRITTEN)
        .orderBy("ordinal")
        .limit(BATCH)
        .compile(),
    write: (place, metadata) =>
      db
        .updateTable("loyalty_users")
        .set({ metadata })
        .where("organization_id", "=", organizationId)
        .where("ordinal", "=", place)
        .compile(),
    metadataIn: (metadata) => metadata,
    withMetadata: (_before, metadata) => metadata,
  };
}

function eventsOf({ db }: SqlDialect, organizationId: string): Place {
  return {
    behind: (place) =>
      db
        .selectFrom("loyalty_events")
        .select(["position as place", "data as json"])
        .where("organization_id", "=", organizationId)
        .where("position", ">", place)
        .where("type", "in", ["user.created", "user.updated"])
        .where("data", "like", WRITTEN)
        .orderBy("position")
        .limit(BATCH)
        .compile(),
    write: (place, data) =>
      db
        .updateTable("loyalty_events")
        .set({ data })
        .where("organization_id", "=", organizationId)
        .where("position", "=", place)
        .compile(),
    metadataIn: (user) => user.metadata,
    withMetadata: (user, metadata) => ({ ...user, metadata }),
  };
}

function* renew({ db }: SqlDialect, session: Session, organizationId: string, rows: Place): Step<void> {
  for (let place = -1; ; ) {
    const found = yield* session.all(rows.behind(place));
    const last = found.at(-1);
    if (last === undefined) return;
    for (const row of found) {
      const whole: Json = JSON.parse(row.json);
      const metadata = rows.metadataIn(whole);
      if (!isObject(metadata) || !isObject(metadata.join)) continue;
      const { typedEmail, ...rest } = metadata.join;
      if (typeof typedEmail !== "string") continue;
      const ownerOf = db
        .selectFrom("loyalty_users")
        .select("id")
        .where("organization_id", "=", organizationId)
        .where("email_fold", "=", fold(typedEmail));
      const owner = yield* first(session, ownerOf.compile());
      const join = { ...rest, ...(owner !== null && { typedEmailOf: owner.id }) };
      const renewed = rows.withMetadata(whole, { ...metadata, join });
      yield* session.change(rows.write(row.place, JSON.stringify(renewed)));
    }
    place = last.place;
    yield* turns();
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
