import { yieldToOthers } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import type { Channels } from "../kernel/engine.js";
import type { Tenant } from "../kernel/tenant.js";
import { splitIntoBatches } from "../storage/batches.js";
import type { StoredMessage } from "../storage/messages.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredWalletCard } from "../storage/wallets.js";
import { countGoogleCalls, estimateGoogleMs } from "../wallets/google-limits.js";
import { readAudience } from "./audience.js";
import { readRecentMessages } from "./frequency-cap.js";
import { type Recipient, readRecipients } from "./recipient-facts.js";
import { chooseChannels, findSkipReason, type SkipReason } from "./recipients.js";
import type { MessagePreview } from "./schema.js";
import { defaultMessageSettings } from "./settings-schema.js";
import { chooseText } from "./text-schema.js";

/** Number of audience members per read. */
const PAGE_SIZE = 1_000;

/** The approximate number of pushes per second that Apple accepts from one process. */
const PUSHES_PER_SECOND = 500;

/**
 * Determines what would happen if a message were sent now. Only one page of the audience is held in memory at a time, regardless of
 * the audience's size.
 */
export function* previewMessage(
  tenant: Tenant,
  reader: StorageReader,
  message: StoredMessage,
): Step<MessagePreview> {
  const { organizationId, engine } = tenant;
  const now = tenant.now();
  const settings = (yield* reader.findMessageSettings()) ?? defaultMessageSettings;
  const audience = yield* readAudience(reader, organizationId, message, now);
  const preview = new PreviewCounts(message);
  for (let from = 0; ; ) {
    const ordinals = audience.from(from, PAGE_SIZE);
    if (ordinals.length === 0) break;
    from = (ordinals.at(-1) ?? from) + 1;
    const users = yield* reader.usersByOrdinal(ordinals);
    const userIds = users.map(({ id }) => id);
    const recentMessages = yield* readRecentMessages(
      reader,
      settings,
      message.respectsCap ? userIds : [],
      now,
    );
    const walletRecipients: Recipient[] = [];
    for (const recipient of yield* readRecipients(reader, message, users)) {
      const facts = {
        ...recipient,
        ...{ isCanceled: false, isExpired: false, isWalletDefault: settings.isWalletDefault },
        isCapped: recentMessages.isCapped(recipient.user.id, message.id),
      };
      const channelChoices = chooseChannels(message.order, message.channels, (channel) =>
        findSkipReason(channel, facts),
      );
      for (const { channel, reason } of channelChoices) preview.addDelivery(channel, reason);
      if (channelChoices.some(({ reason }) => reason === null)) preview.countLanguage(recipient);
      if (channelChoices.some(({ channel, reason }) => channel === "wallet" && reason === null))
        walletRecipients.push(recipient);
    }
    preview.addCards(yield* readWalletCards(reader, walletRecipients), walletRecipients, now);
    yield* yieldToOthers();
  }
  return preview.toPreview(audience.count(), engine.channels);
}

function* readWalletCards(reader: StorageReader, recipients: readonly Recipient[]): Step<StoredWalletCard[]> {
  const passIds = recipients.flatMap(({ passIdsInWallets }) => passIdsInWallets);
  const cards: StoredWalletCard[] = [];
  for (const batch of splitIntoBatches(passIds)) cards.push(...(yield* reader.walletCardsOf(batch)));
  return cards;
}

/** Accumulates a preview's counts across pages. */
class PreviewCounts {
  private readonly byChannel = { email: 0, wallet: 0 };
  private readonly skippedCounts: { [Reason in SkipReason]?: number } = {};
  private readonly languageCounts = new Map<string, number>();
  private recipientCount = 0;
  private pushCount = 0;
  private callCount = 0;

  constructor(private readonly message: Pick<StoredMessage, "texts">) {}

  addDelivery(channel: "email" | "wallet", reason: SkipReason | null): void {
    this.recipientCount += 1;
    if (reason === null) this.byChannel[channel] += 1;
    else this.skippedCounts[reason] = (this.skippedCounts[reason] ?? 0) + 1;
  }

  countLanguage({ subscription }: Recipient): void {
    const { language } = chooseText(this.message.texts, subscription?.language ?? null);
    this.languageCounts.set(language, (this.languageCounts.get(language) ?? 0) + 1);
  }

  addCards(cards: readonly StoredWalletCard[], recipients: readonly Recipient[], now: number): void {
    for (const card of cards) this.callCount += countGoogleCalls(card, now);
    for (const { platforms } of recipients) if (platforms.has("apple")) this.pushCount += 1;
  }

  toPreview(customers: number, { mail, wallets }: Channels): MessagePreview {
    const { recipientCount: recipients, byChannel, skippedCounts: skipped, languageCounts: languages } = this;
    return {
      recipients,
      customers,
      byChannel,
      skipped,
      languages: Object.fromEntries(languages),
      seconds: {
        email: Math.ceil(byChannel.email / mail.perSecond),
        apple: Math.ceil(this.pushCount / PUSHES_PER_SECOND),
        google: Math.ceil(estimateGoogleMs(this.callCount, wallets.googleCallsPerSecond) / 1_000),
      },
    };
  }
}
