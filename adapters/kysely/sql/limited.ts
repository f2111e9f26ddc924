import { LimitNode, type OperationNodeSource, ValueNode } from "kysely";

/** `limit` in a query that is written out: the compiler of each database has its own way to write one. */
export function limited(rows: number): OperationNodeSource {
  return { toOperationNode: () => LimitNode.create(ValueNode.create(rows)) };
}
