import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { MessageSettings } from "../../../../src/resources/message-settings.js";
import type { Segment } from "../../../../src/resources/segment.js";
import type { UserTag } from "../../../../src/resources/tag.js";
import type { Template } from "../../../../src/resources/template.js";
import { hasScopes } from "../api/session.js";
import { browserZone, isBetween, wallTime } from "../components/zoned-time.js";

/** The data that the message editor offers choices from. */
export interface MessageSetup {
  /** The organization's time zone, or the browser's if the user may not read it. */
  readonly timeZone: string;
  readonly rules: MessageSettings;
  /** The shop's language; `null` if it isn't set or the user may not read it. */
  readonly shopLanguage: string | null;
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
  readonly segments: readonly Segment[];
}

/** Returns when the quiet hours around a time end; `null` if the time is outside quiet hours. */
export function quietUntil({ rules: { quietHours }, timeZone }: MessageSetup, at: Date): string | null {
  if (quietHours === null || !isBetween(wallTime(timeZone, at).slice(11), quietHours)) return null;
  return quietHours.to;
}

/** Loads the parts of the setup that the user's scopes allow. */
export async function loadSetup(calls: OrganizationCalls): Promise<MessageSetup> {
  const [rules, settings, templates, tags, segments] = await Promise.all([
    calls.messageSettings.get(),
    hasScopes("settings:read") ? calls.settings.get() : null,
    hasScopes("template:read") ? calls.templates.list() : [],
    hasScopes("user_tag:read") ? calls.tags.list() : [],
    hasScopes("segment:read") ? calls.segments.list() : [],
  ]);
  return {
    rules,
    timeZone: settings?.timeZone ?? browserZone(),
    shopLanguage: settings?.language ?? null,
    ...{ templates, tags, segments },
  };
}
