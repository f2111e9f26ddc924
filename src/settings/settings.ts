import { run } from "../concurrency/step.js";
import type { Once } from "../idempotency/idempotent-call.js";
import { parse } from "../resources/parse.js";
import {
  type Settings as SettingsShown,
  settingsOf,
  type UpdateSettings,
  updateSettingsSchema,
  zoneOf,
} from "../resources/settings.js";
import { noteAct } from "../tenant/audit.js";
import { UseCases } from "../tenant/use-cases.js";
import { dayIn } from "../values/calendar-days.js";
import { laterThan } from "../values/clock.js";

/** What an organization has set for all that it does. */
export class Settings extends UseCases {
  /** @throws {LoyaltyError} `access_denied` without `settings:read`. */
  async get(): Promise<SettingsShown> {
    const { storage, organizationId } = this.tenant;
    return settingsOf(await run(storage.findSettings(organizationId)));
  }

  /**
   * Changes the sent fields, and notes it in the audit trail. Each change that is committed after a new `timeZone` is counted on a
   * day of that zone, by whichever process; what was counted before stays on its day.
   * @throws {LoyaltyError} `validation_failed`, for an offset or an unknown name too; `access_denied` without
   *   `settings:write`.
   */
  async update(input: UpdateSettings & Once): Promise<SettingsShown> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { timeZone } = parse(updateSettingsSchema, input);
    return tenant.change(["settings.update", input], function* (tx) {
      const known = yield* tx.findSettings(organizationId);
      const before = zoneOf(known);
      if (timeZone === undefined || timeZone === before) return settingsOf(known);
      const now = tenant.now();
      const newestDay = Math.max(dayIn(before, now), dayIn(timeZone, now));
      const after = {
        timeZone,
        countedSince: Math.max(known?.countedSince ?? 0, newestDay + 1),
        updatedAt: laterThan(known?.updatedAt ?? 0, now),
      };
      yield* tx.putSettings(organizationId, after);
      yield* noteAct(tx, tenant, { act: "settings.updated", target: null, details: { timeZone } });
      return settingsOf(after);
    });
  }
}
