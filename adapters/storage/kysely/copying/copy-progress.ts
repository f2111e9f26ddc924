import { type CompiledQuery, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { findFirst, type ReadSession, type Session } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { RowTable } from "./row-table.js";

/**
 * Stores a copy's progress in the target database so that an interrupted copy can resume. The progress is written in the same
 * transactions as the copied rows.
 */
export class CopyProgress {
  constructor(private readonly dialect: SqlDialect) {}

  /**
   * Begins a copy, or resumes an interrupted one.
   * @throws if the target contains data that an interrupted copy didn't write.
   */
  *begin(session: Session): Step<void> {
    if (yield* this.hasBegun(session)) return;
    for (const { name } of RowTable.all) {
      const any = sql`select 1 as one from ${sql.table(name)} limit 1`.compile(this.dialect.db);
      if ((yield* findFirst(session, any)) === null) continue;
      throw new Error(`the database to copy to isn't empty: ${name} contains rows`);
    }
    const { text } = this.dialect.columns;
    yield* session.change(
      this.dialect.db.schema
        .createTable("loyalty_copying")
        .addColumn("part", text, (column) => column.primaryKey())
        .addColumn("reached", text, (column) => column.notNull())
        .compile(),
    );
  }

  /** Returns the key of the last copied row in a part of the copy, or `null` if that part hasn't begun. */
  *load(session: ReadSession, part: string): Step<unknown[] | null> {
    const row = yield* findFirst(
      session,
      this.#compiled<{ reached: string }>(sql`select reached from loyalty_copying where part = ${part}`),
    );
    return row === null ? null : JSON.parse(row.reached);
  }

  *save(session: Session, part: string, key: readonly unknown[]): Step<void> {
    const reached = JSON.stringify(key);
    yield* session.change(
      this.#compiled(sql`insert into loyalty_copying (part, reached) values (${part}, ${reached})
        on conflict (part) do update set reached = excluded.reached`),
    );
  }

  *end(session: Session): Step<void> {
    yield* session.change(this.dialect.db.schema.dropTable("loyalty_copying").compile());
  }

  *hasBegun(session: ReadSession): Step<boolean> {
    return (yield* findFirst(session, this.dialect.tableNamed("loyalty_copying"))) !== null;
  }

  #compiled<Row>(query: ReturnType<typeof sql<Row>>): CompiledQuery<Row> {
    return query.compile(this.dialect.db);
  }
}
