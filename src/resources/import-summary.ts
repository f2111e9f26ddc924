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
