import type { Step } from "../../concurrency/step.js";
import type { StorageReader } from "../../storage/storage-adapter.js";
import { fold } from "../../values/text.js";
import type { ValidRow } from "./row.js";

/**
 * Which of the rows are new users whatever becomes of the others: neither anybody nor another row has one of their keys.
 * @param rows of one transaction; at most 1,000.
 */
export function* newcomersOf(
  reader: StorageReader,
  organizationId: string,
  rows: readonly ValidRow[],
): Step<ReadonlySet<ValidRow>> {
  const byEmail = new KeysOnce(rows.map(({ user }) => fold(user.email)));
  const byExternalId = new KeysOnce(rows.flatMap(({ user }) => user.externalId ?? []));
  const keys = { emailFolds: byEmail.keys(), externalIds: byExternalId.keys() };
  for (const { email, externalId } of yield* reader.usersByKeys(organizationId, keys)) {
    byEmail.add(fold(email));
    if (externalId !== null) byExternalId.add(externalId);
  }
  const isNewcomer = ({ user: { email, externalId = null } }: ValidRow) =>
    byEmail.isOnce(fold(email)) && (externalId === null || byExternalId.isOnce(externalId));
  return new Set(rows.filter(isNewcomer));
}

/** How often keys are met: once, or more often. */
class KeysOnce {
  readonly #isOnce = new Map<string, boolean>();

  constructor(keys: readonly string[]) {
    for (const key of keys) this.add(key);
  }

  add(key: string): void {
    this.#isOnce.set(key, !this.#isOnce.has(key));
  }

  isOnce(key: string): boolean {
    return this.#isOnce.get(key) === true;
  }

  keys(): string[] {
    return [...this.#isOnce.keys()];
  }
}
