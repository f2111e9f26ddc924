import { toFields } from "../../delivery/wallets/json.js";

/** A message attached to a wallet object, as Google stores it. */
export interface FakeMessage {
  /** The ID that the API caller gave the message. Several messages on an object can have the same ID. */
  readonly id: string;
  /** The title that the wallet shows above the message's text. */
  readonly header: string;
  /** The text that the wallet shows below the title. */
  readonly body: string;
  /** `TEXT` if the wallet only shows the message, or `TEXT_AND_NOTIFY` if it also notifies the customer. */
  readonly messageType: "TEXT" | "TEXT_AND_NOTIFY";
}

type Fields = Readonly<Record<string, unknown>>;

/** Maximum number of messages per object. */
const MAX_MESSAGES = 10;

/** The fields that Google accepts. */
const knownFields = new Set([
  ...["id", "header", "body", "messageType", "displayInterval"],
  ...["localizedHeader", "localizedBody"],
]);

const idPattern = /^[\w.-]{1,64}$/;

/** Matches ISO 8601 with an offset. Without an offset, the instant would depend on the time zone. */
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** Validates the messages of an object being written. Returns an error message, or `null` if the messages are valid. */
export function findMessagesError({ messages = [] }: Fields): string | null {
  if (!Array.isArray(messages)) return "invalidMessages";
  if (messages.length > MAX_MESSAGES) return "tooManyMessages";
  for (const message of messages) {
    const error = findMessageError(message);
    if (error !== null) return error;
    // According to Google's documentation, only an added message notifies people, not a written one.
    if (toFields(message).messageType !== "TEXT") return "notificationByWrite";
  }
  return null;
}

/** Validates a request to add a message to an object. Returns an error message, or `null` if the request is valid. */
export function findAdditionError({ message, ...others }: Fields, content: Fields): string | null {
  if (Object.keys(others).length > 0) return "unknownField";
  if (listMessages(content).length >= MAX_MESSAGES) return "tooManyMessages";
  return findMessageError(message);
}

/** Returns an object's messages, oldest first. Messages with the same ID stay separate, as they do with Google. */
export function listMessages({ messages }: Fields): readonly FakeMessage[] {
  return Array.isArray(messages) ? messages : [];
}

/** Returns the messages on an object that people can see at a given time. */
export function listVisibleMessages(content: Fields, now: number): readonly FakeMessage[] {
  return listMessages(content).filter((message) => {
    const { start, end } = toFields(toFields(message).displayInterval);
    const startTime = start === undefined ? -Infinity : Date.parse(String(toFields(start).date));
    const endTime = end === undefined ? Infinity : Date.parse(String(toFields(end).date));
    return startTime <= now && now < endTime;
  });
}

function findMessageError(message: unknown): string | null {
  const { id, header, body, messageType, displayInterval, localizedHeader, localizedBody } =
    toFields(message);
  if (Object.keys(toFields(message)).some((field) => !knownFields.has(field))) return "unknownField";
  if (typeof id !== "string" || !idPattern.test(id)) return "invalidMessageId";
  if (!isText(header)) return "invalidMessageHeader";
  if (!isText(body)) return "invalidMessageBody";
  if (messageType !== "TEXT" && messageType !== "TEXT_AND_NOTIFY") return "invalidMessageType";
  if (!isLocalized(localizedHeader, header) || !isLocalized(localizedBody, body)) return "invalidLocalized";
  return displayInterval === undefined || isInterval(displayInterval) ? null : "invalidDisplayInterval";
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** Returns whether a value is a valid localized text: each language occurs once, and the default equals the plain text. */
function isLocalized(value: unknown, plain: string): boolean {
  if (value === undefined) return true;
  const { defaultValue, translatedValues } = toFields(value);
  const translated: unknown[] = Array.isArray(translatedValues) ? translatedValues : [];
  const texts = [defaultValue, ...translated].map(toFields);
  const languages = texts.map(({ language }) => language);
  return (
    toFields(defaultValue).value === plain &&
    languages.every(isText) &&
    texts.every((text) => isText(text.value)) &&
    new Set(languages).size === languages.length
  );
}

function isInterval(value: unknown): boolean {
  const bounds = Object.entries(toFields(value));
  return (
    bounds.length > 0 &&
    bounds.every(
      ([name, bound]) =>
        (name === "start" || name === "end") && timePattern.test(String(toFields(bound).date ?? "")),
    )
  );
}
