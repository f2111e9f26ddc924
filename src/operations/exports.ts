import type { Operations } from "./operation.js";

/** The operations that take out what an organization has. */
export const exportOperations = {
  everything: {
    operationId: "exportEverything",
    summary: "Take out everything",
    description: [
      "A ZIP archive, sent as it is read: a CSV or NDJSON file for each kind of thing with the names of this interface, the pictures,",
      "and a `README.txt` and `manifest.json` that say what is in it. Secrets are in none. What changes meanwhile may be in one file",
      "and not in another. An archive that is cut short can't be opened.",
    ].join(" "),
    answer: "The archive.",
    scope: "organization:export",
    result: null,
    file: { name: "export.zip", type: "application/zip" },
    errors: [],
  },
} satisfies Operations<"exports">;
