import type pg from "pg";
import { type TagName, tagNumber } from "../customers.js";
import { numberOf } from "./filled.js";

const SIZE = 20;

/** The ways to count and page the users of the first filter of the tag benches, by their names. */
export function plans(
  pool: pg.Pool,
): Readonly<Record<string, () => Promise<{ total: number; page: unknown }>>> {
  return { "EXISTS per user": planOf(pool, exists), intarray: planOf(pool, intarray) };
}

function planOf(pool: pg.Pool, where: string) {
  return async () => {
    const count = await pool.query(`select count(*) as total from plain_users u where ${where}`);
    const page = await pool.query(
      `select id, email, name from plain_users u where ${where} order by id limit ${SIZE}`,
    );
    return { total: Number(count.rows[0]?.total), page: page.rows.map(({ email }) => email) };
  };
}

const number = (tag: TagName) => numberOf(tagNumber(tag));

const has = (tag: TagName) =>
  `exists (select from plain_user_tags t where t.user_id = u.id and t.tag = ${number(tag)})`;

const exists = `${has("most")} and (${has("many")} or ${has("some")}) and not ${has("few")}
  and (${has("tenth")} or ${has("twentieth")})`;

const tags = [
  `${number("most")} & (${number("many")} | ${number("some")}) & !${number("few")}`,
  `(${number("tenth")} | ${number("twentieth")})`,
].join(" & ");

const intarray = `u.tags @@ '${tags}'::query_int`;
