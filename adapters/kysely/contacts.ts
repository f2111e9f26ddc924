import type { ContactQuery, ContactSortField, StorageReader } from "../../src/storage.js";
import type { SqlDialect } from "./dialect.js";
import { type Prepared, prepare, type Slot } from "./prepared.js";
import { first, type ReadSession } from "./session.js";
import { userColumns } from "./users.js";

type ContactReads = Pick<StorageReader, "listContacts">;

/** What decides the text of a contact query; everything else is a value in it. */
interface Shape {
  readonly searches: boolean;
  readonly countsStamps: boolean;
  readonly sort: ContactQuery["sort"];
}

interface Values {
  organizationId: string;
  search: string;
  templateId: string;
  minStamps: number;
  maxStamps: number;
  offset: number;
  limit: number;
}

const folds = ["email_fold", "name_fold", "phone_fold", "external_id_fold"] as const;

/** (createdAt, id) grows with the ordinal, so that order needs no sort. Other ties go by id. */
const orders = {
  createdAt: ["ordinal"],
  updatedAt: ["updated_at", "id"],
  email: ["email_fold", "id"],
  name: ["name_fold", "id"],
  externalId: ["external_id_fold", "id"],
} as const satisfies Record<ContactSortField, readonly string[]>;

const mayBeNull: ReadonlySet<string> = new Set(["name_fold", "external_id_fold"]);

/** Searches, filters, sorts and pages users. */
export function contactReads({ db, contains }: SqlDialect) {
  const matching = (slot: Slot<Values>, { searches, countsStamps }: Shape) =>
    db
      .selectFrom("loyalty_users")
      .where("organization_id", "=", slot("organizationId"))
      .$if(searches, (query) =>
        query.where(({ or, ref }) => or(folds.map((fold) => contains(ref(fold), slot("search"))))),
      )
      .$if(countsStamps, (query) =>
        query.where("ordinal", "in", (passes) =>
          passes
            .selectFrom("loyalty_wallet_passes")
            .select("user_ordinal")
            .where("organization_id", "=", slot("organizationId"))
            .where("template_id", "=", slot("templateId"))
            .where("current_stamps", ">=", slot("minStamps"))
            .where("current_stamps", "<=", slot("maxStamps")),
        ),
      );

  const page = perShape((shape) =>
    prepare((slot: Slot<Values>) => {
      const { field, direction } = shape.sort;
      let query = matching(slot, shape).select(userColumns);
      for (const column of orders[field]) {
        query = query.orderBy(column, (order) => {
          const directed = direction === "asc" ? order.asc() : order.desc();
          return mayBeNull.has(column) ? directed.nullsLast() : directed;
        });
      }
      return query.limit(slot("limit")).offset(slot("offset"));
    }),
  );

  const count = perShape((shape) =>
    prepare((slot: Slot<Values>) =>
      matching(slot, shape).select(({ fn }) => fn.countAll<number>().as("total")),
    ),
  );

  /** @param segments has the set of all users, which counts them without reading their rows. */
  return (session: ReadSession, segments: Pick<StorageReader, "readSegments">): ContactReads => ({
    async listContacts(organizationId, { search, stamps, sort, offset, limit }) {
      const shape: Shape = { searches: search !== null, countsStamps: stamps !== null, sort };
      const values: Values = {
        organizationId,
        search: search ?? "",
        templateId: stamps?.templateId ?? "",
        minStamps: stamps?.min ?? 0,
        maxStamps: stamps?.max ?? Number.MAX_SAFE_INTEGER,
        offset,
        limit,
      };
      const users = await session.all(page(shape)(values));
      if (search === null && stamps === null) {
        const everybody = (await segments.readSegments(organizationId, [])).users;
        return { users, total: everybody.count() };
      }
      const counted = await first(session, count(shape)(values));
      return { users, total: Number(counted?.total ?? 0) };
    },
  });
}

/** Prepares each shape of a query when it is first needed. */
function perShape<Row>(prepareOne: (shape: Shape) => Prepared<Values, Row>) {
  const prepared = new Map<string, Prepared<Values, Row>>();
  return (shape: Shape): Prepared<Values, Row> => {
    const { searches, countsStamps, sort } = shape;
    const key = `${searches} ${countsStamps} ${sort.field} ${sort.direction}`;
    const known = prepared.get(key) ?? prepareOne(shape);
    prepared.set(key, known);
    return known;
  };
}
