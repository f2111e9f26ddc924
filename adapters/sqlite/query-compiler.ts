import { type LimitNode, SqliteQueryCompiler } from "kysely";

/** Compiles queries to SQLite's SQL. */
export class QueryCompiler extends SqliteQueryCompiler {
  /**
   * Adds a sign to each bound limit so that SQLite can't see the limit's value when it plans the query. For a plain `limit ?`,
   * SQLite would use the value in the plan and plan the query again for each value, and planning takes many times as long as a
   * lookup.
   */
  protected override visitLimit(node: LimitNode): void {
    this.append("limit +");
    this.visitNode(node.limit);
  }
}
