import pg from "pg";

/** Reads the columns, constraints and indexes of all tables of a place. */
export async function readStructure(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    `select table_name, column_name as name, concat_ws(' ', data_type, is_nullable, collation_name, column_default) as is
       from information_schema.columns where table_schema = current_schema()
     union all
     select conrelid::regclass::text, conname, pg_get_constraintdef(oid)
       from pg_constraint where connamespace = current_schema()::regnamespace
     union all
     select tablename, indexname, replace(indexdef, current_schema() || '.', '')
       from pg_indexes where schemaname = current_schema()
     order by 1, 2, 3`,
  );
  await client.end();
  return rows;
}
