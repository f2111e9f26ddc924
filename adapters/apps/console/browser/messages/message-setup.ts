import type { Template } from "../../../../../src/cards/schema.js";
import type { MessageSettings } from "../../../../../src/messages/settings-schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { Segment } from "../../../../../src/segments/schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { hasScopes } from "../api/session.js";
import { getBrowserTimeZone, isBetween, toWallTime } from "../components/zoned-time.js";

/**
 * Settings and lists that the message editor needs, such as the cards and segments to choose from. Lists that the user isn't
 * allowed to read are empty.
 */
export interface MessageSetup {
  /** The organization's time zone, or the browser's time zone if the user isn't allowed to read the organization's settings. */
  readonly timeZone: string;
  readonly isShopTimeZone: boolean;
  readonly rules: MessageSettings;
  /**
   * The name that emails come from, or `null` if the server's own applies, or if the user isn't allowed to read the organization's
   * settings.
   */
  readonly sender: string | null;
  /** The shop's language, or `null` if it isn't set or the user isn't allowed to read it. */
  readonly shopLanguage: string | null;
  /** The shop's logo, or `null` if it isn't set or the user isn't allowed to read it. */
  readonly shopLogo: string | null;
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
  readonly segments: readonly Segment[];
}

/** Returns the time of day when quiet hours end, or `null` if `at` is outside quiet hours. */
export function findQuietHoursEnd(
  { rules: { quietHours }, timeZone }: MessageSetup,
  at: Date,
): string | null {
  if (quietHours === null || !isBetween(toWallTime(timeZone, at).slice(11), quietHours)) return null;
  return quietHours.to;
}

/** Loads the data for the message editor. Leaves out anything that the user isn't allowed to read. */
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
    sender: rules.senderName ?? settings?.name ?? null,
    timeZone: settings?.timeZone ?? getBrowserTimeZone(),
    isShopTimeZone: settings !== null,
    shopLanguage: settings?.language ?? null,
    shopLogo: settings?.logo ?? null,
    ...{ templates, tags, segments },
  };
}
