import { LimitNode, type OperationNodeSource, ValueNode } from "kysely";

/** Builds a `limit` clause for raw SQL. The clause compiles to the database's syntax. */
export function limited(rows: number): OperationNodeSource {
  return { toOperationNode: () => LimitNode.create(ValueNode.create(rows)) };
}
