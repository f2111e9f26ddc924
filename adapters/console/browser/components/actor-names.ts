import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { Actor } from "../../../../src/resources/actor.js";
import { requestConsole } from "../api/console-request.js";
import { hasScopes } from "../api/session.js";
import { events as words } from "../words/en/events.js";
import { actorText } from "./event-words.js";

/** Names of staff members, tokens and apps by ID. Lacks names that the user isn't allowed to read. */
export type ActorNames = ReadonlyMap<string, string>;

/**
 * Reads the names of actors. Staff names are visible to everyone who can sign in to the console, because they show who added a
 * stamp.
 */
export async function actorNames(calls: OrganizationCalls): Promise<ActorNames> {
  const [people, tokens, apps] = await Promise.all([
    peopleNames(),
    hasScopes("api_token:manage") ? calls.apiTokens.list() : [],
    hasScopes("api_token:manage") ? calls.apps.list() : [],
  ]);
  return new Map([...people, ...[...tokens, ...apps].map(({ id, name }) => [id, name] as const)]);
}

/** Reads the names of staff members. Returns an empty map if that fails, so that everything else is still shown. */
export async function peopleNames(): Promise<ActorNames> {
  try {
    const names: Readonly<Record<string, string>> = JSON.parse(await requestConsole("GET", "people/names"));
    return new Map(Object.entries(names).map(([id, name]) => [id, name === "" ? words.colleague : name]));
  } catch {
    return new Map();
  }
}

/** Describes who performed an action and where. Uses the actor's name if it is known. */
export function namedActorText(actor: Actor, names: ActorNames): string {
  const name = nameOfActor(actor, names);
  return actorText(name === null ? actor : { ...actor, subject: name });
}

/**
 * Returns the actor's name, or `null` if it is unknown or if the host recorded a subject of its own. A staff member's subject is
 * the same as their ID.
 */
export function nameOfActor({ id, subject }: Actor, names: ActorNames): string | null {
  if (id === null || (subject !== null && subject !== id)) return null;
  return names.get(id) ?? null;
}
