import * as z from "zod";
import { actorQueryFields, actorSchema } from "../access/actor-schema.js";
import { type EventType, eventTypes, isEventType } from "../base/event-types.js";
import { pageCursorFields, withOneCursor } from "../base/fields/page-cursor.js";
import { text, wireTimestamp } from "../base/fields/text.js";
import { storedDataSchema } from "./event-data-schema.js";

const MAX_LIMIT = 1_000;

/** Returns the schema name for an event type, such as `StampAddedEvent`. */
export function eventSchemaName(type: string): string {
  const name = type.replaceAll(/(?:^|[._])([a-z])/g, (_, initial: string) => initial.toUpperCase());
  return `${name}Event`;
}

export function eventOfType<Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z
    .object({ id: z.string(), type: z.literal(type), timestamp: wireTimestamp, actor: actorSchema, data })
    .meta({ id: eventSchemaName(type) });
}

const ofType = (type: EventType) => eventOfType<EventType, z.ZodType>(type, storedDataSchema(type));
const [first, ...others] = eventTypes;

/** The schema for an event of any type, with either its full data or the data that remains once its user has been erased. */
export const eventSchema = z
  .discriminatedUnion("type", [ofType(first), ...others.map(ofType)])
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
