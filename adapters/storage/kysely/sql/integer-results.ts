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
import type { Column } from "../../../../src/storage/record.js";
import { isInteger as isIntegerColumn, toSqlName, toSqlTableName } from "./columns.js";
import { tables } from "./tables.js";

/** The names of a table's columns, or a query's values, that are integers. */
type ColumnNames = ReadonlySet<string>;

/** The tables and subqueries that a query reads from, keyed by their names in the query. */
type Sources = ReadonlyMap<string, ColumnNames>;

const noNames: ColumnNames = new Set();

/** The names of each table's integer columns, keyed by table name. */
export const integerColumns: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.values(tables).map(({ record, beside }) => {
    const columns = Object.entries<Column>({ ...record.columns, ...beside });
    const integers = columns.filter(([, column]) => isIntegerColumn(column)).map(([name]) => toSqlName(name));
    return [toSqlTableName(record), new Set(integers)];
  }),
);

const namesByQuery = new WeakMap<OperationNode, ColumnNames>();

/**
 * Returns the names of a query's integer results: values from integer columns and row counts. Results of raw SQL are never
 * included, because raw SQL already casts integers to a type that every driver returns as a number.
 */
export function findIntegerResults(query: OperationNode): ColumnNames {
  const cached = namesByQuery.get(query);
  if (cached !== undefined) return cached;
  const { selections, sources } = splitQuery(query);
  const names = new Set(selections.flatMap(({ selection }) => findIntegers(selection, sources)));
  namesByQuery.set(query, names);
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

function resolveSource(source: OperationNode): [string, ColumnNames] {
  if (AliasNode.is(source)) return [requireName(source.alias), resolveSource(source.node)[1]];
  const name = requireName(source);
  return TableNode.is(source)
    ? [name, integerColumns.get(name) ?? noNames]
    : [name, findIntegerResults(source)];
}

/** Returns the name of a selected value if it is an integer, otherwise nothing. For all columns, returns the integer columns. */
function findIntegers(selection: OperationNode, sources: Sources): string[] {
  if (SelectAllNode.is(selection)) return [...sources.values()].flatMap((names) => [...names]);
  if (ReferenceNode.is(selection) && SelectAllNode.is(selection.column)) {
    return [...findColumnSources(selection, sources)].flatMap((names) => [...names]);
  }
  return isInteger(selection, sources) ? [requireName(selection)] : [];
}

function isInteger(value: OperationNode, sources: Sources): boolean {
  if (AliasNode.is(value)) return isInteger(value.node, sources);
  if (ReferenceNode.is(value)) {
    const name = requireName(value);
    return findColumnSources(value, sources).some((names) => names.has(name));
  }
  if (AggregateFunctionNode.is(value)) {
    const isExtreme = value.func === "min" || value.func === "max";
    return value.func === "count" || (isExtreme && value.aggregated.some((each) => isInteger(each, sources)));
  }
  return false;
}

/**
 * Returns the sources that a column may come from. Without a table name, this can be any source, because the database itself
 * rejects ambiguous columns.
 */
function findColumnSources({ table }: ReferenceNode, sources: Sources): ColumnNames[] {
  return table === undefined ? [...sources.values()] : [sources.get(requireName(table)) ?? noNames];
}

function requireName(node: OperationNode): string {
  if (IdentifierNode.is(node)) return node.name;
  if (AliasNode.is(node)) return requireName(node.alias);
  if (TableNode.is(node)) return node.table.identifier.name;
  if (ReferenceNode.is(node)) return requireName(node.column);
  return ColumnNode.is(node) ? node.column.name : "";
}
