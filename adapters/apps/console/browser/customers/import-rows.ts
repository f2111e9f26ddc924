import type { ErrorCode } from "../../../../../src/base/errors.js";
import { fold } from "../../../../../src/base/values/text.js";
import type { PutSubscription } from "../../../../../src/messages/subscription-schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { CellError } from "../../../csv/cells.js";
import { parseUser, recordFault } from "../../../csv/columns.js";
import { parseConsent, type RowConsent } from "../../../csv/consents.js";
import type { DayOrder } from "../../../csv/dates.js";
import type { CsvRecord } from "../../../csv/parser.js";
import { CallError, requireCallError } from "../api/call-error.js";
import { api, createCalls, createIdempotencyKey } from "../api/calls.js";
import { importing as words } from "../words/en/importing.js";
import type { CsvFile } from "./csv-file.js";

export interface ImportState {
  readonly done: number;
  readonly refused: readonly { readonly row: CsvRecord; readonly reason: string }[];
  /** Whether the import is waiting because a rate limit was reached or the server is unavailable. */
  readonly waits: boolean;
}

/** Thrown for a row that is refused before anything has been sent. */
class RefusedRow extends Error {}

const CONCURRENCY = 4;

const alreadyAssigned: ErrorCode = "user_tag_already_assigned";

/** Time between attempts while the server is unavailable, in seconds. */
const PAUSE_SECONDS = 2;

/**
 * Imports a file's rows, several at a time. Waits and retries when a rate limit is reached or the server is unavailable, so no row
 * is lost.
 * @param options `dayOrder` is the order of day and month in dates. If `shouldCreateTags` is true, tags that don't exist yet are
 *   created. Otherwise, rows with such tags fail.
 * @param onProgress a function that is called with the new state whenever the progress changes.
 * @param signal a signal that stops the import when it is aborted.
 */
export async function importRows(
  file: CsvFile,
  { dayOrder, shouldCreateTags }: { readonly dayOrder: DayOrder | null; readonly shouldCreateTags: boolean },
  onProgress: (state: ImportState) => void,
  signal: AbortSignal,
): Promise<void> {
  // No automatic retries, because the import itself retries failed calls.
  const add = createRowAdder(
    (row) => parseCustomer(file, row.cells, dayOrder),
    new ImportTags(shouldCreateTags),
    createCalls({ signal, retry: false }),
  );
  let state: ImportState = { done: 0, refused: [], waits: false };
  const change = (part: Partial<ImportState>) => {
    state = { ...state, ...part };
    onProgress(state);
  };
  const remainingRows = file.rows.values();
  change({});
  const runWorker = async () => {
    for (const row of remainingRows) {
      const reason = await addWithRetry(row);
      if (signal.aborted) return;
      const refused = reason === null ? state.refused : [...state.refused, { row, reason }];
      change({ done: state.done + 1, refused, waits: false });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, runWorker));

  /** Resolves to the reason why the row was refused, or to `null` if it was added. */
  async function addWithRetry(row: CsvRecord): Promise<string | null> {
    for (;;) {
      try {
        await add(row);
        return null;
      } catch (error) {
        if (signal.aborted) return null;
        if (error instanceof RefusedRow) return error.message;
        const { status, message, retryAfter } = requireCallError(error);
        if (status !== 0 && status !== 429 && status < 500) return message;
        change({ waits: true });
        await delay(retryAfter ?? PAUSE_SECONDS, signal);
        if (signal.aborted) return null;
      }
    }
  }
}

/**
 * Returns a function that adds a row's customer and tags. It is safe to repeat after a lost response: the row keeps its idempotency
 * key, and assigning a tag twice has no effect.
 */
function createRowAdder(
  parseRow: (row: CsvRecord) => ReturnType<typeof parseCustomer>,
  tags: ImportTags,
  calls: OrganizationCalls,
) {
  const keys = new Map<CsvRecord, string>();
  return async (row: CsvRecord): Promise<void> => {
    const { tags: names = [], subscription, ...user } = parseRow(row);
    const slugs: string[] = [];
    for (const name of names) {
      const slug = await tags.findSlug(name);
      if (slug === null) throw new RefusedRow(words.noTag(name));
      slugs.push(slug);
    }
    const idempotencyKey = keys.get(row) ?? createIdempotencyKey();
    keys.set(row, idempotencyKey);
    const { id } = await calls.users.create({ ...user, idempotencyKey });
    if (subscription !== null) await calls.subscriptions.put(id, subscription);
    for (const slug of new Set(slugs)) {
      await calls.tags.assign(id, slug).catch((error: unknown) => {
        if (!(error instanceof CallError) || error.code !== alreadyAssigned) throw error;
      });
    }
    keys.delete(row);
  };
}

/**
 * Parses a row into a user with tags and a subscription.
 * @throws {RefusedRow} if the row is invalid.
 */
function parseCustomer({ columns }: CsvFile, cells: readonly string[], dayOrder: DayOrder | null) {
  const fault = recordFault(columns, cells, false);
  if (fault !== null) throw new RefusedRow(words.rowWrong(fault));
  try {
    const { user, others } = parseUser(columns, cells);
    return {
      ...user,
      subscription: parseSubscription(parseConsent((column) => others.get(column), dayOrder)),
    };
  } catch (error) {
    if (error instanceof CellError) throw new RefusedRow(words.cellWrong(error.column, error.fault));
    throw error;
  }
}

/**
 * Returns a row's email consent and language, or `null` if it has neither.
 * @throws {RefusedRow} if a consent lacks its time or wording.
 */
function parseSubscription({
  emailConsent: status,
  consentAt,
  consentText: text,
  language,
}: RowConsent): PutSubscription | null {
  if (status === "SUBSCRIBED" && (consentAt === undefined || text === undefined)) {
    throw new RefusedRow(words.consentIncomplete);
  }
  if (status === undefined && language === undefined) return null;
  const at = consentAt === undefined ? undefined : new Date(consentAt).toISOString();
  return {
    ...(status !== undefined && { email: { status, ...(at !== undefined && { at }), text } }),
    ...(language !== undefined && { language }),
  };
}

/** The tags that rows refer to by slug or name. */
class ImportTags {
  private existingTags: Promise<UserTag[]> | null = null;
  private readonly createdTags = new Map<string, Promise<UserTag>>();

  /** @param shouldCreate whether to create tags that don't exist. A new tag gets its name from the first row that uses it. */
  constructor(private readonly shouldCreate: boolean) {}

  /**
   * Resolves to the tag's slug, or to `null` if there is no such tag.
   * @throws {CallError} if the tags can't be read or created.
   */
  async findSlug(text: string): Promise<string | null> {
    this.existingTags ??= api.tags.list();
    const tags = await this.existingTags.catch((error: unknown) => {
      this.existingTags = null;
      throw error;
    });
    const name = fold(text);
    const tag = tags.find(({ slug }) => slug === text) ?? tags.find((tag) => fold(tag.name) === name);
    if (tag !== undefined) return tag.slug;
    return this.shouldCreate ? (await this.createTag(text, name)).slug : null;
  }

  private createTag(text: string, name: string): Promise<UserTag> {
    const existing = this.createdTags.get(name);
    if (existing !== undefined) return existing;
    const creation = api.tags.create({ name: text });
    this.createdTags.set(name, creation);
    creation.catch(() => this.createdTags.delete(name));
    return creation;
  }
}

function delay(seconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
