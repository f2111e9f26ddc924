import { type AutomationMessage, parseActions } from "../automations/schema.js";
import type { Step } from "../base/concurrency/step.js";
import { fillPlaceholders } from "../base/values/placeholders.js";
import { type StampCard, stampCardOf } from "../cards/stamps-schema.js";
import { buildPlaceholderValues } from "../messages/text-schema.js";
import { readPointCard } from "../points/points.js";
import type { StoredMessageText } from "../storage/messages.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredWalletCard } from "../storage/wallets.js";

/** A message's text in one language, with the placeholders filled in for one card. */
export interface IssuedText {
  /** The text's language, as a BCP 47 tag. */
  readonly language: string;
  readonly text: string;
}

/** A message as it appears on a card, with the placeholders filled in for that card. */
export interface IssuedMessage {
  readonly id: string;
  /** When the card stops showing the message, in milliseconds since the Unix epoch. */
  readonly until: number;
  /** The message in each available language. The first entry is the fallback for customers whose language isn't available. */
  readonly texts: readonly [IssuedText, ...IssuedText[]];
}

/** A card with the data that its messages can refer to. */
interface CardWithPass {
  readonly card: StoredWalletCard;
  readonly pass: StoredPass;
  readonly template: StoredTemplate | null;
}

/** When a message is viewed, and by what kind of viewer. */
interface ViewContext {
  readonly now: number;
  /** Whether to include the customer's name. Must be false if the viewer may be anyone. */
  readonly hasName: boolean;
}

/**
 * Returns the message currently shown on a card, with its placeholders filled in, or `null` if there is none. A canceled message
 * isn't shown, even while it is still stored on the card.
 */
export function* readShownMessage(
  reader: StorageReader,
  { card, pass, template }: CardWithPass,
  { now, hasName }: ViewContext,
): Step<IssuedMessage | null> {
  const { messageId, messageUntil, revokedAt } = card;
  if (messageId === null || messageUntil === null || messageUntil <= now || revokedAt !== null) return null;
  const texts = yield* readMessageTexts(reader, messageId);
  const walletTexts = texts.flatMap(({ language, wallet }) =>
    wallet === null ? [] : [{ language, text: wallet }],
  );
  const usesName = hasName && walletTexts.some(({ text }) => text.includes("{name}"));
  const user = usesName ? yield* reader.findUser(pass.userId) : null;
  const usesPoints = template !== null && walletTexts.some(({ text }) => text.includes("{points}"));
  const points = usesPoints ? yield* readPointCard(reader, pass, template, now) : null;
  const values = buildPlaceholderValues(user?.name ?? null, template, toStampCardOrNull(pass), points);
  const [first, ...others] = walletTexts.map(({ language, text }) => ({
    language,
    text: fillPlaceholders(text, values, language),
  }));
  return first === undefined ? null : { id: messageId, until: messageUntil, texts: [first, ...others] };
}

/**
 * Returns the texts of a message from the shop or from an automation run. Returns none if the message is canceled or has been
 * deleted.
 */
function* readMessageTexts(reader: StorageReader, messageId: string): Step<readonly StoredMessageText[]> {
  const runMessage = parseRunMessageId(messageId);
  if (runMessage !== null) return (yield* readRunMessage(reader, runMessage))?.texts ?? [];
  const message = yield* reader.findMessage(messageId);
  return message === null || message.status === "CANCELED" ? [] : message.texts;
}

/**
 * Returns the card message that anyone who has the pass's code can see, or `null` if there is none. It doesn't contain the
 * customer's name.
 */
export function* readPublicMessage(
  reader: StorageReader,
  passId: string,
  now: number,
): Step<IssuedMessage | null> {
  const card = yield* reader.findWalletCard(passId);
  if (card === null || card.messageId === null) return null;
  const pass = yield* reader.findPass(passId);
  const template = yield* reader.findTemplate(card.templateId);
  if (pass === null) return null;
  return yield* readShownMessage(reader, { card, pass, template }, { now, hasName: false });
}

export function toStampCardOrNull(pass: StoredPass | null): StampCard | null {
  return pass === null || pass.card === null ? null : stampCardOf(pass, pass.card);
}

/** Identifies a message sent by an automation run, by the run's ID and the index of the action that sent it. */
export interface RunMessage {
  readonly automationRunId: string;
  readonly actionIndex: number;
}

const RUN_MESSAGE_ID = /^(atr_.+)\.(\d+)$/;

/** Formats the ID that identifies a run's message on cards and in wallets. */
export function formatRunMessageId({ automationRunId, actionIndex }: RunMessage): string {
  return `${automationRunId}.${actionIndex}`;
}

/** Parses the ID of a run's message. Returns `null` for the ID of any other kind of message. */
function parseRunMessageId(id: string): RunMessage | null {
  const [, automationRunId, index] = RUN_MESSAGE_ID.exec(id) ?? [];
  return automationRunId === undefined ? null : { automationRunId, actionIndex: Number(index) };
}

/**
 * Returns a run's message, as defined in the automation version that the run started with. Returns `null` if the automation has
 * been deleted.
 */
export function* readRunMessage(
  reader: StorageReader,
  { automationRunId, actionIndex }: RunMessage,
): Step<AutomationMessage | null> {
  const run = yield* reader.findAutomationRun(automationRunId);
  if (run === null) return null;
  const version = yield* reader.automationVersion(run.automationId, run.version);
  const action = version === null ? undefined : parseActions(version)[actionIndex];
  return action !== undefined && "message" in action ? action.message : null;
}
