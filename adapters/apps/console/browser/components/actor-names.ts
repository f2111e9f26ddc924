import type { Actor } from "../../../../../src/access/actor-schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import { requestConsole } from "../api/console-request.js";
import { hasScopes } from "../api/session.js";
import { actorAt, actors, events as words } from "../words/en/events.js";

/** Names of staff members, tokens, and apps, keyed by ID. Names that the user isn't allowed to read are omitted. */
export type ActorNames = ReadonlyMap<string, string>;

/**
 * Loads the names of staff members, tokens, and apps. Reading token and app names requires a scope, but anyone who can sign in to
 * the console can read staff names.
 */
export async function loadActorNames(calls: OrganizationCalls): Promise<ActorNames> {
  const [staffNames, tokens, apps] = await Promise.all([
    loadStaffNames(),
    hasScopes("api_token:manage") ? calls.apiTokens.list() : [],
    hasScopes("api_token:manage") ? calls.apps.list() : [],
  ]);
  return new Map([...staffNames, ...[...tokens, ...apps].map(({ id, name }) => [id, name] as const)]);
}

/**
 * Loads the names of staff members. If loading fails, resolves to an empty map so that the rest of the screen can still be shown.
 */
export async function loadStaffNames(): Promise<ActorNames> {
  try {
    const names: Readonly<Record<string, string>> = JSON.parse(await requestConsole("GET", "people/names"));
    return new Map(Object.entries(names).map(([id, name]) => [id, name === "" ? words.colleague : name]));
  } catch {
    return new Map();
  }
}

/** Describes who performed an action and where. Uses the actor's name if it is known. */
export function describeNamedActor(actor: Actor, names: ActorNames): string {
  const name = findActorName(actor, names);
  return describeActor(name === null ? actor : { ...actor, subject: name });
}

/**
 * Returns the name of a staff member, token, or app. Returns `null` if the name isn't known, or if `subject` contains the host's
 * own ID for the actor, which is shown instead.
 */
export function findActorName({ id, subject }: Actor, names: ActorNames): string | null {
  if (id === null || (subject !== null && subject !== id && !isTokenPrefix(subject))) return null;
  return names.get(id) ?? null;
}

/** Returns whether a subject is the beginning of an API token that a user signed in with. It isn't a name. */
const isTokenPrefix = (subject: string) => /^lk_\w{1,8}$/.test(subject);

/** Describes who performed an action and where, for example "Ada, Till 2". */
export function describeActor({ kind, subject, location }: Actor): string {
  const actorName = subject === null || isTokenPrefix(subject) ? actors[kind] : subject;
  return location === null ? actorName : actorAt(actorName, location);
}
