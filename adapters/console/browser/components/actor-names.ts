import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { Actor } from "../../../../src/resources/actor.js";
import { requestConsole } from "../api/console-request.js";
import { hasScopes } from "../api/session.js";
import { events as words } from "../words/en/events.js";
import { actorText } from "./event-words.js";

/** The names of people, keys and apps by their ids, as far as whoever is signed in may read them. */
export type ActorNames = ReadonlyMap<string, string>;

/** Reads the names of who acts. Those of people are for all who sign in here: they say who stamped. */
export async function actorNames(calls: OrganizationCalls): Promise<ActorNames> {
  const [people, tokens, apps] = await Promise.all([
    peopleNames(),
    hasScopes("api_token:manage") ? calls.apiTokens.list() : [],
    hasScopes("api_token:manage") ? calls.apps.list() : [],
  ]);
  return new Map([...people, ...[...tokens, ...apps].map(({ id, name }) => [id, name] as const)]);
}

/** Reads the names of people. Without an answer nobody has one, and all else is shown. */
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

/** Returns the name of who acted; `null` where another one was told. A person acts under the id that is their subject too. */
export function nameOfActor({ id, subject }: Actor, names: ActorNames): string | null {
  if (id === null || (subject !== null && subject !== id)) return null;
  return names.get(id) ?? null;
}
