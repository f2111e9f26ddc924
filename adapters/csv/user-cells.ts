import type { ImportUser } from "../../src/resources/user.js";
import { joinedAddress, joinedKey, shownEmail } from "../../src/values/joined-address.js";
import type { Column, Field } from "./columns.js";
import { unguarded } from "./formula-guard.js";

/** What a record says of a user, and the cells that say more. */
export interface UserCells {
  readonly user: ImportUser;
  /** Those that are not empty, by what they are for. */
  readonly others: ReadonlyMap<Field, string>;
}

/** A record as a user to import. An empty cell is as absent. */
export function userOf(columns: readonly Column[], record: readonly string[], tagSeparator = ";"): UserCells {
  const user: ImportUser = { email: "" };
  const metadata: [key: string, value: string][] = [];
  const others = new Map<Field, string>();
  for (const [at, column] of columns.entries()) {
    const text = unguarded(record[at] ?? "");
    if (text === "" || column === null) continue;
    if (typeof column === "object") metadata.push([column.metadata, text]);
    else if (column === "tags") user.tags = tagsOf(text, tagSeparator);
    else if (isOwn(column)) user[column] = text;
    else others.set(column, text.trim());
  }
  const key = others.get("joinedWithoutEmail");
  if (user.email === "" && key !== undefined) user.email = joinedAddress(key);
  const name = [others.get("firstName"), others.get("lastName")].filter(Boolean);
  if (name.length > 0) user.name = name.join(" ");
  if (metadata.length > 0) user.metadata = Object.fromEntries(metadata);
  return { user, others };
}

const own = ["email", "name", "phone", "externalId"] as const;

function isOwn(field: Field): field is (typeof own)[number] {
  return own.some((each) => each === field);
}

function tagsOf(text: string, separator: string): string[] {
  return text
    .split(separator)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

/**
 * What stands in the columns `email` and `joinedWithoutEmail`: who joined without an email has none in a file, and is known again by the
 * key of the address that stands for it.
 */
export function emailCells(email: string): readonly [email: string, joinedWithoutEmail: string] {
  return [shownEmail(email) ?? "", joinedKey(email) ?? ""];
}
