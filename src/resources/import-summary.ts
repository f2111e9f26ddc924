import { z } from "zod";

const count = z.int().min(0);

/** How many rows of an import came to what; `failed` ones have changed nothing. */
export const importSummarySchema = z
  .object({
    object: z.literal("import"),
    created: count,
    updated: count,
    unchanged: count,
    failed: count,
  })
  .meta({ id: "ImportSummary" });

/** The summary of an import by what became of its rows. */
export function summaryOf({
  failed,
  ...counts
}: Counts & { readonly failed: readonly unknown[] }): ImportSummary {
  return { object: "import", ...counts, failed: failed.length };
}

type ImportSummary = z.output<typeof importSummarySchema>;
type Counts = Pick<ImportSummary, "created" | "updated" | "unchanged">;
