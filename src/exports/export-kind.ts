import type * as z from "zod";
import type { Tenant } from "../tenant/tenant.js";

interface Named {
  /** The name of the file without its extension: the resource's name in paths. */
  readonly name: string;
  /** Describes the content in one line. */
  readonly says: string;
  /** The tables that the rows come from. */
  readonly tables: readonly string[];
}

/** Batches of rows, each of one state. */
export type RowBatches<Row> = AsyncIterable<readonly Row[]>;

/** A kind of thing that an organization has. A `csv` is for rows that are flat, an `ndjson` for those that are not. */
export type ExportKind<Row extends object = object> = Named &
  (
    | { readonly format: "csv"; readonly schema: z.ZodObject & z.ZodType<Row> }
    | { readonly format: "ndjson"; readonly schema: z.ZodType<Row> }
  ) & {
    /** Reads the rows as the interface shows them, no faster than they are asked for. */
    rows(tenant: Tenant): RowBatches<Row>;
  };

/** Describes a kind. Its rows must match its schema. */
export function defineKind<Row extends object>(described: ExportKind<Row>): ExportKind {
  return described;
}
