import { LimitNode, type OperationNodeSource, ValueNode } from "kysely";

/** Builds a `limit` clause for raw SQL, in the database's own syntax. */
export function limited(rows: number): OperationNodeSource {
  return { toOperationNode: () => LimitNode.create(ValueNode.create(rows)) };
}
