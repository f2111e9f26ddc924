/** Returns a frozen copy of a row, so that callers can't change the stored row. */
export function freezeRow<Row extends object>(row: Row): Readonly<Row> {
  return Object.freeze({ ...row });
}

/** Returns a frozen copy of a row in which arrays and their items are copied and frozen too. */
export function freezeRowWithLists<Row extends object>(row: Row): Readonly<Row> {
  const lists = Object.entries(row).filter(([, value]) => Array.isArray(value));
  return freezeRow({
    ...row,
    ...Object.fromEntries(lists.map(([name, list]) => [name, Object.freeze(list.map(freezeItem))])),
  });
}

function freezeItem(item: unknown): unknown {
  return typeof item === "object" && item !== null ? freezeRow(item) : item;
}

/**
 * Returns the row with the given unique key, or `null` if there is none.
 * @param ids the row IDs, keyed by unique key.
 * @param rows the rows, keyed by ID.
 */
export function findByKey<Key, Id, Row>(
  ids: ReadonlyMap<Key, Id>,
  rows: ReadonlyMap<Id, Row>,
  key: Key,
): Row | null {
  const id = ids.get(key);
  return id === undefined ? null : (rows.get(id) ?? null);
}

/**
 * Returns a row that must exist because another row refers to it.
 * @throws if the row doesn't exist.
 */
export function requireRow<Id, Row>(rows: ReadonlyMap<Id, Row>, id: Id): Row {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`The referenced row ${id} doesn't exist.`);
  return row;
}
