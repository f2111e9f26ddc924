import { LimitNode, type OperationNodeSource, ValueNode } from "kysely";

/** Returns a `limit` clause for raw SQL. Each database's compiler has its own syntax. */
export function limited(rows: number): OperationNodeSource {
  return { toOperationNode: () => LimitNode.create(ValueNode.create(rows)) };
}
