import type { StoredUser } from "../storage/users.js";
import { foldEmail, withAsciiDomains } from "../values/email.js";
import { fold, normalizeNfc } from "../values/text.js";

/** A shorter text names a person only when it stands alone, not inside of another text. */
const SHORTEST_PART = 4;

/** The keys of a user, as stored or as in an event. */
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
      this.folds.add(foldEmail(text));
      this.spellings.add(spelling(text));
    }
  }

  /** Returns whether a text names the person. */
  has(text: string): boolean {
    return this.spellings.has(spelling(text));
  }

  /** Returns whether a text is an email of the person by the rule of email look-ups, where "weiß" and "weiss" differ. */
  hasAsEmail(text: string): boolean {
    return this.folds.has(foldEmail(text));
  }

  /** Returns whether a text names the person, or has in it a text of four characters or more that does. */
  isIn(text: string): boolean {
    const spelled = spelling(text);
    return [...this.spellings].some((part) =>
      part.length < SHORTEST_PART ? spelled === part : spelled.includes(part),
    );
  }
}

/**
 * Returns the form that a text shares with all its spellings: in other cases, where `ß` is `SS` in capitals and `ŉ` two letters
 * (Unicode, section 3.13), and with the domains of its emails in ASCII.
 */
function spelling(text: string): string {
  return fold(normalizeNfc(withAsciiDomains(text)).toUpperCase());
}
