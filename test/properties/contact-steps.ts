import fc, { type Arbitrary } from "fast-check";
import type { Organization, User } from "loyalty-kit";
import { foldText } from "./oracle.js";

/** Few characters, so that most texts have most of their short parts in common. */
const alphabet = ["a", "b", "A", " ", "%", '"', "é", "e\u0301", "😀", "Σ", "σ", "ς", "I", "İ", "ı"];

/** Texts of the small alphabet. */
export function arbitraryFewLetters(minLength: number, maxLength: number): Arbitrary<string> {
  return fc.array(fc.constantFrom(...alphabet), { minLength, maxLength }).map((letters) => letters.join(""));
}

const filled = arbitraryFewLetters(1, 8).filter((text) => text.trim() !== "");
const fields = fc.record(
  { name: fc.option(filled), phone: fc.option(filled), externalId: fc.option(filled) },
  { requiredKeys: [] },
);

/** One write: creates a user, or changes or deletes the user at a position. */
export const contactSteps = fc.array(
  fc.oneof(
    { arbitrary: fc.record({ kind: fc.constant("create" as const), fields }), weight: 3 },
    { arbitrary: fc.record({ kind: fc.constant("change" as const), place: fc.nat(), fields }), weight: 3 },
    { arbitrary: fc.record({ kind: fc.constant("delete" as const), place: fc.nat() }), weight: 1 },
  ),
  { minLength: 1, maxLength: 14 },
);

export type ContactStep = typeof contactSteps extends Arbitrary<(infer Step)[]> ? Step : never;

/** The users of an organization after the writes through this class, oldest first. */
export class Customers {
  #users: User[] = [];
  #created = 0;

  constructor(readonly acme: Organization) {}

  get users(): readonly User[] {
    return this.#users;
  }

  /** Runs a step. Steps about a user do nothing if there is none. */
  async runStep(step: ContactStep): Promise<void> {
    if (step.kind === "create") {
      this.#created += 1;
      const email = `a.b+${this.#created}@ab.ba`;
      this.#users.push(await this.acme.users.create({ email, ...this.#removeTaken(step.fields, null) }));
      return;
    }
    const user = this.#users[step.place % this.#users.length];
    if (user === undefined) return;
    if (step.kind === "delete") {
      await this.acme.users.delete(user.id);
      this.#users = this.#users.filter((other) => other !== user);
    } else {
      const updatedUser = await this.acme.users.update(user.id, this.#removeTaken(step.fields, user));
      this.#users = this.#users.map((other) => (other === user ? updatedUser : other));
    }
  }

  /** Returns the fields without an external id that another user has. */
  #removeTaken({ externalId, ...others }: ContactFields, user: User | null): ContactFields {
    if (externalId === undefined) return others;
    const isTaken = this.#users.some((other) => other !== user && other.externalId === externalId);
    return isTaken && externalId !== null ? others : { ...others, externalId };
  }
}

interface ContactFields {
  name?: string | null;
  phone?: string | null;
  externalId?: string | null;
}

/** Returns whether a search finds the user. */
export function hasTerm({ email, name, phone, externalId }: User, search: string): boolean {
  const term = /^ *$/.test(search) ? "" : foldText(search);
  return [email, name, phone, externalId].some((text) => text !== null && foldText(text).includes(term));
}
