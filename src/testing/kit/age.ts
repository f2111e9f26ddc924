/**
 * Makes five rows out of the order of their age, some of them of one time.
 * @returns the rows oldest first: by `createdAt`, then id.
 */
export async function rowsByAge<Row extends object>(
  make: (fields: { readonly id: string; readonly createdAt: number }, at: number) => Promise<Row>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [at, createdAt] of [5, 3, 5, 1, 3].entries()) {
    rows.push(await make({ id: `row_${9 - at}`, createdAt }, at));
  }
  return [3, 4, 1, 2, 0].flatMap((at) => rows[at] ?? []);
}
