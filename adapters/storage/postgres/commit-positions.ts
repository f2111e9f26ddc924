import { putAndEvict } from "../../../src/base/bounded-map.js";

/** Maximum number of organizations whose positions are stored separately. All others share one position. */
const MAX_ORGANIZATIONS = 10_000;

const lsnPattern = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i;

/**
 * Parses an LSN into a `bigint` so that positions can be compared.
 * @throws {TypeError} if the LSN is malformed.
 */
export function parsePosition(lsn: string): bigint {
  const [, high, low] = lsnPattern.exec(lsn) ?? [];
  if (high === undefined || low === undefined)
    throw new TypeError("a position must be an LSN such as 16/B374D848");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/**
 * Tracks, for each organization, the log position that a replica must reach before it can serve reads of the organization's data.
 */
export class CommitPositions {
  /** Log positions keyed by organization ID, least recently committed first. */
  readonly #positions = new Map<string, bigint>();
  #newest = 0n;

  /**
   * Records the log position of a commit.
   * @param organizationId the organization whose data the commit changed, or `undefined` if the commit might have changed any
   *   organization's data.
   */
  record(organizationId: string | undefined, lsn: string): void {
    const position = parsePosition(lsn);
    if (organizationId === undefined) {
      if (position > this.#newest) this.#newest = position;
      return;
    }
    const [, evictedPosition = 0n] =
      putAndEvict(this.#positions, organizationId, position, MAX_ORGANIZATIONS) ?? [];
    // Raises the shared position, so that an evicted organization still sees its own changes.
    if (evictedPosition > this.#newest) this.#newest = evictedPosition;
  }

  get(organizationId: string): bigint {
    const ownPosition = this.#positions.get(organizationId) ?? 0n;
    return ownPosition > this.#newest ? ownPosition : this.#newest;
  }
}
