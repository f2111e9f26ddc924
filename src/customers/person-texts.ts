import type { StoredUser } from "../storage/users.js";
import { fold } from "../values/text.js";

/** How long a text is at least that tells of somebody also inside of another. */
const SHORTEST_PART = 4;

/** What a user is known by: as it is now, or as an event has told it. */
type Known = Partial<Pick<StoredUser, "id" | "email" | "name" | "phone" | "externalId">>;

/** The texts by which a person is or was known, in any case and form. */
export class PersonTexts {
  private readonly folds = new Set<string>();
  private readonly spellings = new Set<string>();

  constructor(user: Known) {
    this.add(user);
  }

  add({ id, email, name, phone, externalId }: Known): void {
    for (const text of [id, email, name, phone, externalId]) {
      if (typeof text !== "string" || text === "") continue;
      this.folds.add(fold(text));
      this.spellings.add(spelling(text));
    }
  }

  /** Whether a text is one of them. */
  has(text: string): boolean {
    return this.spellings.has(spelling(text));
  }

  /** Whether a text is one of them for those who look for an email, to whom "weiß" and "weiss" are two. */
  hasAsEmail(text: string): boolean {
    return this.folds.has(fold(text));
  }

  /** Whether a text is one of them, or has one in it that is no syllable. */
  isIn(text: string): boolean {
    const spelled = spelling(text);
    return [...this.spellings].some((part) =>
      part.length < SHORTEST_PART ? spelled === part : spelled.includes(part),
    );
  }
}

/**
 * What a text has in common with all its spellings in other cases: `ß` is `SS` in capitals, `ŉ` two letters, and a sigma is
 * another one at the end of a word (Unicode, section 3.13).
 */
function spelling(text: string): string {
  return fold(text.normalize("NFC").toUpperCase()).replaceAll("ς", "σ");
}
