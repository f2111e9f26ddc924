import * as z from "zod";
import { emailText, multilineText, singleLineText } from "../base/fields/text.js";
import type { StoredMessageSettings } from "../storage/mail.js";

const time = z.string().regex(/^(?:[01][0-9]|2[0-3]):[0-5][0-9]$/, {
  error: "must be a time of the day such as 08:30",
});

const quietHours = z
  .object({ from: time, to: time })
  .refine(({ from, to }) => from !== to, { error: "must not be the same as from", path: ["to"] });

const cap = z.object({ perDays: z.int().min(1).max(90), messages: z.int().min(1).max(100) });

export const messageSettingsSchema = z
  .object({
    object: z.literal("message_settings"),
    senderName: z.string().nullable(),
    replyTo: z.string().nullable(),
    footer: z.string().nullable(),
    quietHours: z.object({ from: z.string(), to: z.string() }).nullable(),
    cap: z.object({ perDays: z.int(), messages: z.int() }).nullable(),
    walletByDefault: z.boolean(),
  })
  .meta({ id: "MessageSettings" });

/**
 * An organization's settings for emails and messages. No message starts during `quietHours`, which are times of day in the
 * organization's time zone. `cap` limits each customer to `messages` messages in any `perDays` × 24 hours. With `walletByDefault`,
 * cards also show messages to customers who have never stated a preference.
 */
export type MessageSettings = z.output<typeof messageSettingsSchema>;

export const updateMessageSettingsSchema = z
  .object({
    senderName: singleLineText(78).nullable().optional(),
    replyTo: emailText.nullable().optional(),
    footer: multilineText(1_000).nullable().optional(),
    quietHours: quietHours.nullable().optional(),
    cap: cap.nullable().optional(),
    walletByDefault: z.boolean().optional(),
  })
  .meta({ id: "UpdateMessageSettings" });

/** Changes to the message settings. Only the given fields change. `null` clears a field. */
export type UpdateMessageSettings = z.input<typeof updateMessageSettingsSchema>;

/** The default settings, which apply until an organization changes them. */
export const defaultMessageSettings: Omit<StoredMessageSettings, "updatedAt"> = {
  senderName: null,
  replyTo: null,
  footer: null,
  quietFrom: null,
  quietTo: null,
  capDays: 7,
  capMessages: 2,
  isWalletDefault: false,
};

export function toMessageSettings(settings: Omit<StoredMessageSettings, "updatedAt">): MessageSettings {
  const { senderName, replyTo, footer, quietFrom, quietTo, capDays, capMessages, isWalletDefault } = settings;
  return {
    object: "message_settings",
    senderName,
    replyTo,
    footer,
    quietHours: quietFrom === null || quietTo === null ? null : { from: quietFrom, to: quietTo },
    cap: capDays === null || capMessages === null ? null : { perDays: capDays, messages: capMessages },
    walletByDefault: isWalletDefault,
  };
}

export function toStoredSettings(
  patch: z.output<typeof updateMessageSettingsSchema>,
): Partial<Omit<StoredMessageSettings, "updatedAt">> {
  const { senderName, replyTo, footer, quietHours, cap, walletByDefault } = patch;
  return {
    ...(senderName !== undefined && { senderName }),
    ...(replyTo !== undefined && { replyTo }),
    ...(footer !== undefined && { footer }),
    ...(quietHours !== undefined && {
      quietFrom: quietHours?.from ?? null,
      quietTo: quietHours?.to ?? null,
    }),
    ...(cap !== undefined && { capDays: cap?.perDays ?? null, capMessages: cap?.messages ?? null }),
    ...(walletByDefault !== undefined && { isWalletDefault: walletByDefault }),
  };
}
