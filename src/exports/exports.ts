import { recordAuditedRead } from "../kernel/audit.js";
import { UseCases } from "../kernel/use-cases.js";

/** Exports an organization's data as a ZIP archive. */
export class Exports extends UseCases {
  /**
   * Exports all of the organization's data, except secrets, as a ZIP archive. The archive contains a CSV or NDJSON file for each
   * kind of resource, named after the resource in the HTTP API, along with the pictures and a `README.txt` and `manifest.json` that
   * describe the contents. Data is read in small batches, each from a single snapshot, and no faster than the archive is consumed.
   * A change made during the export might therefore appear in one file but not in another. The export is recorded in the audit
   * trail. An incomplete archive can't be opened.
   * @throws {LoyaltyError} `access_denied` on the first read if the caller lacks `organization:export`, `storage_unavailable` on
   *   any read if too many calls are waiting, or `unauthorized` on any read after the caller's credential was revoked.
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
