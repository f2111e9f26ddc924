import type Database from "better-sqlite3";
import { type PlainUser, toWireUser } from "./plain-file.js";

export type Sort = "createdAt,asc" | "createdAt,desc" | "name,asc";

const orders: Readonly<Record<Sort, string>> = {
  "createdAt,asc": "ordinal",
  "createdAt,desc": "ordinal desc",
  "name,asc": "name_fold, id",
};

/** How a text is found in a column. */
const finding = {
  LIKE: (column: string) => `${column} like '%' || ? || '%'`,
  instr: (column: string) => `instr(${column}, ?) > 0`,
} as const;

export type FindField = keyof typeof finding;

interface PageQuery {
  readonly sort: Sort;
  readonly offset: number;
  readonly size: number;
}

/** A page of all users and their number, by OFFSET. */
export function readPage(db: Database.Database, { sort, offset, size }: PageQuery) {
  const count = db.prepare<[], { total: number }>("select count(*) as total from users");
  const page = db.prepare<[number, number], PlainUser>(
    `select * from users order by ${orders[sort]} limit ? offset ?`,
  );
  const toContact = createContactReader(db);
  return () => ({ total: count.get()?.total, users: page.all(size, offset).map(toContact) });
}

/** A page of the users who have a text in one of four columns, and their number, by going through them. */
export function findPage(
  db: Database.Database,
  field: FindField,
  term: string,
  { sort, offset, size }: PageQuery,
) {
  const columns = ["email_fold", "name_fold", "phone_fold", "external_id_fold"];
  const whereSql = columns.map(finding[field]).join(" or ");
  const terms = columns.map(() => term);
  const count = db.prepare<string[], { total: number }>(
    `select count(*) as total from users where ${whereSql}`,
  );
  const page = db.prepare<(string | number)[], PlainUser>(
    `select * from users where ${whereSql} order by ${orders[sort]} limit ? offset ?`,
  );
  const toContact = createContactReader(db);
  return () => ({
    total: count.get(...terms)?.total,
    users: page.all(...terms, size, offset).map(toContact),
  });
}

/** Builds the library's contact from a user row. */
function createContactReader(db: Database.Database) {
  const passes = db.prepare<[number], { templateId: string; passId: string }>(
    "select template as templateId, id as passId from passes where user = ?",
  );
  return (user: PlainUser) => {
    const { metadata: _, ...contact } = toWireUser(user);
    return { ...contact, object: "contact", passInfos: passes.all(user.ordinal) };
  };
}
