import type { StoredSubscription } from "../storage/subscriptions.js";
import { channelOf, isCustomerInitiated, isSameState, withChannel } from "./subscription-state.js";

/** A customer's consent to messages by mail, and the language of their mails, as another program has them. */
export interface ImportedConsent {
  /** `null` if nothing is said of it. */
  readonly email: {
    readonly status: "SUBSCRIBED" | "UNSUBSCRIBED";
    /** `null` for now. */
    readonly at: number | null;
    readonly text: string | null;
  } | null;
  /** The language of mails; `null` if nothing is said of it. */
  readonly language: string | null;
}

/**
 * Returns the subscription with an imported consent; itself where it has that already. A customer who has ended messages, or for whom
 * that was said later than the consent is, stays without: `isSkipped` then.
 */
export function applyImportedConsent(
  before: StoredSubscription,
  { email, language }: ImportedConsent,
  now: number,
): { readonly after: StoredSubscription; readonly isSkipped: boolean } {
  const spoken = language === null || language === before.language ? before : { ...before, language };
  if (email === null) return { after: spoken, isSkipped: false };
  const known = channelOf(before, "email");
  const { status, at, text } = email;
  if (known.status === "UNSUBSCRIBED") {
    if (status === "UNSUBSCRIBED") return { after: spoken, isSkipped: false };
    if (isCustomerInitiated(known) || (at ?? now) <= (known.at ?? 0))
      return { after: spoken, isSkipped: true };
  }
  const state = { status, at: at ?? now, source: "import", text } as const;
  const isSame = isSameState(known, state);
  return { after: isSame ? spoken : withChannel(spoken, "email", state), isSkipped: false };
}
