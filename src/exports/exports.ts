import { recordAuditedRead } from "../tenant/audit.js";
import { UseCases } from "../tenant/use-cases.js";

/** Takes out what an organization has. */
export class Exports extends UseCases {
  /**
   * Exports all data of the organization as the bytes of a ZIP archive: a CSV or NDJSON file for each kind of resource, with the
   * names of the HTTP API, the pictures, and a `README.txt` and `manifest.json` that describe the content. It contains no secrets.
   * Data is read in small batches, each of one state, as fast as the bytes are consumed, so a change during the export may be in
   * one file and not in another. The audit trail records the export. An incomplete archive can't be opened.
   * @throws {LoyaltyError} at the first step: `access_denied` without `organization:export`. At any step: `storage_unavailable` if
   *   too many calls wait, `unauthorized` once the caller's credential is revoked.
   * @example
   * import { createWriteStream } from "node:fs";
   * import { pipeline } from "node:stream/promises";
   *
   * const cafe = loyalty.organization("cafe");
   * await pipeline(cafe.exports.everything(), createWriteStream("cafe.zip"));
   */
  async *everything(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    // Few processes ever need it.
    const { createArchive } = await import("./archive.js");
    await recordAuditedRead(this.tenant, { action: "organization.exported", target: null });
    yield* createArchive(this.tenant);
  }
}
