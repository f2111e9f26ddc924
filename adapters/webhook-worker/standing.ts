import { putLatest } from "../../src/latest-entries.js";

/** How the last attempt at an endpoint went: well, or it failed or took long. Of others nothing is known. */
export type Standing = "good" | "troubled" | "unknown";

/** How many endpoints are remembered. To forget one costs little: its next attempt tells again. */
const MAX_REMEMBERED = 10_000;

/** The standing of endpoints, as far as attempts of this worker told it, the latest ones at least. */
export class Standings {
  private readonly known = new Map<string, Standing>();

  of(endpointId: string): Standing | null {
    return this.known.get(endpointId) ?? null;
  }

  note(endpointId: string, standing: Standing): void {
    putLatest(this.known, endpointId, standing, MAX_REMEMBERED);
  }
}
