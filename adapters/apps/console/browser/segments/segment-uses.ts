import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import type { Segment } from "../../../../../src/segments/schema.js";
import { hasScopes } from "../api/session.js";

/** Something that names a segment: an automation, a message that isn't sent yet, or another segment. */
export interface SegmentUse {
  readonly kind: "automation" | "message" | "segment";
  readonly name: string;
  readonly path: string;
  /** The slugs of the segments that it names. */
  readonly slugs: ReadonlySet<string>;
}

/** Whether the user is allowed to see everything that can use a segment. */
export const seesAllUses = () => hasScopes("automation:manage", "message:read");

const MESSAGES = 50;

/** Loads the automations and the unsent messages that name segments. Leaves out anything that the user isn't allowed to read. */
export async function loadUses(calls: OrganizationCalls): Promise<readonly SegmentUse[]> {
  const listMessages = async (status: "DRAFT" | "SCHEDULED" | "SENDING") =>
    hasScopes("message:read") ? (await calls.messages.list({ status, size: MESSAGES })).content : [];
  const [automations, ...messages] = await Promise.all([
    hasScopes("automation:manage") ? calls.automations.list() : [],
    ...(["SENDING", "SCHEDULED", "DRAFT"] as const).map(listMessages),
  ]);
  return [
    ...automations.map(({ id, name, on, if: filter }) => ({
      kind: "automation" as const,
      name,
      path: `/automations/${encodeURIComponent(id)}`,
      slugs: new Set([
        ...("segmentEntered" in on ? [on.segmentEntered] : []),
        ...(filter === null ? [] : listSlugs(filter)),
      ]),
    })),
    ...messages.flat().map(({ id, name, audience }) => ({
      kind: "message" as const,
      name,
      path: `/messages/${encodeURIComponent(id)}`,
      slugs: new Set([
        ...("segment" in audience ? [audience.segment] : []),
        ...("filter" in audience ? listSlugs(audience.filter) : []),
      ]),
    })),
  ];
}

/** Lists the segments whose conditions name other segments. */
export const listSegmentUses = (segments: readonly Segment[]): readonly SegmentUse[] =>
  segments.map(({ slug, name, filter }) => ({
    kind: "segment",
    name,
    path: `/segments/${encodeURIComponent(slug)}`,
    slugs: new Set(listSlugs(filter)),
  }));

/** Lists the slugs of the segments that a filter names. */
function listSlugs({ conditions = [], filters = [] }: SegmentFilter): readonly string[] {
  return [
    ...conditions.flatMap((condition) =>
      "segment" in condition && typeof condition.segment === "string" ? [condition.segment] : [],
    ),
    ...filters.flatMap(listSlugs),
  ];
}
