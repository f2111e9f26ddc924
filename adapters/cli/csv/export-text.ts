import { stringify } from "csv-stringify/sync";
import type { JsonValue } from "../../../src/resources/fields/metadata.js";
import type { ExportedUser } from "../../../src/resources/user.js";
import { joinedKey } from "../../../src/values/joined-address.js";
import { guardedRecords, writing } from "../../csv/records.js";
import { emailCells } from "../../csv/user-cells.js";
import { CommandError } from "../terminal/command-error.js";

/** How many users become one piece of text. */
const CHUNK = 500;

/** How many keys of metadata make columns. */
const MOST_KEYS = 1_000;

/** The users to write, whom `list` and `export` give alike. */
export interface ExportedUsers {
  list(): AsyncIterable<Pick<ExportedUser, "email" | "metadata">>;
  export(): AsyncIterable<ExportedUser>;
}

/** One user in each line, as JSON. */
export function ndjsonText(users: ExportedUsers): AsyncIterable<string> {
  return inChunks(users.export(), (chunk) => chunk.map((user) => `${JSON.stringify(user)}\n`).join(""));
}

/** How a CSV text is to be written. */
export interface CsvStyle {
  readonly delimiter: string;
  /** Whether a byte-order mark comes first, by which Excel knows UTF-8. */
  readonly hasMark: boolean;
}

/** One user in each line after the headers, as CSV, with a column for each key that anybody's metadata has. */
export async function* csvText(
  users: ExportedUsers,
  { delimiter, hasMark }: CsvStyle,
): AsyncGenerator<string, void, undefined> {
  const { keys, hasJoined } = await columnsOf(users);
  const csvLines = (records: readonly string[][]) =>
    stringify(guardedRecords(records), { delimiter, ...writing });
  if (hasMark) yield "\uFEFF";
  yield csvLines([
    [
      ...[
        "email",
        "name",
        "phone",
        "externalId",
        "tags",
        ...keys.map(headerOf),
        "id",
        "createdAt",
        "updatedAt",
      ],
      ...(hasJoined ? ["joinedWithoutEmail"] : []),
    ],
  ]);
  const known = new Set(keys);
  yield* inChunks(users.export(), (chunk) => {
    if (chunk.some(({ metadata }) => Object.keys(metadata).some((key) => !known.has(key)))) {
      throw new CommandError("the keys of the metadata changed meanwhile; export again");
    }
    if (!hasJoined && chunk.some(({ email }) => joinedKey(email) !== null)) {
      throw new CommandError("customers joined without an email meanwhile; export again");
    }
    return csvLines(chunk.map((user) => recordOf(user, keys, hasJoined)));
  });
}

async function columnsOf(
  users: ExportedUsers,
): Promise<{ readonly keys: string[]; readonly hasJoined: boolean }> {
  const keys = new Set<string>();
  let hasJoined = false;
  for await (const { email, metadata } of users.list()) {
    hasJoined ||= joinedKey(email) !== null;
    for (const key of Object.keys(metadata)) keys.add(key);
    if (keys.size > MOST_KEYS) {
      throw new CommandError(
        `metadata has more than ${MOST_KEYS} keys, too many for columns; use --format ndjson`,
      );
    }
  }
  return { keys: [...keys], hasJoined };
}

function headerOf(key: string): string {
  return `metadata.${key}`;
}

function recordOf(user: ExportedUser, keys: readonly string[], hasJoined: boolean): string[] {
  const { name, phone, externalId, tags, metadata, id, createdAt, updatedAt } = user;
  const values = keys.map((key) => (Object.hasOwn(metadata, key) ? textOf(metadata[key]) : ""));
  const [email, joined] = emailCells(user.email);
  return [
    email,
    name ?? "",
    phone ?? "",
    externalId ?? "",
    tags.join(";"),
    ...values,
    id,
    createdAt,
    updatedAt,
    ...(hasJoined ? [joined] : []),
  ];
}

function textOf(value: JsonValue = null): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

async function* inChunks(
  users: AsyncIterable<ExportedUser>,
  textOfChunk: (users: readonly ExportedUser[]) => string,
): AsyncGenerator<string, void, undefined> {
  let chunk: ExportedUser[] = [];
  for await (const user of users) {
    chunk.push(user);
    if (chunk.length < CHUNK) continue;
    yield textOfChunk(chunk);
    chunk = [];
  }
  if (chunk.length > 0) yield textOfChunk(chunk);
}
