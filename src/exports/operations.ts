import type { Operations } from "../kernel/operation.js";

export const exportOperations = {
  everything: {
    operationId: "exportEverything",
    summary: "Export all data",
    description:
      "Streams a ZIP archive with one CSV or NDJSON file per resource, along with pictures, a `README.txt` and " +
      "a `manifest.json`. Secrets aren't included. Changes made during the export may appear in some files but " +
      "not in others. If the export is interrupted, the archive can't be opened.",
    answer: "The ZIP archive.",
    scope: "organization:export",
    result: null,
    file: { name: "export.zip", type: "application/zip" },
    errors: [],
  },
} satisfies Operations<"exports">;
