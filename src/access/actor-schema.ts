import * as z from "zod";
import { text } from "../base/fields/text.js";
import { parse } from "../base/parse.js";
import { type ActorFilter, HOST_ACTOR, type StoredActor } from "../storage/actors.js";

/**
 * The kinds of actors that make changes. `library` is the host's own code. `customer` is a customer who uses a customer page or a
 * wallet on their phone. `automation` is an automation, identified by its ID.
 */
export const actorKinds = ["library", "token", "app", "console", "worker", "customer", "automation"] as const;

export const actorSchema = z
  .object({
    kind: z.enum(actorKinds),
    id: z.string().nullable(),
    subject: z.string().nullable(),
    location: z.string().nullable(),
    receipt: z.string().nullable(),
  })
  .meta({ id: "Actor" });

/**
 * The actor who made a change. `id` is the ID of the token or app, `subject` is the host's own ID for the person, `location` is
 * where the change was made, and `receipt` is the purchase's receipt number. Unknown values are `null`.
 */
export type Actor = z.output<typeof actorSchema>;

const kind = z.enum(actorKinds);
const detailSchema = text(255)
  .refine((value) => value !== "", { error: "must not be empty" })
  .meta({ minLength: 1, maxLength: 255 });

export const actorDetailsSchema = z.strictObject({
  subject: detailSchema.nullish(),
  location: detailSchema.nullish(),
  receipt: detailSchema.nullish(),
});

/** Details about the actor, each 1 to 255 characters long. For `subject`, prefer the host's own ID over a person's name. */
export type ActorDetails = z.input<typeof actorDetailsSchema>;

export const actorInputSchema = actorDetailsSchema.extend({
  kind: kind.default("library"),
  id: detailSchema.nullish(),
});

/** Information about who is making a change. The kind defaults to `library`. */
export type ActorInput = z.input<typeof actorInputSchema>;

/** Query fields that filter a list of changes by actor. If all of them are omitted, changes by every actor are listed. */
export const actorQueryFields = {
  actorKind: kind.optional(),
  actorId: detailSchema.optional(),
  subject: detailSchema.optional(),
  location: detailSchema.optional(),
  receipt: detailSchema.optional(),
};

type ActorQuery = z.output<z.ZodObject<typeof actorQueryFields>>;

/** An actor in two forms: as the API returns it and as it is stored. */
export interface ResolvedActor {
  readonly visible: Actor;
  readonly stored: StoredActor;
}

/**
 * Builds both forms of an actor: the one that the API returns and the one that is stored.
 * @param actor an actor already validated by {@link actorInputSchema}.
 */
export function resolveActor(actor: z.output<typeof actorInputSchema>): ResolvedActor {
  const { kind, id = null, subject = null, location = null, receipt = null } = actor;
  const visible = Object.freeze({ kind, id, subject, location, receipt });
  // The keys keep this order, because filters search for parts of the string.
  const actorJson = JSON.stringify({
    kind,
    ...(id !== null && { id }),
    ...withoutNulls({ location, receipt }),
  });
  return { visible, stored: { actor: actorJson === HOST_ACTOR ? null : actorJson, subject } };
}

function withoutNulls(texts: Readonly<Record<string, string | null>>) {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null));
}

/** The actor for the host's own code, with no additional details. */
export const hostActor = resolveActor({ kind: "library" });

/**
 * Returns a copy of an actor that is marked as an import, so that this actor's events don't start automations. The mark is stored
 * but never returned by the API.
 */
export function asImportActor({ visible, stored }: ResolvedActor): ResolvedActor {
  return {
    visible,
    stored: {
      ...stored,
      actor: JSON.stringify({ ...JSON.parse(stored.actor ?? HOST_ACTOR), isImport: true }),
    },
  };
}

/**
 * Returns a copy of an actor that is marked so that this actor's events start automations even if an automation caused them. The
 * mark is stored but never returned by the API.
 */
export function asStartingActor({ actor, subject }: StoredActor): StoredActor {
  return { subject, actor: JSON.stringify({ ...JSON.parse(actor ?? HOST_ACTOR), starts: true }) };
}

/**
 * Returns whether this actor's events can start automations. Events caused by automations or imports can't, unless the actor is
 * marked by {@link asStartingActor}.
 */
export function mayStartAutomations({ actor }: Pick<StoredActor, "actor">): boolean {
  if (actor === null) return true;
  const { kind, isImport = false, starts = false }: ParsedActor = JSON.parse(actor);
  return starts || (kind !== "automation" && !isImport);
}

interface ParsedActor {
  readonly kind?: string;
  readonly isImport?: boolean;
  readonly starts?: boolean;
}

export function actorOf({ actor, subject }: StoredActor): Actor {
  if (actor === null && subject === null) return hostActor.visible;
  const { kind, id = null, location = null, receipt = null } = JSON.parse(actor ?? HOST_ACTOR);
  return { kind, id, subject, location, receipt };
}

/** Builds the storage filter for an actor query, or returns `null` if the query matches all actors. */
export function buildActorFilter(query: ActorQuery): ActorFilter | null {
  const { actorKind: kind, actorId: id, subject = null, location, receipt } = query;
  // A quote inside a string is escaped, so a part never matches inside another string.
  const parts = Object.entries({ kind, id, location, receipt })
    .filter(([, text]) => text !== undefined)
    .map(([name, text]) => `${JSON.stringify(name)}:${JSON.stringify(text)}`);
  return parts.length === 0 && subject === null ? null : { parts, subject };
}

const resolvedActors = new WeakMap<ActorInput, ResolvedActor>();

/**
 * Validates an actor passed in by the host. A frozen actor is validated only once, because hosts often pass the same actor with
 * every request.
 * @throws {LoyaltyError} `validation_failed` or `wrong_param_type`, with an error message for each invalid field.
 */
export function parseActor(input: ActorInput): ResolvedActor {
  const cachedActor = resolvedActors.get(input);
  if (cachedActor !== undefined) return cachedActor;
  const actor = resolveActor(parse(actorInputSchema, input));
  if (Object.isFrozen(input)) resolvedActors.set(input, actor);
  return actor;
}
