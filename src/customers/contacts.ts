import { yieldIfDue } from "../base/concurrency/event-loop.js";
import type { Step } from "../base/concurrency/step.js";
import { offsetOf, type Page, pageOf } from "../base/page.js";
import { parse } from "../base/parse.js";
import { fold } from "../base/values/text.js";
import { UseCases } from "../kernel/use-cases.js";
import { Bitmap } from "../storage/bitmap.js";
import type { ContactQuery } from "../storage/contacts.js";
import type { StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import {
  type Contact,
  type ContactListQuery,
  type ContactSummary,
  contactOf,
  contactQuerySchema,
  contactSort,
  summarizeCards,
} from "./contact-schema.js";

/** Maximum number of users read at a time. Kept small because a user may have a thousand cards. */
const BATCH_SIZE = 50;

/** Searches, filters, and sorts an organization's users, one page at a time. */
export class Contacts extends UseCases {
  /**
   * Returns one page of contacts. The page and its exact totals come from the same snapshot.
   * @param query `size` is capped at 200. `search` is matched literally, ignoring case, anywhere in the email, name, phone, or
   *   external ID. The stamp filter (`templateId`, `minStamps`, `maxStamps`) selects contacts who have at least one pass for that
   *   template with a stamp count within the inclusive bounds, and `minPoints` and `maxPoints` do so by usable points. `includeSummary` adds available rewards, the last visit, whether a
   *   card is in a wallet, and tags, and requires one more database statement. `ids` (at most 100) replaces the search and the
   *   stamp filter, and selects the users with the given IDs, oldest first. Unknown IDs are skipped.
   * @throws {LoyaltyError} `validation_failed`, or `access_denied` if the caller lacks `user:read`.
   */
  async list(query: ContactListQuery = {}): Promise<Page<Contact>> {
    const parsedQuery = parse(contactQuerySchema, query);
    const { page, size, sort, search, includeStamps, includeSummary, ids, ...cardFilter } = parsedQuery;
    const { tenant } = this;
    const request = { page, size };
    const contactQuery = {
      search: parseSearchTerm(search),
      stamps: toStampFilter(cardFilter),
      sort: contactSort[sort],
      offset: offsetOf(request),
      limit: size,
    };
    const pointFilter = toPointFilter(cardFilter);
    const now = tenant.now();
    return tenant.read(
      function* (reader) {
        const { users, total } =
          ids === undefined
            ? yield* reader.listContacts({
                ...contactQuery,
                among: pointFilter === null ? null : yield* findUsersByPoints(reader, pointFilter, now),
              })
            : slicePage(contactQuery, yield* reader.usersById(ids));
        const shouldIncludeStamps = includeStamps || cardFilter.templateId !== undefined;
        const canReadCards = tenant.hasScope("pass:read");
        const canReadTags = includeSummary && tenant.hasScope("user_tag:read");
        const contacts: Contact[] = [];
        for (let start = 0; start < users.length; start += BATCH_SIZE) {
          const batch = users.slice(start, start + BATCH_SIZE);
          const ordinals = batch.map(({ ordinal }) => ordinal);
          const passesByOwner = groupByOwner(yield* reader.passesOfUsers(batch));
          const tags = canReadTags ? yield* reader.slugsOfUsers(ordinals) : null;
          const buildSummary = ({ ordinal }: StoredUser, passes: readonly StoredPass[]): ContactSummary => ({
            cards: canReadCards ? summarizeCards(passes) : null,
            tags: tags && [...(tags.get(ordinal) ?? [])],
          });
          for (const user of batch) {
            const passes = passesByOwner.get(user.id) ?? [];
            contacts.push(
              contactOf(
                user,
                passes,
                shouldIncludeStamps,
                includeSummary ? buildSummary(user, passes) : null,
              ),
            );
          }
          yield* yieldIfDue();
        }
        return pageOf(contacts, total, request);
      },
      ids === undefined && (pointFilter !== null || isExpensive(contactQuery)),
    );
  }
}

/** Slices a page out of the complete list of users. */
function slicePage({ offset, limit }: ContactQuery, users: readonly StoredUser[]) {
  return { users: users.slice(offset, offset + limit), total: users.length };
}

/** Offset from which a page counts as costly, because storage may have to walk through all rows before it. */
const EXPENSIVE_OFFSET = 10_000;

/** Returns whether a query has to look at many users. Only pages near either end of the list sorted by age avoid this. */
function isExpensive({ search, stamps, sort, offset }: ContactQuery): boolean {
  return search !== null || stamps !== null || sort.field !== "createdAt" || offset >= EXPENSIVE_OFFSET;
}

/** The part of a query that selects contacts by their cards. */
type CardFilter = Pick<
  ReturnType<typeof contactQuerySchema.parse>,
  "templateId" | "minStamps" | "maxStamps" | "minPoints" | "maxPoints"
>;

/** Returns the folded search term, in which spaces are literal. Returns `null` if the search is empty or only spaces. */
function parseSearchTerm(search: string | undefined): string | null {
  return search === undefined || /^ *$/.test(search) ? null : fold(search);
}

/** Returns the stamp filter, or `null` if the template is only named for its points. */
function toStampFilter(filter: CardFilter): ContactQuery["stamps"] {
  const { templateId, minStamps, maxStamps } = filter;
  if (templateId === undefined) return null;
  const isUnbounded = minStamps === undefined && maxStamps === undefined;
  if (isUnbounded && toPointFilter(filter) !== null) return null;
  return { templateId, min: minStamps ?? null, max: maxStamps ?? null };
}

interface PointFilter {
  readonly templateId: string;
  readonly min: number;
  readonly max: number | null;
}

function toPointFilter({ templateId, minPoints, maxPoints }: CardFilter): PointFilter | null {
  if (templateId === undefined || (minPoints === undefined && maxPoints === undefined)) return null;
  return { templateId, min: minPoints ?? 0, max: maxPoints ?? null };
}

/** Finds the users who have a number of usable points on a card. */
function* findUsersByPoints(reader: StorageReader, filter: PointFilter, at: number): Step<Bitmap> {
  const template = yield* reader.findTemplate(filter.templateId);
  if (template === null || template.maxStamps !== null) return Bitmap.empty;
  const countsUnused = template.points !== null;
  const test = { of: "points", ...filter, countsUnused, usableBy: at, endsAfter: at, endsBy: null } as const;
  const [users = Bitmap.empty] = yield* reader.matchBehavior([test]);
  return users;
}

function groupByOwner(passes: readonly StoredPass[]): Map<string, StoredPass[]> {
  const passesByOwner = new Map<string, StoredPass[]>();
  for (const pass of passes) {
    const group = passesByOwner.get(pass.userId);
    if (group === undefined) passesByOwner.set(pass.userId, [pass]);
    else group.push(pass);
  }
  return passesByOwner;
}
