import Database from "better-sqlite3";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { listTagSlugs, ORGANIZATION, tagNumber } from "./customers.js";
import { generateNewCustomers } from "./new-customers.js";
import { findPage } from "./plain-contacts.js";

/** A long task on an open file. */
interface Task {
  readonly work: () => unknown;
  readonly close: () => unknown;
}

export type TaskName = keyof typeof tasks;

const TERM = "z";
/** 30 % of the users have it. */
const TAG = "some";
const NEW_TAG = "group-0";

/** The library's way, and the one a naive program would go: one statement, and all its rows in memory. */
export const tasks = {
  list: createOurTask(async ({ users }) => {
    let count = 0;
    for await (const _ of users.list()) count += 1;
    return count;
  }),
  "list, naively": createNaiveTask((db) => db.prepare("select * from users order by ordinal").all().length),

  export: createOurTask(async ({ users }) => {
    let [count, tags] = [0, 0];
    for await (const user of users.export()) {
      count += 1;
      tags += user.tags.length;
    }
    return { count, tags };
  }),
  "export, naively": createNaiveTask((db) => {
    const rows = db
      .prepare<[], { tags: string }>(
        `select u.*, (select json_group_array(tag) from user_tags t where t.user = u.ordinal) as tags
          from users u order by ordinal`,
      )
      .all()
      .map((user) => ({ ...user, tags: JSON.parse(user.tags) as unknown[] }));
    return { count: rows.length, tags: rows.reduce((sum, { tags }) => sum + tags.length, 0) };
  }),

  import: createOurTask(
    async ({ users }, count) => (await users.import(generateNewCustomers(count))).created,
  ),
  "import, naively": createNaiveTask(importAll),

  "delete a tag": createOurTask(async ({ tags }, _users, loyalty) => {
    await tags.delete(TAG);
    // Until no user has it.
    await loyalty.refreshSegments();
    return (await tags.list()).length;
  }),
  "delete a tag, naively": createNaiveTask((db, users) => {
    db.prepare("delete from user_tags where tag = ?").run(tagNumber(TAG));
    return listTagSlugs(users).length - 1;
  }),

  "assign by filter": createOurTask(async ({ tags }) => {
    const filter = { operator: "AND", conditions: [{ slug: TAG }] } as const;
    return (await tags.assignUsers(NEW_TAG, { filter })).changed;
  }),
  "assign by filter, naively": createNaiveTask((db, users) => {
    const assign = db.prepare(
      "insert into user_tags select ?, user from user_tags where tag = ? on conflict do nothing",
    );
    return assign.run(listTagSlugs(users).indexOf(NEW_TAG), tagNumber(TAG)).changes;
  }),

  "search one character": createOurTask(
    async ({ contacts }) => (await contacts.list({ search: TERM, size: 20 })).totalElements,
  ),
  "search one character, naively": createNaiveTask(
    (db) => findPage(db, "instr", TERM, { sort: "createdAt,desc", offset: 0, size: 20 })().total,
  ),
} as const satisfies Record<string, (file: string, users: number) => Promise<Task>>;

export function isTask(name: string): name is TaskName {
  return Object.hasOwn(tasks, name);
}

function createOurTask(
  work: (organization: Organization, users: number, loyalty: LoyaltyService) => Promise<unknown>,
) {
  return async (file: string, users: number): Promise<Task> => {
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
    const organization = loyalty.organization(ORGANIZATION);
    return { work: () => work(organization, users, loyalty), close: () => loyalty.close() };
  };
}

function createNaiveTask(work: (db: Database.Database, users: number) => unknown) {
  return async (file: string, users: number): Promise<Task> => {
    const db = new Database(file);
    return { work: () => work(db, users), close: () => db.close() };
  };
}

/** All rows first, then one transaction of them. */
function importAll(db: Database.Database, count: number): number {
  const rows = [...generateNewCustomers(count)];
  const numbers = new Map(listTagSlugs(count).map((slug, at) => [slug, at]));
  const add = db.prepare(
    `insert into users (id, email, name, phone, external_id, metadata, created_at, updated_at, email_fold, name_fold,
      phone_fold, external_id_fold) values (?, ?, ?, ?, ?, '{}', 0, 0, ?, ?, ?, ?)`,
  );
  const assign = db.prepare("insert into user_tags values (?, ?)");
  return db.transaction(() => {
    for (const [at, { email, name, phone, externalId, tags }] of rows.entries()) {
      const folds = [email, name, phone, externalId].map((value) => value.toLowerCase());
      const { lastInsertRowid } = add.run(`usr_${at}`, email, name, phone, externalId, ...folds);
      for (const slug of tags) assign.run(numbers.get(slug), lastInsertRowid);
    }
    return rows.length;
  })();
}
