import { runStep, type Step } from "../base/concurrency/step.js";
import { validationFailed } from "../base/errors.js";
import { parse } from "../base/parse.js";
import { dayIn } from "../base/values/calendar-days.js";
import { decodePicture, storePictures } from "../cards/pictures.js";
import { recordAuditEntry } from "../kernel/audit.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { applyPatch } from "../kernel/patch.js";
import { UseCases } from "../kernel/use-cases.js";
import { runPastMidnights, startRecount } from "../segments/follower.js";
import { applyTimeZoneChange } from "../segments/recount.js";
import type { StoredSettings } from "../storage/settings.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { refreshAllCards } from "../wallets/card-revisions.js";
import {
  type Settings,
  settingsOf,
  type UpdateSettings,
  unsetSettings,
  updateSettingsSchema,
} from "./schema.js";

/** Maximum difference between local dates around the world, in days. */
const DATES_APART = 2;

/** Reads and changes an organization's general settings. */
export class OrganizationSettings extends UseCases {
  /**
   * Returns the organization's settings, with defaults for settings that were never changed.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `settings:read`.
   */
  async get(): Promise<Settings> {
    const { reader } = this.tenant;
    return settingsOf(await runStep(reader.findSettings()));
  }

  /**
   * Updates the organization's settings. Omitted settings are left unchanged. `null` clears a setting. The audit trail records
   * the change. A new `logo` is re-encoded, then stored with the pictures of the organization's designs. A new `name` is applied
   * to cards in wallets in batches. A new `timeZone` applies to every change that commits afterward, in every process. Existing
   * counts aren't moved to different days. Segments are recounted in the new time zone, without emitting events for members who
   * enter or leave.
   * @throws {LoyaltyError} `validation_failed` (including for a UTC offset or an unknown time zone), `too_many_pictures`,
   *   `storage_unavailable` if too many of the organization's pictures are waiting to be decoded, or `access_denied` if the
   *   caller lacks `settings:write`.
   */
  async update(input: UpdateSettings & IdempotencyOptions): Promise<Settings> {
    const { tenant } = this;
    const { logo: sentLogo, ...fields } = parse(updateSettingsSchema, input);
    let isRecounting = false;
    const prepareLogo = async () => {
      const decoded = await decodePicture(tenant, sentLogo);
      if (typeof decoded === "string") throw validationFailed({ logo: decoded });
      if (fields.timeZone !== undefined) await runPastMidnights(tenant);
      return decoded;
    };
    const settings = await tenant.changeAfter(
      prepareLogo,
      ["settings.update", input],
      function* (logo, { tx }) {
        const existing = yield* tx.findSettings();
        const before = existing ?? unsetSettings;
        const now = tenant.now();
        const hasNewName = fields.name !== undefined && fields.name !== before.name;
        const hasNewLogo = logo !== undefined && (logo?.hash ?? null) !== before.logo;
        if (hasNewName || hasNewLogo) yield* refreshAllCards(tx);
        if (logo != null) yield* storePictures(tx, [["logo", logo]], now);
        const patched = applyPatch(
          before,
          { ...fields, ...(logo !== undefined && { logo: logo?.hash ?? null }) },
          now,
        );
        if (patched === before) return settingsOf(existing);
        const hasTimeZoneChange = patched.timeZone !== before.timeZone;
        const today = Math.max(dayIn(before.timeZone, now), dayIn(patched.timeZone, now));
        const after = hasTimeZoneChange
          ? { ...patched, countedSince: yield* findFirstDay(tx, today) }
          : patched;
        yield* tx.putSettings(after);
        if (hasTimeZoneChange) isRecounting = yield* applyTimeZoneChange(tx, tenant);
        yield* recordAuditEntry(tx, tenant, {
          action: "settings.updated",
          target: null,
          details: listChanged(before, after),
        });
        return settingsOf(after);
      },
    );
    if (isRecounting) startRecount(tenant);
    return settings;
  }
}

/** Returns the settings that changed, for the audit trail. */
function listChanged(before: StoredSettings, after: StoredSettings): Partial<Settings> {
  const { object: _, updatedAt: __, ...fields } = settingsOf(after);
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== Reflect.get(before, name)),
  );
}

/**
 * Returns the first day that has no counts yet, in any time zone. Processes' clocks differ and may be set back, so days after today
 * may already have counts.
 */
function* findFirstDay(reader: StorageReader, today: number): Step<number> {
  const { days } = yield* reader.readDayCounts(today, Number.MAX_SAFE_INTEGER);
  return (days.at(-1)?.day ?? today) + DATES_APART + 1;
}
