const customerFields = [
  "email",
  "joinedWithoutEmail",
  "name",
  "phone",
  "externalId",
  "tags",
  "firstName",
  "lastName",
] as const;

/** What an export adds for people to read, and an import can't set. */
const ignoredFields = ["id", "createdAt", "updatedAt"] as const;

/** What makes a row a card of another programme. */
export const cardFields = [
  "code",
  "template",
  "stamps",
  "completions",
  "rewards",
  "lastStampAt",
  "issuedAt",
  "history",
] as const;

export type CardField = (typeof cardFields)[number];

/** Since when somebody is a customer: `createdAt` is what an export says of users here. */
const joinedAt = "joinedAt" as const;

export type Field =
  | (typeof customerFields)[number]
  | (typeof ignoredFields)[number]
  | CardField
  | typeof joinedAt;

/** What a column of a CSV file is for; `null` for nothing. */
export type Column = Field | { readonly metadata: string } | null;

const METADATA = "metadata.";

/** What headers are in the files of others. */
const otherNames: readonly (readonly [name: string, field: Field])[] = [["telephone", "phone"]];

const byName: ReadonlyMap<string, Field> = new Map([
  ...[...customerFields, ...ignoredFields, ...cardFields, joinedAt].map(
    (field) => [plain(field), field] as const,
  ),
  ...otherNames,
]);

/** What a header stands for. Case, underscores, hyphens and spaces don't count, but in the key of a metadata column. */
export function columnOf(header: string): Column {
  if (header.slice(0, METADATA.length).toLowerCase() === METADATA) {
    return { metadata: header.slice(METADATA.length) };
  }
  return byName.get(plain(header)) ?? null;
}

/** What can't be so of the columns of a file; `null` when all is right. Headers that stand for nothing are not looked at. */
export function problemOf(headers: readonly string[], columns: readonly Column[]): string | null {
  const names = columns.map((column) => JSON.stringify(column));
  const twice = headers.filter((_, at) => columns[at] !== null && names.indexOf(names[at] ?? "") !== at);
  if (twice.length > 0) return `${quoted(twice)} stands for the same as another header`;
  if (columns.includes("name") && (columns.includes("firstName") || columns.includes("lastName"))) {
    return "give the name, or its parts firstName and lastName, not both";
  }
  return columns.includes("email") ? null : "no header stands for the email";
}

/** Whether the columns tell of more than users and tags. */
export function hasCards(columns: readonly Column[]): boolean {
  return columns.some((column) => column === joinedAt || cardFields.some((field) => field === column));
}

export function quoted(headers: readonly string[]): string {
  return headers.map((header) => JSON.stringify(header)).join(", ");
}

function plain(header: string): string {
  return header.toLowerCase().replace(/[-_\s]/g, "");
}
