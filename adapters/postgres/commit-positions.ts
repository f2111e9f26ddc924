import { putAndEvict } from "../../src/bounded-map.js";

/** The most organizations with a position of their own; the others share one. */
const MOST = 10_000;

const form = /^([0-9A-F]{1,8})\/([0-9A-F]{1,8})$/i;

/** An LSN as a number that can be compared. @throws {TypeError} if it is none. */
export function parsePosition(lsn: string): bigint {
  const [, high, low] = form.exec(lsn) ?? [];
  if (high === undefined || low === undefined)
    throw new TypeError("a position is an LSN such as 16/B374D848");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/** Returns the position that a replica must have reached to be read. */
export class CommitPositions {
  /** In the order of their last commits. */
  readonly #ofOrganizations = new Map<string, bigint>();
  #ofAll = 0n;

  /** @param organizationId `undefined` for what may be of any. */
  note(organizationId: string | undefined, lsn: string): void {
    const position = parsePosition(lsn);
    if (organizationId === undefined) {
      if (position > this.#ofAll) this.#ofAll = position;
      return;
    }
    const [, forgotten = 0n] = putAndEvict(this.#ofOrganizations, organizationId, position, MOST) ?? [];
    // A forgotten organization still sees its own changes.
    if (forgotten > this.#ofAll) this.#ofAll = forgotten;
  }

  get(organizationId: string): bigint {
    const own = this.#ofOrganizations.get(organizationId) ?? 0n;
    return own > this.#ofAll ? own : this.#ofAll;
  }
}
