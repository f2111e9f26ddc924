import { z } from "zod";
import type { EventType } from "../event-types.js";
import { importSummarySchema } from "./import-summary.js";
import { passInstallationSchema, revokedPassSchema, walletPassSchema } from "./pass.js";
import { completedCardSchema, stampCardSchema, stampReversalSchema } from "./stamps.js";
import { userTagSchema } from "./tag.js";
import { templateSchema } from "./template.js";
import { deletedUserSchema, userSchema } from "./user.js";
import { walletCertificateSchema } from "./wallet-certificate.js";

const userTagChangeSchema = z
  .object({ userId: z.string(), userTag: userTagSchema })
  .meta({ id: "UserTagChange" });

export type UserTagChange = z.output<typeof userTagChangeSchema>;

/** The data of every kind of event: the resource as the interface shows it after the change. */
export const eventDataSchemas = {
  "user.created": userSchema,
  "user.updated": userSchema,
  "user.deleted": deletedUserSchema,
  "user_tag.created": userTagSchema,
  "user_tag.updated": userTagSchema,
  "user_tag.deleted": userTagSchema,
  "user_tag.assigned": userTagChangeSchema,
  "user_tag.unassigned": userTagChangeSchema,
  "pass.created": walletPassSchema,
  "pass.installed": passInstallationSchema,
  "pass.uninstalled": passInstallationSchema,
  "pass.revoked": revokedPassSchema,
  "stamp.added": stampCardSchema,
  "stamp.removed": stampCardSchema,
  "stamp.set": stampCardSchema,
  "stamp.reset": stampCardSchema,
  /** Of whichever kind of entry, also where it brings a reward back. */
  "stamp.reversed": stampReversalSchema,
  /** Once for each time that the card was filled. */
  "stamp_card.completed": completedCardSchema,
  "stamp_card.redeemed": stampCardSchema,
  "template.created": templateSchema,
  "template.updated": templateSchema,
  "template.deleted": templateSchema,
  /** In place of all other events of an import that is told by a summary. */
  "import.completed": importSummarySchema,
  /** Once a day from the 30th day before on, to every organization that has cards in wallets. */
  "wallet_certificate.expiring": walletCertificateSchema,
} satisfies Readonly<Record<EventType, z.ZodType>>;

/** What erasing a user leaves of the data of an event about that user. Events of the other kinds tell of nobody but by ids. */
const erasedDataSchemas = {
  "user.created": deletedUserSchema,
  "user.updated": deletedUserSchema,
  "pass.created": revokedPassSchema,
  "pass.installed": revokedPassSchema,
  "pass.uninstalled": revokedPassSchema,
} satisfies Partial<Readonly<Record<EventType, z.ZodType>>>;

type ErasedData = { [K in keyof typeof erasedDataSchemas]: z.output<(typeof erasedDataSchemas)[K]> };

/** The data of an event as the outbox keeps it, which is less once the user that it tells of is erased. */
export type KeptData<K extends EventType> =
  | EventData[K]
  | (K extends keyof ErasedData ? ErasedData[K] : never);

const erasedData: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(erasedDataSchemas));

/** Whether events of a kind tell more of a user than ids. */
export function isErasable(type: string): boolean {
  return erasedData.has(type);
}

/** What a kind of event tells where it is read again. */
export function keptDataSchema(type: EventType): z.ZodType {
  const erased = erasedData.get(type);
  return erased === undefined ? eventDataSchemas[type] : z.union([eventDataSchemas[type], erased]);
}

/** The data of every kind of event: the resource as the interface shows it after the change. */
export type EventData = { [K in EventType]: z.output<(typeof eventDataSchemas)[K]> };
