import * as z from "zod";
import { actorQueryFields, actorSchema } from "../access/actor-schema.js";
import { automationStateSchema } from "../automations/schema.js";
import { type EventType, events, eventTypes, findErasedData, isEventType } from "../base/event-types.js";
import { pageCursorFields, withOneCursor } from "../base/fields/page-cursor.js";
import { text, wireTimestamp } from "../base/fields/text.js";
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
function buildStoredDataSchema(type: EventType): z.ZodType {
  const erased = findErasedData(type);
  const data = schemas[events[type].data];
  return erased === null ? data : z.union([data, schemas[erased]]);
}

const MAX_LIMIT = 1_000;

/** Returns the schema name for an event type, such as `StampAddedEvent`. */
export function toEventSchemaName(type: string): string {
  const name = type.replaceAll(/(?:^|[._])([a-z])/g, (_, initial: string) => initial.toUpperCase());
  return `${name}Event`;
}

export function buildEventSchema<Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z
    .object({ id: z.string(), type: z.literal(type), timestamp: wireTimestamp, actor: actorSchema, data })
    .meta({ id: toEventSchemaName(type) });
}

const buildStoredEventSchema = (type: EventType) =>
  buildEventSchema<EventType, z.ZodType>(type, buildStoredDataSchema(type));
const [first, ...others] = eventTypes;

/** The schema for an event of any type, with either its full data or the data that remains once its user has been erased. */
export const eventSchema = z
  .discriminatedUnion("type", [buildStoredEventSchema(first), ...others.map(buildStoredEventSchema)])
  .meta({ id: "Event" });

export const eventPageSchema = z
  .object({ content: z.array(eventSchema), next: z.string() })
  .meta({ id: "EventPage" });

/** The schema for event queries. Cursors are positions: the cursor for the next page is the position of this page's last event. */
export const eventQuerySchema = withOneCursor(
  z.object({
    ...pageCursorFields,
    types: z
      .array(z.string().meta({ enum: [...eventTypes] }))
      .min(1)
      .refine((types) => types.every(isEventType), { error: "must be event types, such as user.created" })
      .optional(),
    userId: text().optional(),
    limit: z.int().min(1).max(MAX_LIMIT).default(100),
    ...actorQueryFields,
  }),
);

export type EventQuery = z.input<typeof eventQuerySchema>;
