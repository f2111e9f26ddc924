import { type LimitNode, SqliteQueryCompiler } from "kysely";

/** Compiles queries for SQLite. */
export class QueryCompiler extends SqliteQueryCompiler {
  /**
   * Prevents SQLite from planning a query again for each bound limit. It includes the value of a plain `limit ?` in its plan, and
   * planning takes many times as long as a lookup. It doesn't look behind the sign added here.
   */
  protected override visitLimit(node: LimitNode): void {
    this.append("limit +");
    this.visitNode(node.limit);
  }
}
