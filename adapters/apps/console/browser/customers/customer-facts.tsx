import type { WalletPassDetail } from "../../../../../src/cards/pass-schema.js";
import type { User } from "../../../../../src/customers/schema.js";
import type { Subscription } from "../../../../../src/messages/subscription-schema.js";
import { hasScopes } from "../api/session.js";
import { useLoad } from "../components/load.js";
import { formatUnits } from "../components/unit-text.js";
import { customerFacts as words } from "../words/en/customer.js";
import { dayText } from "../words/en/forms.js";

/** Maximum number of cards that are listed one by one. */
const MAX_CARDS = 2;

interface CustomerFactsProps {
  readonly customer: User;
  /** The customer's cards, or `null` while they are loading. */
  readonly passes: readonly WalletPassDetail[] | null;
  /** The customer's consents, or `null` while they are loading. */
  readonly subscription: Subscription | null;
  /** A number that changes after each action on the screen, so that the last visit is loaded again. */
  readonly changeCount: number;
}

/** The three facts about a customer that matter most: the state of their cards, their last visit, and whether they get news. */
export function CustomerFacts({ customer, passes, subscription, changeCount }: CustomerFactsProps) {
  const { id, email } = customer;
  const contact = useLoad(`${id} ${changeCount}`, async (calls) => {
    const { content } = await calls.contacts.list({ ids: [id], includeSummary: true });
    return content[0]?.summary?.cards ?? { lastVisitAt: null };
  });
  const facts: readonly (readonly [string, string | null])[] = [
    ...(hasScopes("pass:read")
      ? [
          [words.cards, passes && describeCards(passes)] as const,
          [words.lastVisit, contact.value && formatVisit(contact.value.lastVisitAt)] as const,
        ]
      : []),
    [words.news, subscription && describeNews(email, subscription)],
  ];
  return (
    <dl class="key-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <bdi>{value ?? "…"}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function describeCards(passes: readonly WalletPassDetail[]): string {
  if (passes.length === 0) return words.noCard;
  if (passes.length > MAX_CARDS) return words.countCards(passes.length);
  return passes.map(describeCard).join(" · ");
}

function describeCard({ template, stampProgress, pointCard, rewardsAvailable }: WalletPassDetail): string {
  if (pointCard !== null)
    return formatUnits(pointCard.available, { unit: "points", word: template.points?.unit ?? null });
  if (stampProgress === null) return template.name;
  const stamps = words.stamps(stampProgress.currentStamps, stampProgress.maxStamps);
  return rewardsAvailable === null || rewardsAvailable === 0
    ? stamps
    : words.withRewards(stamps, rewardsAvailable);
}

/** Formats the day of the last visit in the device's time zone. */
function formatVisit(at: string | null): string {
  if (at === null) return words.never;
  return dayText(at) === dayText(new Date().toISOString()) ? words.today : dayText(at);
}

function describeNews(email: string | null, subscription: Subscription): string {
  if (subscription.suppressed !== null) return words.blocked;
  const getsEmail = email !== null && subscription.email.status === "SUBSCRIBED";
  const getsWallet = subscription.wallet.status === "SUBSCRIBED";
  if (getsEmail && getsWallet) return words.everywhere;
  if (getsEmail) return words.byEmail;
  if (getsWallet) return words.onCard;
  const statuses = [subscription.email.status, subscription.wallet.status];
  if (statuses.includes("PENDING")) return words.unconfirmed;
  return statuses.includes("UNSUBSCRIBED") ? words.unsubscribed : words.notAsked;
}
