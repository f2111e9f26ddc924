import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { Actor } from "../../../../src/resources/actor.js";
import { requestConsole } from "../api/console-request.js";
import { hasScopes } from "../api/session.js";
import { events as words } from "../words/en/events.js";
import { actorText } from "./event-words.js";

/** The names of people, tokens and apps by id. It lacks those that the user may not read. */
export type ActorNames = ReadonlyMap<string, string>;

/** Reads the names of actors. The names of people are visible to everyone who signs in here, because they show who stamped. */
export async function actorNames(calls: OrganizationCalls): Promise<ActorNames> {
  const [people, tokens, apps] = await Promise.all([
    peopleNames(),
    hasScopes("api_token:manage") ? calls.apiTokens.list() : [],
    hasScopes("api_token:manage") ? calls.apps.list() : [],
  ]);
  return new Map([...people, ...[...tokens, ...apps].map(({ id, name }) => [id, name] as const)]);
}

/** Reads the names of people. If that fails, everything else is still shown. */
export async function peopleNames(): Promise<ActorNames> {
  try {
    const names: Readonly<Record<string, string>> = JSON.parse(await requestConsole("GET", "people/names"));
    return new Map(Object.entries(names).map(([id, name]) => [id, name === "" ? words.colleague : name]));
  } catch {
    return new Map();
  }
}

/** Returns who did something and where, by their name where it is known. */
export function namedActorText(actor: Actor, names: ActorNames): string {
  const name = nameOfActor(actor, names);
  return actorText(name === null ? actor : { ...actor, subject: name });
}

/** Returns the name of the actor; `null` if the host's subject is another one. A person's id is also their subject. */
export function nameOfActor({ id, subject }: Actor, names: ActorNames): string | null {
  if (id === null || (subject !== null && subject !== id)) return null;
  return names.get(id) ?? null;
}
