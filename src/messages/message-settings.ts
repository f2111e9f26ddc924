import { runStep } from "../base/concurrency/step.js";
import { parse } from "../base/parse.js";
import { recordAuditEntry } from "../kernel/audit.js";
import type { IdempotencyOptions } from "../kernel/idempotency/idempotent-call.js";
import { applyPatch } from "../kernel/patch.js";
import { UseCases } from "../kernel/use-cases.js";
import {
  defaultMessageSettings,
  type MessageSettings as Settings,
  toMessageSettings,
  toStoredSettings,
  type UpdateMessageSettings,
  updateMessageSettingsSchema,
} from "./settings-schema.js";

/** Manages an organization's settings for emails and messages. */
export class OrganizationMessageSettings extends UseCases {
  /**
   * Returns the current settings, with defaults for settings that were never changed.
   * @throws {LoyaltyError} `access_denied` if the caller lacks `message:read`.
   */
  async get(): Promise<Settings> {
    const { reader } = this.tenant;
    return toMessageSettings((await runStep(reader.findMessageSettings())) ?? defaultMessageSettings);
  }

  /**
   * Changes only the given fields. `null` clears a field. The change is recorded in the audit trail.
   * @returns the settings after the change.
   * @throws {LoyaltyError} `validation_failed`, or `access_denied` if the caller lacks `message:send`.
   */
  async update(input: UpdateMessageSettings & IdempotencyOptions): Promise<Settings> {
    const { tenant } = this;
    const patch = toStoredSettings(parse(updateMessageSettingsSchema, input));
    return tenant.change(["messageSettings.update", input], function* ({ tx }) {
      const existing = yield* tx.findMessageSettings();
      const before = existing ?? { ...defaultMessageSettings, updatedAt: 0 };
      const after = applyPatch(before, patch, tenant.now());
      if (after === before) return toMessageSettings(before);
      yield* tx.putMessageSettings(after);
      const response = toMessageSettings(after);
      const { object: _, ...details } = response;
      yield* recordAuditEntry(tx, tenant, { action: "message_settings.updated", target: null, details });
      return response;
    });
  }
}
