import { z } from "zod";
import { eventTypes, isEventType } from "../event-types.js";
import { wireTimestamp } from "./fields/timestamp.js";

const MAX_LIMIT = 1_000;

export const eventSchema = z
  .object({
    id: z.string(),
    type: z.enum(eventTypes),
    timestamp: wireTimestamp,
    /** Of the form that the type has. */
    data: z.looseObject({}),
  })
  .meta({ id: "Event" });

export const eventPageSchema = z
  .object({ content: z.array(eventSchema), next: z.string() })
  .meta({ id: "EventPage" });

/** A cursor is the position of the last event before it. */
export const eventQuerySchema = z.object({
  after: z
    .string()
    .regex(/^[0-9]{1,15}$/, { error: "must be the next of an earlier page" })
    .default("0"),
  types: z
    .array(z.string().meta({ enum: [...eventTypes] }))
    .min(1)
    .refine((types) => types.every(isEventType), { error: "must be event types, such as user.created" })
    .optional(),
  limit: z.int().min(1).max(MAX_LIMIT).default(100),
});

/** Which events to list. */
export type EventQuery = z.input<typeof eventQuerySchema>;
