import { LimitNode, type OperationNodeSource, ValueNode } from "kysely";

/** Returns a `limit` clause for use in raw SQL. It compiles to each database's own syntax. */
export function limited(rows: number): OperationNodeSource {
  return { toOperationNode: () => LimitNode.create(ValueNode.create(rows)) };
}
