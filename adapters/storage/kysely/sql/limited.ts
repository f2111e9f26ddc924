import { LimitNode, type OperationNodeSource, ValueNode } from "kysely";

/** Builds a `limit` clause for raw SQL. The clause uses the database's own syntax. */
export function limited(rows: number): OperationNodeSource {
  return { toOperationNode: () => LimitNode.create(ValueNode.create(rows)) };
}
