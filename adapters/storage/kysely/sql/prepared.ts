import { type Compilable, type CompiledQuery, type RawBuilder, sql } from "kysely";

/** Returns a placeholder for the named value, which must be supplied each time the query runs. */
export type Slot<Values> = <Name extends keyof Values>(name: Name) => RawBuilder<Values[Name]>;

/** Replaces a prepared query's placeholders with values and returns the compiled query, without compiling it again. */
export type Prepared<Values, Row> = (values: Values) => CompiledQuery<Row>;

/** A compiled query, and for each of its parameters either the slot or the constant value. */
interface Template<Values, Row> {
  readonly compiled: CompiledQuery<Row>;
  readonly order: readonly { readonly name: keyof Values | undefined; readonly constant: unknown }[];
}

/** Builds and compiles a query, and records which of its parameters are placeholders. */
export function compileTemplate<Values, Row>(
  build: (slot: Slot<Values>) => Compilable<Row>,
): Template<Values, Row> {
  const names = new Map<unknown, keyof Values>();
  const compiled = build(<Name extends keyof Values>(name: Name) => {
    const mark = Object.freeze({});
    names.set(mark, name);
    return sql<Values[Name]>`${mark}`;
  }).compile();
  const order = compiled.parameters.map((constant) => ({ name: names.get(constant), constant }));
  return { compiled, order };
}

/**
 * Builds and compiles a query once, because compiling costs more than running most queries. The returned function only replaces
 * the placeholders with values.
 */
export function prepare<Values, Row>(build: (slot: Slot<Values>) => Compilable<Row>): Prepared<Values, Row> {
  const { compiled, order } = compileTemplate(build);
  const { query, queryId, sql: text } = compiled;
  return (values) => ({
    query,
    queryId,
    sql: text,
    parameters: order.map(({ name, constant }) => (name === undefined ? constant : values[name])),
  });
}
