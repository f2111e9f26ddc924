import type * as z from "zod";
import type { Tenant } from "../tenant/tenant.js";

interface Named {
  /** The file name without its extension, which is the resource's name in API paths. */
  readonly name: string;
  /** A one-line description of the content. */
  readonly says: string;
  /** The tables that the rows are read from. */
  readonly tables: readonly string[];
}

/** Batches of rows. Each batch is read from one snapshot. */
export type RowBatches<Row> = AsyncIterable<readonly Row[]>;

/** A kind of resource in an export. Flat rows are exported as `csv`, nested rows as `ndjson`. */
export type ExportKind<Row extends object = object> = Named &
  (
    | { readonly format: "csv"; readonly schema: z.ZodObject & z.ZodType<Row> }
    | { readonly format: "ndjson"; readonly schema: z.ZodType<Row> }
  ) & {
    /** Reads the rows in the format of the API, no faster than they are consumed. */
    rows(tenant: Tenant): RowBatches<Row>;
  };

/** Defines an export kind. Its rows must match its schema. */
export function defineKind<Row extends object>(described: ExportKind<Row>): ExportKind {
  return described;
}
