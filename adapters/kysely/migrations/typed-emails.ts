import type { CompiledQuery } from "kysely";
import { turns } from "../../../src/concurrency/event-loop.js";
import type { Step } from "../../../src/concurrency/step.js";
import { fold } from "../../../src/values/text.js";
import { first, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

/** How many rows are read in one go. */
const BATCH = 500;

/** Stands in what is looked through, as JSON: most rows have none of it. */
const WRITTEN = '%"typedEmail":%';

type Json = Readonly<Record<string, unknown>>;

/**
 * Who joined with an email that somebody had kept it as a text, which an erasure of the other did not find. They keep the id of
 * who has it.
 */
export function* typedEmails({ db }: SqlDialect, session: Session): Step<void> {
  const ownerOf = (organizationId: string, email: string) =>
    first(
      session,
      db
        .selectFrom("loyalty_users")
        .select("id")
        .where("organization_id", "=", organizationId)
        .where("email_fold", "=", fold(email))
        .compile(),
    );

  yield* renewed(
    session,
    ownerOf,
    ({ organizationId, place }) =>
      db
        .selectFrom("loyalty_users")
        .select(["organization_id as organizationId", "ordinal as place", "metadata as json"])
        .where("metadata", "like", WRITTEN)
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple("organization_id", "ordinal"), ">", tuple(organizationId, place)),
        )
        .orderBy("organization_id")
        .orderBy("ordinal")
        .limit(BATCH)
        .compile(),
    ({ organizationId, place }, metadata) =>
      db
        .updateTable("loyalty_users")
        .set({ metadata })
        .where("organization_id", "=", organizationId)
        .where("ordinal", "=", place)
        .compile(),
    (metadata) => metadata,
    (_metadata, after) => after,
  );
  yield* renewed(
    session,
    ownerOf,
    ({ organizationId, place }) =>
      db
        .selectFrom("loyalty_events")
        .select(["organization_id as organizationId", "position as place", "data as json"])
        .where("data", "like", WRITTEN)
        .where("type", "in", ["user.created", "user.updated"])
        .where(({ eb, refTuple, tuple }) =>
          eb(refTuple("organization_id", "position"), ">", tuple(organizationId, place)),
        )
        .orderBy("organization_id")
        .orderBy("position")
        .limit(BATCH)
        .compile(),
    ({ organizationId, place }, data) =>
      db
        .updateTable("loyalty_events")
        .set({ data })
        .where("organization_id", "=", organizationId)
        .where("position", "=", place)
        .compile(),
    (data) => data.metadata,
    (data, metadata) => ({ ...data, metadata }),
  );
}

interface Place {
  readonly organizationId: string;
  readonly place: number;
}

/** @param metadataIn where the metadata of a customer is in a row. @param replaced the row with other metadata. */
function* renewed(
  session: Session,
  ownerOf: (organizationId: string, email: string) => Step<{ readonly id: string } | null>,
  behind: (place: Place) => CompiledQuery<Place & { readonly json: string }>,
  write: (place: Place, json: string) => CompiledQuery<unknown>,
  metadataIn: (row: Json) => unknown,
  replaced: (row: Json, metadata: Json) => Json,
): Step<void> {
  for (let place: Place = { organizationId: "", place: -1 }; ; ) {
    const rows = yield* session.all(behind(place));
    const last = rows.at(-1);
    if (last === undefined) return;
    place = last;
    for (const row of rows) {
      const whole: Json = JSON.parse(row.json);
      const metadata = metadataIn(whole);
      if (!isObject(metadata) || !isObject(metadata.join)) continue;
      const { typedEmail, ...rest } = metadata.join;
      if (typeof typedEmail !== "string") continue;
      const owner = yield* ownerOf(row.organizationId, typedEmail);
      const join = { ...rest, ...(owner !== null && { typedEmailOf: owner.id }) };
      yield* session.change(write(row, JSON.stringify(replaced(whole, { ...metadata, join }))));
    }
    yield* turns();
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
