import { recordAuditedRead } from "../tenant/audit.js";
import { UseCases } from "../tenant/use-cases.js";

/** Exports an organization's data. */
export class Exports extends UseCases {
  /**
   * Exports all of the organization's data as a ZIP archive: a CSV or NDJSON file for each kind of resource, named as in the HTTP
   * API, the pictures, and a `README.txt` and `manifest.json` that describe the content. It contains no secrets. Data is read in
   * small batches, each from one snapshot, as fast as the bytes are consumed, so a change during the export may appear in one file
   * and not in another. The audit trail records the export. An incomplete archive can't be opened.
   * @throws {LoyaltyError} on the first read: `access_denied` without `organization:export`. On any read: `storage_unavailable` if
   *   too many calls wait, `unauthorized` once the caller's credential is revoked.
   * @example
   * import { createWriteStream } from "node:fs";
   * import { pipeline } from "node:stream/promises";
   *
   * const cafe = loyalty.organization("cafe");
   * await pipeline(cafe.exports.everything(), createWriteStream("cafe.zip"));
   */
  async *everything(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    // Loaded on demand, because few processes ever export data.
    const { createArchive } = await import("./archive.js");
    await recordAuditedRead(this.tenant, { action: "organization.exported", target: null });
    yield* createArchive(this.tenant);
  }
}
