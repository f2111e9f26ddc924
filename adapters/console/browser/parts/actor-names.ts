import type { OrganizationCalls } from "../../../../src/operations/groups.js";
import type { Actor } from "../../../../src/resources/actor.js";
import { may } from "../api/session.js";
import { actorText } from "./event-words.js";

/** The names of keys and apps by their ids, as far as whoever is signed in may read them. */
export type ActorNames = ReadonlyMap<string, string>;

/** Reads the names of who acts. */
export async function actorNames(calls: OrganizationCalls): Promise<ActorNames> {
  const [tokens, apps] = await Promise.all([
    may("api_token:manage") ? calls.apiTokens.list() : [],
    may("api_token:manage") ? calls.apps.list() : [],
  ]);
  return new Map([...tokens, ...apps].map(({ id, name }) => [id, name]));
}

/** Returns who did something and where, by their name where it is known. */
export function namedActorText(actor: Actor, names: ActorNames): string {
  const name = actor.id === null ? undefined : names.get(actor.id);
  return actorText(name === undefined || actor.subject !== null ? actor : { ...actor, subject: name });
}
