import {
  AggregateFunctionNode,
  AliasNode,
  ColumnNode,
  DeleteQueryNode,
  IdentifierNode,
  InsertQueryNode,
  type JoinNode,
  type OperationNode,
  ReferenceNode,
  SelectAllNode,
  type SelectionNode,
  SelectQueryNode,
  TableNode,
  UpdateQueryNode,
} from "kysely";
import type { Column } from "../../../src/storage/record.js";
import { isInteger as isIntegerColumn, sqlName, sqlTableName } from "./columns.js";
import { tables } from "./tables.js";

/** The names of a table's columns, or of a query's values, that are integers. */
type Names = ReadonlySet<string>;

/** The tables and subqueries that a query reads from, by their names in it. */
type Sources = ReadonlyMap<string, Names>;

const none: Names = new Set();

/** The columns of each table that hold integers. */
export const integerColumns: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.values(tables).map(({ record, beside }) => {
    const columns = Object.entries<Column>({ ...record.columns, ...beside });
    const integers = columns.filter(([, column]) => isIntegerColumn(column)).map(([name]) => sqlName(name));
    return [sqlTableName(record), new Set(integers)];
  }),
);

const known = new WeakMap<OperationNode, Names>();

/**
 * The names of those values in the rows of a query that are integers: they come from columns of integers, or count rows.
 * No part that is SQL by hand gives one: it casts integers to a type that every driver gives as numbers.
 */
export function integerResults(query: OperationNode): Names {
  const before = known.get(query);
  if (before !== undefined) return before;
  const { selections, sources } = splitQuery(query);
  const names = new Set(selections.flatMap(({ selection }) => integersIn(selection, sources)));
  known.set(query, names);
  return names;
}

function splitQuery(query: OperationNode): { selections: readonly SelectionNode[]; sources: Sources } {
  if (SelectQueryNode.is(query)) {
    return { selections: query.selections ?? [], sources: listSources(query.from?.froms, query.joins) };
  }
  const selections = findReturning(query)?.selections ?? [];
  if (InsertQueryNode.is(query)) return { selections, sources: listSources(query.into && [query.into]) };
  if (UpdateQueryNode.is(query)) {
    return { selections, sources: listSources(query.table && [query.table], query.joins) };
  }
  if (DeleteQueryNode.is(query)) return { selections, sources: listSources(query.from.froms, query.joins) };
  return { selections: [], sources: listSources() };
}

function findReturning(query: OperationNode) {
  return InsertQueryNode.is(query) || UpdateQueryNode.is(query) || DeleteQueryNode.is(query)
    ? query.returning
    : undefined;
}

function listSources(tables: readonly OperationNode[] = [], joins: readonly JoinNode[] = []): Sources {
  return new Map([...tables, ...joins.map(({ table }) => table)].map((source) => resolveSource(source)));
}

function resolveSource(source: OperationNode): [string, Names] {
  if (AliasNode.is(source)) return [requireName(source.alias), resolveSource(source.node)[1]];
  const name = requireName(source);
  return TableNode.is(source) ? [name, integerColumns.get(name) ?? none] : [name, integerResults(source)];
}

/** The name of one value of the rows when it is an integer, else none; of all columns, those that are. */
function integersIn(selection: OperationNode, sources: Sources): string[] {
  if (SelectAllNode.is(selection)) return [...sources.values()].flatMap((names) => [...names]);
  if (ReferenceNode.is(selection) && SelectAllNode.is(selection.column)) {
    return [...readFrom(selection, sources)].flatMap((names) => [...names]);
  }
  return isInteger(selection, sources) ? [requireName(selection)] : [];
}

function isInteger(value: OperationNode, sources: Sources): boolean {
  if (AliasNode.is(value)) return isInteger(value.node, sources);
  if (ReferenceNode.is(value)) {
    const name = requireName(value);
    return readFrom(value, sources).some((names) => names.has(name));
  }
  if (AggregateFunctionNode.is(value)) {
    const isExtreme = value.func === "min" || value.func === "max";
    return value.func === "count" || (isExtreme && value.aggregated.some((each) => isInteger(each, sources)));
  }
  return false;
}

/** A column without the name of its table is one of any source: of two with such a column, the database asks which. */
function readFrom({ table }: ReferenceNode, sources: Sources): Names[] {
  return table === undefined ? [...sources.values()] : [sources.get(requireName(table)) ?? none];
}

function requireName(node: OperationNode): string {
  if (IdentifierNode.is(node)) return node.name;
  if (AliasNode.is(node)) return requireName(node.alias);
  if (TableNode.is(node)) return node.table.identifier.name;
  if (ReferenceNode.is(node)) return requireName(node.column);
  return ColumnNode.is(node) ? node.column.name : "";
}
