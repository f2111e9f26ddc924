import { type LimitNode, SqliteQueryCompiler } from "kysely";

/** Compiles queries for SQLite. */
export class QueryCompiler extends SqliteQueryCompiler {
  /**
   * SQLite takes the value of a plain `limit ?` into its plan, and makes the plan anew each time that a value is bound, which takes many
   * times as long as a look-up. It doesn't look through the sign.
   */
  protected override visitLimit(node: LimitNode): void {
    this.append("limit +");
    this.visitNode(node.limit);
  }
}
