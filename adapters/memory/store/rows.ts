/** A row as the store keeps it: no one else's object, and safe to give out. */
export function freezeRow<Row extends object>(row: Row): Readonly<Row> {
  return Object.freeze({ ...row });
}

/** {@link freezeRow} for a row with lists, which are copied too. */
export function freezeRowWithLists<Row extends object>(row: Row): Readonly<Row> {
  const lists = Object.entries(row).filter(([, value]) => Array.isArray(value));
  return freezeRow({
    ...row,
    ...Object.fromEntries(lists.map(([name, list]) => [name, Object.freeze([...list])])),
  });
}

/** The row that a unique key leads to. */
export function findByKey<Key, Id, Row>(
  ids: ReadonlyMap<Key, Id>,
  rows: ReadonlyMap<Id, Row>,
  key: Key,
): Row | null {
  const id = ids.get(key);
  return id === undefined ? null : (rows.get(id) ?? null);
}

/** The row that another row refers to. @throws if there is none: a reference must lead somewhere. */
export function requireRow<Id, Row>(rows: ReadonlyMap<Id, Row>, id: Id): Row {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`There is no row ${id} to refer to.`);
  return row;
}
