import { recordAuditedRead } from "../tenant/audit.js";
import { UseCases } from "../tenant/use-cases.js";

/** Takes out what an organization has. */
export class Exports extends UseCases {
  /**
   * Everything that the organization has, as the bytes of a ZIP archive: a CSV or NDJSON file for each kind of thing with the
   * names of the HTTP interface, its pictures, and a `README.txt` and `manifest.json` that say what is in it. Secrets are in
   * none. It is read in small batches, each of one state, as fast as the bytes are taken: what changes meanwhile may be in one
   * file and not in another. The audit trail tells of it. An archive that is cut short can't be opened.
   * @throws {LoyaltyError} at the first step: `access_denied` without `organization:export`. At any: `storage_unavailable`
   *   when too many wait, `unauthorized` once the caller's token or the like is gone.
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
