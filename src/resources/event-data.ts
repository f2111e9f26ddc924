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

/** The resources that events tell, as the interface shows them after the change, by the names that the reference gives them. */
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

/** The data of every kind of event: the resource as the interface shows it after the change. */
export type EventData = { [K in EventType]: Data<(typeof events)[K]["data"]> };

/** The data of an event as the outbox keeps it, which is less once the user that it tells of is erased. */
export type StoredEventData<K extends EventType> =
  | EventData[K]
  | ((typeof events)[K] extends { readonly erased: infer Erased } ? Data<Erased> : never);

/** The schema of what a kind of event tells where it is read again. */
export function storedDataSchema(type: EventType): z.ZodType {
  const erased = findErasedData(type);
  const data = schemas[events[type].data];
  return erased === null ? data : z.union([data, schemas[erased]]);
}
