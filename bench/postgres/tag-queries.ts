import type pg from "pg";
import { type TagName, tagNumber } from "../customers.js";
import { tagIdOf } from "./filled.js";

const SIZE = 20;

/** The ways to count and page the users of the first filter of the tag benches, by their names. */
export function createPlans(
  pool: pg.Pool,
): Readonly<Record<string, () => Promise<{ total: number; page: unknown }>>> {
  return { "EXISTS per user": createPlan(pool, exists), intarray: createPlan(pool, intarray) };
}

function createPlan(pool: pg.Pool, whereSql: string) {
  return async () => {
    const count = await pool.query(`select count(*) as total from plain_users u where ${whereSql}`);
    const page = await pool.query(
      `select id, email, name from plain_users u where ${whereSql} order by id limit ${SIZE}`,
    );
    return { total: Number(count.rows[0]?.total), page: page.rows.map(({ email }) => email) };
  };
}

const tagIdByName = (tag: TagName) => tagIdOf(tagNumber(tag));

const hasTagSql = (tag: TagName) =>
  `exists (select from plain_user_tags t where t.user_id = u.id and t.tag = ${tagIdByName(tag)})`;

const exists = `${hasTagSql("most")} and (${hasTagSql("many")} or ${hasTagSql("some")}) and not ${hasTagSql("few")}
  and (${hasTagSql("tenth")} or ${hasTagSql("twentieth")})`;

const tags = [
  `${tagIdByName("most")} & (${tagIdByName("many")} | ${tagIdByName("some")}) & !${tagIdByName("few")}`,
  `(${tagIdByName("tenth")} | ${tagIdByName("twentieth")})`,
].join(" & ");

const intarray = `u.tags @@ '${tags}'::query_int`;
