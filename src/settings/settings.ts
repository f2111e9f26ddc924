import { run, type Step } from "../concurrency/step.js";
import type { Once } from "../idempotency/idempotent-call.js";
import { parse } from "../resources/parse.js";
import {
  type Settings as SettingsShown,
  settingsOf,
  type UpdateSettings,
  updateSettingsSchema,
  zoneOf,
} from "../resources/settings.js";
import { settleLater, zoneChanged } from "../segments/recount.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import { noteAct } from "../tenant/audit.js";
import { UseCases } from "../tenant/use-cases.js";
import { dayIn } from "../values/calendar-days.js";
import { laterThan } from "../values/clock.js";

/** The dates of two places are never further apart, in days. */
const DATES_APART = 2;

/** An organization's settings for all that it does. */
export class Settings extends UseCases {
  /** @throws {LoyaltyError} `access_denied` without `settings:read`. */
  async get(): Promise<SettingsShown> {
    const { storage, organizationId } = this.tenant;
    return settingsOf(await run(storage.findSettings(organizationId)));
  }

  /**
   * Changes the sent fields, and notes it in the audit trail. Each change that is committed after a new `timeZone` is counted on a
   * day of that zone, by whichever process; what was counted before stays on its day. Segments have the members of now, and nobody is
   * told of those who enter or leave them by it.
   * @throws {LoyaltyError} `validation_failed`, for an offset or an unknown name too; `access_denied` without
   *   `settings:write`.
   */
  async update(input: UpdateSettings & Once): Promise<SettingsShown> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { timeZone } = parse(updateSettingsSchema, input);
    let isSettling = false;
    const settings = await tenant.change(["settings.update", input], function* (tx) {
      const known = yield* tx.findSettings(organizationId);
      const before = zoneOf(known);
      if (timeZone === undefined || timeZone === before) return settingsOf(known);
      const now = tenant.now();
      const countedSince = yield* firstDayAlone(
        tx,
        organizationId,
        Math.max(dayIn(before, now), dayIn(timeZone, now)),
      );
      const after = { timeZone, countedSince, updatedAt: laterThan(known?.updatedAt ?? 0, now) };
      yield* tx.putSettings(organizationId, after);
      isSettling = yield* zoneChanged(tx, tenant);
      yield* noteAct(tx, tenant, { act: "settings.updated", target: null, details: { timeZone } });
      return settingsOf(after);
    });
    if (isSettling) settleLater(tenant);
    return settings;
  }
}

/**
 * The first day that nothing counted so far is on, by whichever zone. Clocks of processes differ, and are set back, so days after
 * today may have been counted on.
 */
function* firstDayAlone(reader: StorageReader, organizationId: string, today: number): Step<number> {
  const { days } = yield* reader.countedDays(organizationId, today, Number.MAX_SAFE_INTEGER);
  return (days.at(-1)?.day ?? today) + DATES_APART + 1;
}
