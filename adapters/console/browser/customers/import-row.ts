import type { User } from "../../../../src/resources/user.js";
import { userOf } from "../../../csv/columns.js";
import { miscounted } from "../../../csv/records.js";
import { call } from "../app/call.js";
import { newIdempotencyKey } from "../app/idempotency-key.js";
import { CallError } from "../parts/call-error.js";
import type { CsvFile, CsvRow } from "./csv.js";
import type { ImportTags } from "./import-tags.js";

/** A row that is refused before anything is asked for. */
export class RefusedRow extends Error {}

/**
 * What adds the rows of a file, each with its tags. A row may be added again when an answer was lost: its customer has the key of the
 * row, and a tag is given once.
 */
export function rowAdder({ columns }: CsvFile, tags: ImportTags, signal: AbortSignal) {
  const keys = new Map<CsvRow, string>();
  return async (row: CsvRow): Promise<void> => {
    const problem = miscounted(row.cells, columns.length);
    if (problem !== null) throw new RefusedRow(`It ${problem}.`);
    const { tags: names = [], ...user } = userOf(columns, row.cells).user;
    const slugs: string[] = [];
    for (const name of names) {
      const slug = await tags.slugOf(name);
      if (slug === null) throw new RefusedRow(`tags: there is no tag ${name}.`);
      slugs.push(slug);
    }
    const key = keys.get(row) ?? newIdempotencyKey();
    keys.set(row, key);
    const { id } = await call<User>("POST", "/v1/users", user, { signal, idempotencyKey: key });
    for (const slug of new Set(slugs)) {
      const path = `/v1/users/${encodeURIComponent(id)}/tags/${encodeURIComponent(slug)}`;
      await call("POST", path, undefined, { signal }).catch((error: unknown) => {
        if (!(error instanceof CallError) || error.code !== "user_tag_already_assigned") throw error;
      });
    }
    keys.delete(row);
  };
}
