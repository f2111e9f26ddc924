import * as z from "zod";
import { type EventType, events, findErasedData } from "../event-types.js";
import { automationStateSchema } from "./automation.js";
import { importSummarySchema } from "./import.js";
import { messageProgressSchema } from "./message.js";
import { passInstallationSchema, revokedPassSchema, walletPassSchema } from "./pass.js";
import { savedSegmentSchema } from "./segment.js";
import { segmentMoveSchema } from "./segment-move.js";
import { completedCardSchema, stampCardSchema, stampReversalSchema } from "./stamps.js";
import { subscriptionChangeSchema } from "./subscription.js";
import { userTagSchema } from "./tag.js";
import { taggingResultSchema } from "./tagging.js";
import { templateSchema } from "./template.js";
import { deletedUserSchema, userSchema } from "./user.js";
import { walletCertificateSchema } from "./wallet-certificate.js";

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
  SavedSegment: savedSegmentSchema,
  MessageProgress: messageProgressSchema,
  SegmentMembershipChange: segmentMoveSchema,
  AutomationState: automationStateSchema,
  Template: templateSchema,
  ImportSummary: importSummarySchema,
  WalletCertificate: walletCertificateSchema,
};

type Data<Name> = Name extends keyof typeof schemas ? z.output<(typeof schemas)[Name]> : never;

/** The data for each event type: the resource as the API returns it after the change. */
export type EventData = { [K in EventType]: Data<(typeof events)[K]["data"]> };

/** The data in an outbox event. It has fewer fields once the event's user has been erased. */
export type StoredEventData<K extends EventType> =
  | EventData[K]
  | ((typeof events)[K] extends { readonly erased: infer Erased } ? Data<Erased> : never);

/** Returns the schema for an event type's data as read from the outbox. */
export function storedDataSchema(type: EventType): z.ZodType {
  const erased = findErasedData(type);
  const data = schemas[events[type].data];
  return erased === null ? data : z.union([data, schemas[erased]]);
}
