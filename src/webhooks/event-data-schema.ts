import * as z from "zod";
import { automationStateSchema } from "../automations/schema.js";
import { type EventType, events, findErasedData } from "../base/event-types.js";
import { passInstallationSchema, revokedPassSchema, walletPassSchema } from "../cards/pass-schema.js";
import { templateSchema } from "../cards/schema.js";
import { completedCardSchema, stampCardSchema, stampReversalSchema } from "../cards/stamps-schema.js";
import { importSummarySchema } from "../customers/import-schema.js";
import { deletedUserSchema, userSchema } from "../customers/schema.js";
import { messageProgressSchema } from "../messages/schema.js";
import { subscriptionChangeSchema } from "../messages/subscription-schema.js";
import { pointChangeSchema } from "../points/schema.js";
import { changedPurchaseSchema } from "../purchases/schema.js";
import { savedSegmentSchema, segmentMoveSchema } from "../segments/schema.js";
import { taggingResultSchema, userTagSchema } from "../tags/schema.js";
import { walletCertificateSchema } from "../wallets/schema.js";

const userTagChangeSchema = z
  .object({ userId: z.string(), userTag: userTagSchema })
  .meta({ id: "UserTagChange" });

const userTagMergeSchema = z
  .object({ userTag: userTagSchema, into: userTagSchema, ...taggingResultSchema.shape })
  .meta({ id: "UserTagMerge" });

export type UserTagChange = z.output<typeof userTagChangeSchema>;

/** The resources in events, as the API returns them after the change, keyed by their names in the API reference. */
const schemas = {
  User: userSchema,
  DeletedUser: deletedUserSchema,
  SubscriptionChange: subscriptionChangeSchema,
  UserTag: userTagSchema,
  UserTagChange: userTagChangeSchema,
  UserTagMerge: userTagMergeSchema,
  WalletPass: walletPassSchema,
  WalletPassInstallation: passInstallationSchema,
  RevokedWalletPass: revokedPassSchema,
  StampCard: stampCardSchema,
  StampReversal: stampReversalSchema,
  CompletedCard: completedCardSchema,
  PointChange: pointChangeSchema,
  ChangedPurchase: changedPurchaseSchema,
  SavedSegment: savedSegmentSchema,
  MessageProgress: messageProgressSchema,
  SegmentMembershipChange: segmentMoveSchema,
  AutomationState: automationStateSchema,
  Template: templateSchema,
  ImportSummary: importSummarySchema,
  WalletCertificate: walletCertificateSchema,
};

type Resources = { [Name in keyof typeof schemas]: z.output<(typeof schemas)[Name]> };

type Data<Name> = Name extends keyof Resources ? Resources[Name] : never;

/** The data for each event type. For most types, it is the resource as the API returns it after the change. */
export type EventData = { [K in EventType]: Data<(typeof events)[K]["data"]> };

/** An event's data, as stored in the outbox. It has fewer fields once the event's user has been erased. */
export type StoredEventData<K extends EventType> =
  | EventData[K]
  | ((typeof events)[K] extends { readonly erased: infer Erased } ? Data<Erased> : never);

/** Returns the schema for an event type's data in the outbox. If erasing a user reduces the data, the schema accepts both forms. */
export function storedDataSchema(type: EventType): z.ZodType {
  const erased = findErasedData(type);
  const data = schemas[events[type].data];
  return erased === null ? data : z.union([data, schemas[erased]]);
}
