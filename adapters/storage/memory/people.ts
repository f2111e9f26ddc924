import { compareTexts } from "../../../src/base/values/text.js";
import { type OwnedPerson, personRecord, type StoredPerson } from "../../../src/storage/people.js";
import { updated } from "../../../src/storage/record.js";
import { StorageConflict } from "../../../src/storage/storage-adapter.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRowWithLists } from "./store/rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

function findByEmail({ people }: OrganizationRows, emailFold: string): StoredPerson | undefined {
  return [...people.values()].find((person) => person.emailFold === emailFold);
}

export function peopleByEmail(store: Store, emailFold: string, limit: number): OwnedPerson[] {
  return listMatches(store, (rows) => findByEmail(rows, emailFold))
    .sort(compareProvenFirst)
    .slice(0, limit);
}

function compareProvenFirst({ person: a }: OwnedPerson, { person: b }: OwnedPerson): number {
  const proven = Number(b.emailProvenAt !== null) - Number(a.emailProvenAt !== null);
  const signedIn = (b.lastSignedInAt ?? -Infinity) - (a.lastSignedInAt ?? -Infinity);
  // Both values can be `-Infinity`, for staff who never signed in. Their difference is then `NaN`, which is falsy.
  return proven || signedIn || a.createdAt - b.createdAt;
}

export function peopleById(store: Store, id: string, limit: number): OwnedPerson[] {
  return listMatches(store, ({ people }) => people.get(id)).slice(0, limit);
}

/** Returns the matching staff members from all organizations, sorted by organization. */
function listMatches(
  store: Store,
  findPerson: (rows: OrganizationRows) => StoredPerson | undefined,
): OwnedPerson[] {
  return [...store.all()]
    .flatMap(([organizationId, rows]) => {
      const person = findPerson(rows);
      return person === undefined ? [] : [{ organizationId, person }];
    })
    .sort((a, b) => compareTexts(a.organizationId, b.organizationId));
}

export function insertPerson(rows: OrganizationRows, log: UndoLog, person: StoredPerson): void {
  if (findByEmail(rows, person.emailFold) !== undefined) throw new StorageConflict("email");
  log.add(rows.people, person.id, freezeRowWithLists(person));
}

export function updatePerson(rows: OrganizationRows, log: UndoLog, person: StoredPerson): boolean {
  const previous = rows.people.get(person.id);
  if (previous === undefined) return false;
  log.set(rows.people, person.id, freezeRowWithLists(updated(personRecord, previous, person)));
  return true;
}
