import { guarded } from "./formula-guard.js";

/** A file of customers is read with these by csv-parse. */
export const reading = {
  record_delimiter: ["\r\n", "\n", "\r"],
  skip_empty_lines: true,
  // A record with too many or too few fields is one that fails, and no reason to stop.
  relax_column_count: true,
};

/** A file of customers is written with these by csv-stringify: each line end is in quotes. */
export const writing = { quoted_match: /[\r\n]/ };

/** Records as they are written. */
export function guardedRecords(records: readonly (readonly string[])[]): string[][] {
  return records.map((record) => record.map(guarded));
}

/** Why a record can't be read by these headers; `null` when it can. */
export function miscounted(record: readonly string[], columns: number): string | null {
  // Nobody knows which field is under which header.
  return record.length === columns ? null : `has ${record.length} fields, not ${columns}`;
}
