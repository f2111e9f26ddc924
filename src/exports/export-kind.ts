import type * as z from "zod";
import type { Tenant } from "../kernel/tenant.js";

interface NamedKind {
  /** The file name without its extension. It matches the resource's name in API paths. */
  readonly name: string;
  /** A one-line description of the file's content. */
  readonly description: string;
  /** The tables that the rows come from. */
  readonly tables: readonly string[];
}

/** Batches of rows. All rows in a batch come from the same snapshot. */
export type RowBatches<Row> = AsyncIterable<readonly Row[]>;

/** A type of resource in an export. Flat rows are exported as CSV, nested rows as NDJSON. */
export type ExportKind<Row extends object = object> = NamedKind &
  (
    | { readonly format: "csv"; readonly schema: z.ZodObject & z.ZodType<Row> }
    | { readonly format: "ndjson"; readonly schema: z.ZodType<Row> }
  ) & {
    /** Reads the rows in the API's format, one batch at a time and only as fast as they are consumed. */
    readRows(tenant: Tenant): RowBatches<Row>;
  };

/** Defines an export kind, checking at compile time that its rows match its schema. */
export function defineKind<Row extends object>(definition: ExportKind<Row>): ExportKind {
  return definition;
}
