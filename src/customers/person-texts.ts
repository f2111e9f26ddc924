import { foldEmail, withAsciiDomains } from "../base/values/email.js";
import { fold, normalizeNfc } from "../base/values/text.js";
import type { StoredUser } from "../storage/users.js";

/** Minimum length of a text that names a person inside another text. Shorter texts must match as a whole. */
const MIN_PART_LENGTH = 4;

/** The fields that identify a user, from storage or from an event. */
type Identity = Partial<Pick<StoredUser, "id" | "email" | "name" | "phone" | "externalId">>;

/** The strings that identify a person, now or in the past. Matching ignores case and differences in Unicode normalization. */
export class PersonTexts {
  private readonly foldedTexts = new Set<string>();
  private readonly normalizedTexts = new Set<string>();

  constructor(user: Identity) {
    this.add(user);
  }

  add({ id, email, name, phone, externalId }: Identity): void {
    for (const text of [id, email, name, phone, externalId]) {
      if (typeof text !== "string" || text === "") continue;
      this.foldedTexts.add(foldEmail(text));
      this.normalizedTexts.add(normalizeSpelling(text));
    }
  }

  /** Returns whether the string as a whole is one of the person's identifying strings. */
  has(text: string): boolean {
    return this.normalizedTexts.has(normalizeSpelling(text));
  }

  /**
   * Returns whether the string equals one of the person's identifying strings under the comparison rule for emails, which treats
   * "weiß" and "weiss" as different.
   */
  matchesAsEmail(text: string): boolean {
    return this.foldedTexts.has(foldEmail(text));
  }

  /** Returns whether a string is one of the person's identifying strings, or contains one that is at least four characters long. */
  occursIn(text: string): boolean {
    const normalized = normalizeSpelling(text);
    return [...this.normalizedTexts].some((part) =>
      part.length < MIN_PART_LENGTH ? normalized === part : normalized.includes(part),
    );
  }
}

/**
 * Returns a form that all spellings of a string share. The string is converted to uppercase first, which turns `ß` into `SS` and
 * `ŉ` into two letters (Unicode, section 3.13). It is then folded, and the domains of emails are converted to ASCII.
 */
function normalizeSpelling(text: string): string {
  return fold(normalizeNfc(withAsciiDomains(text)).toUpperCase());
}
