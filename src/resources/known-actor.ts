import { type GivenActor, givenActorSchema, type KnownActor, knownActor } from "./actor.js";
import { parse } from "./parse.js";

const known = new WeakMap<GivenActor, KnownActor>();

/**
 * Who acts, as the host says it. One that is frozen is looked at once: it comes with every request.
 * @throws {LoyaltyError} `validation_failed` or `wrong_param_type` on the parts that can't be so.
 */
export function actorFrom(given: GivenActor): KnownActor {
  const before = known.get(given);
  if (before !== undefined) return before;
  const actor = knownActor(parse(givenActorSchema, given));
  if (Object.isFrozen(given)) known.set(given, actor);
  return actor;
}
