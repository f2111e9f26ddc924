import * as z from "zod";
import { text, wireTimestamp } from "../base/fields/text.js";
import { listQuery, wirePage } from "../base/page.js";
import { onAnyObject } from "../base/parse.js";
import { timesOf, timestampOrNull } from "../base/values/clock.js";
import { stampProgressOf, stampProgressSchema } from "../cards/stamps-schema.js";
import type { StoredPass } from "../storage/passes.js";
import type { StoredUser } from "../storage/users.js";

const MAX_SEARCH_LENGTH = 254;

/** Maximum number of IDs per query. */
const MAX_IDS = 100;

/** Extra fields for a contact in a list. Each is `null` if the caller lacks the scope to read it. */
const contactSummarySchema = z
  .object({
    /** Totals across all of the contact's cards. Requires `pass:read`. */
    cards: z
      .object({
        rewardsAvailable: z.int(),
        /** The time of the latest visit that hasn't been reversed. */
        lastVisitAt: wireTimestamp.nullable(),
        isInWallet: z.boolean(),
      })
      .nullable(),
    /** The slugs of the contact's tags, oldest assignment first. Requires `user_tag:read`. */
    tags: z.array(z.string()).nullable(),
  })
  .meta({ id: "ContactSummary" });

export type ContactSummary = z.output<typeof contactSummarySchema>;

export const contactSchema = z
  .object({
    id: z.string(),
    object: z.literal("contact"),
    email: z.string().nullable(),
    name: z.string().nullable(),
    phone: z.string().nullable(),
    externalId: z.string().nullable(),
    passInfos: z.array(z.object({ templateId: z.string(), passId: z.string() })),
    stampProgress: z.array(stampProgressSchema).optional(),
    /** Present only with `includeSummary`. An addition to the original interface. */
    summary: contactSummarySchema.optional(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "Contact" });

/** A user as returned in the contact list. */
export type Contact = z.output<typeof contactSchema>;

export const contactPageSchema = wirePage(contactSchema).meta({ id: "ContactPage" });

/** The sort expressions, in the form `<field>,<direction>`, mapped to their fields and directions. */
export const contactSort = {
  "createdAt,asc": { field: "createdAt", direction: "asc" },
  "createdAt,desc": { field: "createdAt", direction: "desc" },
  "updatedAt,asc": { field: "updatedAt", direction: "asc" },
  "updatedAt,desc": { field: "updatedAt", direction: "desc" },
  "email,asc": { field: "email", direction: "asc" },
  "email,desc": { field: "email", direction: "desc" },
  "name,asc": { field: "name", direction: "asc" },
  "name,desc": { field: "name", direction: "desc" },
  "externalId,asc": { field: "externalId", direction: "asc" },
  "externalId,desc": { field: "externalId", direction: "desc" },
} as const;

type ContactSort = keyof typeof contactSort;

const boundSchema = z.int().min(0).optional();

export const contactQuerySchema = z
  .object({
    ...listQuery,
    sort: z.literal(Object.keys(contactSort) as ContactSort[]).default("createdAt,desc"),
    search: text(MAX_SEARCH_LENGTH).optional(),
    templateId: text().optional(),
    minStamps: boundSchema,
    maxStamps: boundSchema,
    minPoints: boundSchema,
    maxPoints: boundSchema,
    includeStamps: z.boolean().default(false),
    includeSummary: z.boolean().default(false),
    ids: z.array(text()).min(1).max(MAX_IDS).optional(),
  })
  .superRefine(({ templateId, minStamps, maxStamps, minPoints, maxPoints, ids, search }, context) => {
    const report = (field: string, message: string) =>
      context.addIssue({ code: "custom", path: [field], message });
    if (ids !== undefined && (search ?? templateId) !== undefined)
      report("ids", "can't be combined with a search or a stamp filter");
    if (templateId === undefined) {
      if ((minStamps ?? maxStamps) !== undefined)
        report("templateId", "is required with minStamps or maxStamps");
      else if ((minPoints ?? maxPoints) !== undefined)
        report("templateId", "is required with minPoints or maxPoints");
    }
    if (minStamps !== undefined && maxStamps !== undefined && minStamps > maxStamps)
      report("minStamps", "must not be above maxStamps");
    if (minPoints !== undefined && maxPoints !== undefined && minPoints > maxPoints)
      report("minPoints", "must not be above maxPoints");
  }, onAnyObject);

export type ContactListQuery = z.input<typeof contactQuerySchema>;

/**
 * Builds a contact from a user and their passes.
 * @param includeStamps whether to include the stamp progress.
 * @param summary the summary to include, or `null` to omit it.
 */
export function contactOf(
  user: StoredUser,
  passes: readonly StoredPass[],
  includeStamps: boolean,
  summary: ContactSummary | null,
): Contact {
  return {
    id: user.id,
    object: "contact",
    email: user.email,
    name: user.name,
    phone: user.phone,
    externalId: user.externalId,
    passInfos: passes.map(({ id, templateId }) => ({ templateId, passId: id })),
    ...(includeStamps && { stampProgress: passes.flatMap((pass) => stampProgressOf(pass) ?? []) }),
    ...(summary !== null && { summary }),
    ...timesOf(user),
  };
}

/**
 * Summarizes a contact's cards: the total number of available rewards, the time of the last visit, and whether any card is in a
 * wallet.
 */
export function summarizeCards(passes: readonly StoredPass[]): NonNullable<ContactSummary["cards"]> {
  const lastVisitAt = Math.max(...passes.map(({ card }) => parseNewestVisit(card?.visits ?? "[]")));
  return {
    rewardsAvailable: passes.reduce((sum, { card }) => sum + (card?.rewardsAvailable ?? 0), 0),
    lastVisitAt: timestampOrNull(Number.isFinite(lastVisitAt) ? lastVisitAt : null),
    isInWallet: passes.some(({ installationStatus }) => installationStatus === "INSTALLED"),
  };
}

function parseNewestVisit(visits: string): number {
  const [newest]: readonly number[] = JSON.parse(visits);
  return newest ?? Number.NEGATIVE_INFINITY;
}
