import type { StoredUser } from "../storage/users.js";
import { fold } from "../values/text.js";

/** How long a text is at least that tells of somebody also inside of another. */
const SHORTEST_PART = 4;

/** What a user is known by: as it is now, or as an event has told it. */
type Known = Partial<Pick<StoredUser, "id" | "email" | "name" | "phone" | "externalId">>;

/** The texts by which a person is or was known, in any case and form. */
export class PersonTexts {
  private readonly folds = new Set<string>();

  constructor(user: Known) {
    this.add(user);
  }

  add({ id, email, name, phone, externalId }: Known): void {
    for (const text of [id, email, name, phone, externalId]) {
      if (typeof text === "string" && text !== "") this.folds.add(fold(text));
    }
  }

  /** Whether a text is one of them. */
  has(text: string): boolean {
    return this.folds.has(fold(text));
  }

  /** Whether a text is one of them, or has one in it that is no syllable. */
  isIn(text: string): boolean {
    const folded = fold(text);
    return [...this.folds].some((part) =>
      part.length < SHORTEST_PART ? folded === part : folded.includes(part),
    );
  }
}
