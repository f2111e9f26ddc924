import type { CreateMessage } from "../../../../../src/messages/schema.js";
import type { MessageChannel } from "../../../../../src/messages/subscription-schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { SegmentCondition, SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import { hasScopes } from "../api/session.js";
import { useLoad } from "../components/load.js";
import { numbers as words } from "../words/en/message-numbers.js";
import { findAudienceFilter, isEmptyFilter, PendingNews, withConditions } from "./pending-news.js";
import { BigNumber } from "./progress.js";

const TYPING_MS = 300;

interface LiveNumbersProps {
  /** The message as it is written at the moment. */
  readonly draft: Pick<CreateMessage, "audience" | "templateId"> & {
    readonly channels: readonly MessageChannel[];
  };
}

/** Counts whom a message would reach while it is being written, without saving it. */
export function LiveNumbers({ draft }: LiveNumbersProps) {
  const { audience, templateId = null, channels } = draft;
  const filter = findAudienceFilter(audience);
  const isCountable = filter !== null && hasScopes("segment:read", "user:read", "pass:read");
  const counts = useLoad(
    JSON.stringify([filter, templateId, channels]),
    async (calls) => (isCountable ? countReached(calls, filter, channels, templateId) : null),
    TYPING_MS,
  );
  const { value } = counts;
  return (
    <section class="panel padded stack tight recipient-numbers live" aria-label={words.title}>
      <h2>{words.title}</h2>
      {value === null || counts.error !== null || channels.length === 0 ? (
        <p class="quiet">{isCountable && counts.isLoading ? "" : words.saveFirst}</p>
      ) : (
        <div class="stack tight" aria-live="polite">
          <dl class="big-numbers">
            {channels.includes("wallet") && <BigNumber count={value.wallet} text={words.onCard} />}
            {channels.includes("email") && <BigNumber count={value.email} text={words.byMail} />}
          </dl>
          <PendingNews message={draft} />
          <p class="quiet">{words.reachable(value.total)}</p>
        </div>
      )}
    </section>
  );
}

/** Counts the audience, and those in it who agreed to news by each channel. Customers without the card don't count for cards. */
async function countReached(
  calls: OrganizationCalls,
  audience: SegmentFilter,
  channels: readonly MessageChannel[],
  templateId: string | null,
) {
  const count = async (...conditions: SegmentCondition[]) => {
    if (isEmptyFilter(audience) && conditions.length === 0)
      return (await calls.contacts.list({ size: 1 })).totalElements;
    const filter = withConditions(audience, conditions);
    return (await calls.segments.query({ filter, size: 0 })).totalElements;
  };
  const countChannel = async (channel: MessageChannel) => {
    if (!channels.includes(channel)) return 0;
    const agreed = { subscription: { channel, status: "SUBSCRIBED" as const } };
    if (channel === "email") return count(agreed);
    return count(agreed, { wallet: { installed: true, ...(templateId !== null && { templateId }) } });
  };
  const [total, wallet, email] = await Promise.all([count(), countChannel("wallet"), countChannel("email")]);
  return { total, wallet, email };
}
