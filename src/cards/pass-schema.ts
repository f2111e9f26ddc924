import * as z from "zod";
import { text, wireTimestamp } from "../base/fields/text.js";
import { onAnyObject, requireExactlyOne } from "../base/parse.js";
import { timesOf } from "../base/values/clock.js";
import { type CreateUser, createUserSchema } from "../customers/schema.js";
import { notificationSchema } from "../messages/delivery-schema.js";
import { type PointCard, pointCardSchema } from "../points/schema.js";
import type { StoredPass } from "../storage/passes.js";
import type { StoredTemplate } from "../storage/templates.js";
import { walletPlatform } from "../wallets/schema.js";
import { templateOf, templateSchema } from "./schema.js";
import { stampProgressOf, stampProgressSchema } from "./stamps-schema.js";

const installationStatus = z.enum(["INSTALLED", "UNINSTALLED"]);

export const walletPassSchema = z
  .object({
    id: z.string(),
    object: z.literal("wallet_pass"),
    userId: z.string(),
    templateId: z.string(),
    qrCodeValue: z.string(),
    isPreviewPass: z.boolean(),
    installationStatus: installationStatus.nullable(),
    createdAt: wireTimestamp,
    updatedAt: wireTimestamp,
  })
  .meta({ id: "WalletPass" });

/** A digital card that was issued to a user from a template. */
export type WalletPass = z.output<typeof walletPassSchema>;

/** The schema for a revoked pass, with the fields that remain. */
export const revokedPassSchema = walletPassSchema
  .pick({ id: true, object: true, userId: true, templateId: true })
  .meta({ id: "RevokedWalletPass" });

export type RevokedPass = z.output<typeof revokedPassSchema>;

/**
 * The schema for the data in installation events. `platform` is the wallet that reported the change, or `null` if the host reported
 * it.
 */
export const passInstallationSchema = walletPassSchema
  .extend({ platform: walletPlatform.nullable() })
  .meta({ id: "WalletPassInstallation" });

/** The data in `pass.installed` and `pass.uninstalled` events. */
export type PassInstallation = z.output<typeof passInstallationSchema>;

export const walletLinksSchema = z
  .object({ apple: z.string().nullable(), google: z.string().nullable(), page: z.string() })
  .meta({ id: "WalletLinks" });

/**
 * Links that add a pass to a wallet. A link is `null` if the host hasn't set up that wallet. `page` is the card's page, which its
 * QR code opens. The links can't be guessed, but anyone who has one can add the pass until the links are revoked by
 * `revokeWalletLinks`.
 */
export type WalletLinks = z.output<typeof walletLinksSchema>;

export const walletPassDetailSchema = walletPassSchema
  .extend({
    template: templateSchema,
    stampProgress: stampProgressSchema.nullable(),
    rewardsAvailable: z.int().nullable(),
    pointCard: pointCardSchema.nullable(),
  })
  .meta({ id: "WalletPassDetail" });

/** A pass with its template. A stamp card also includes its progress and redeemable rewards, and a card with points its points. */
export type WalletPassDetail = z.output<typeof walletPassDetailSchema>;

/** Present in responses only if an email was requested. */
const notification = notificationSchema.optional();

export const createdPassSchema = walletPassSchema.extend({ notification }).meta({ id: "CreatedWalletPass" });

/** A new pass. If `notify` was set, it includes the outcome of emailing the user. */
export type CreatedPass = z.output<typeof createdPassSchema>;

export const ensuredPassSchema = walletPassDetailSchema
  .extend({ notification })
  .meta({ id: "EnsuredWalletPass" });

/** An existing or new pass. If `notify` was set, it includes the outcome of emailing the user. */
export type EnsuredPass = z.output<typeof ensuredPassSchema>;

export const createPassSchema = z
  .object({
    userId: text().optional(),
    user: createUserSchema.optional(),
    notify: z.boolean().optional(),
  })
  .superRefine(({ userId, user }, context) => {
    if ((userId === undefined) === (user === undefined)) {
      context.addIssue({
        code: "custom",
        path: ["userId"],
        message:
          user === undefined
            ? "is required unless you give user instead"
            : "can't be given together with user",
      });
    }
  }, onAnyObject)
  .meta({ id: "CreateWalletPass", ...requireExactlyOne("userId", "user") });

/**
 * A pass to issue. Requires exactly one of `userId` (a service ID or external ID) and `user` (a new user who is created along with
 * the pass). With `notify: true`, an email with the link to the card is queued for the user.
 */
export type CreatePass = Omit<z.input<typeof createPassSchema>, "userId" | "user"> &
  (
    | {
        /** The ID or external ID of the user to issue the pass to. */
        readonly userId: string;
        readonly user?: undefined;
      }
    | {
        readonly userId?: undefined;
        /** A new user, who is created along with the pass. */
        readonly user: CreateUser;
      }
  );

export const setInstallationSchema = z.object({ status: installationStatus }).meta({ id: "SetInstallation" });

export const passLookupSchema = z.object({ qrCodeValue: text() });

/**
 * Converts a stored pass to the API's format.
 * @param shortLinkBase the part of a QR value that precedes the code.
 */
export function walletPassOf(pass: StoredPass, shortLinkBase: string): WalletPass {
  return {
    id: pass.id,
    object: "wallet_pass",
    userId: pass.userId,
    templateId: pass.templateId,
    qrCodeValue: `${shortLinkBase}/${pass.code}`,
    isPreviewPass: pass.isPreviewPass,
    installationStatus: pass.installationStatus,
    ...timesOf(pass),
  };
}

export function walletPassDetailOf(
  pass: StoredPass,
  template: StoredTemplate,
  shortLinkBase: string,
  pointCard: PointCard | null,
): WalletPassDetail {
  return {
    ...walletPassOf(pass, shortLinkBase),
    template: templateOf(template),
    stampProgress: stampProgressOf(pass),
    rewardsAvailable: pass.card?.rewardsAvailable ?? null,
    pointCard,
  };
}

export function revokedPassOf({
  id,
  userId,
  templateId,
}: Pick<StoredPass, "id" | "userId" | "templateId">): RevokedPass {
  return { id, object: "wallet_pass", userId, templateId };
}
