import { type LimitNode, SqliteQueryCompiler } from "kysely";

/** Compiles queries for SQLite. */
export class QueryCompiler extends SqliteQueryCompiler {
  /**
   * SQLite includes the value of a plain `limit ?` in its plan, and plans again for each bound value, which takes many times as
   * long as a lookup. It doesn't see through the sign.
   */
  protected override visitLimit(node: LimitNode): void {
    this.append("limit +");
    this.visitNode(node.limit);
  }
}
