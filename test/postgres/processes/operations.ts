import type { Organization } from "loyalty-kit";
import { pseudoRandom } from "../../../adapters/testing/storage-suite/kit/pseudo-random.js";
import { count, customer, type Draw, oneOf, pair, several, slug, tagName, user } from "./draws.js";

/** One call of a worker. What it does depends on the seed alone; what comes of it depends on the other workers too. */
export interface Operation {
  /** Its name and arguments, for people. */
  readonly what: string;
  run(acme: Organization): Promise<unknown>;
}

/** The operations of one process: the same ones for the same seed. */
export function operationsOf(seed: number, process: number, count: number): Operation[] {
  const draw = pseudoRandom(seed * 1_000 + process);
  return Array.from({ length: count }, () => oneOf(kinds)(draw)(draw));
}

/** Makes an operation of one kind. */
type Kind = Draw<Operation>;

/** @param weight how often there is one, compared with other kinds. */
function kind<A>(
  weight: number,
  name: string,
  args: Draw<A>,
  run: (acme: Organization, args: A) => Promise<unknown>,
): Kind[] {
  return Array.from({ length: weight }, () => (draw) => {
    const given = args(draw);
    return { what: `${name}(${JSON.stringify(given)})`, run: (acme) => run(acme, given) };
  });
}

/** An operation on a customer's oldest pass, which they get when they have none. */
function onPass<A>(
  weight: number,
  name: string,
  args: Draw<A>,
  run: (acme: Organization, passId: string, args: A) => Promise<unknown>,
): Kind[] {
  return kind(weight, name, pair(customer, args), async (acme, [userId, given]) => {
    const [pass = await issued(acme, { userId })] = await acme.passes.ofUser(userId);
    return run(acme, pass.id, given);
  });
}

async function issued(acme: Organization, owner: Parameters<Organization["passes"]["create"]>[1]) {
  const [card] = await acme.templates.list();
  return acme.passes.create(card?.id ?? "none", owner);
}

const nothing = () => null;

const kinds: readonly Kind[] = [
  ...kind(10, "users.create", user, ({ users }, input) => users.create(input)),
  ...kind(2, "users.update", pair(customer, user), ({ users }, [id, change]) => users.update(id, change)),
  ...kind(1, "users.delete", customer, ({ users }, id) => users.delete(id)),
  ...kind(1, "users.import", several(user), ({ users }, rows) => users.import(rows)),

  ...kind(4, "tags.create", tagName, ({ tags }, name) => tags.create({ name })),
  ...kind(1, "tags.update", pair(slug, count), ({ tags }, [of, number]) =>
    tags.update(of, { description: `${number}` }),
  ),
  ...kind(1, "tags.delete", slug, ({ tags }, of) => tags.delete(of)),
  ...kind(6, "tags.assign", pair(customer, slug), ({ tags }, [id, of]) => tags.assign(id, of)),
  ...kind(5, "tags.unassign", pair(customer, slug), ({ tags }, [id, of]) => tags.unassign(id, of)),
  ...kind(1, "tags.assignUsers", pair(slug, several(customer)), ({ tags }, [of, userIds]) =>
    tags.assignUsers(of, { userIds }),
  ),
  ...kind(1, "tags.assignUsers to those without", pair(slug, slug), ({ tags }, [of, other]) =>
    tags.assignUsers(of, { filter: { operator: "NOT", conditions: [{ slug: other }] } }),
  ),
  ...kind(1, "tags.unassignUsers from those with", pair(slug, slug), ({ tags }, [of, other]) =>
    tags.unassignUsers(of, { filter: { operator: "AND", conditions: [{ slug: other }] } }),
  ),

  ...kind(1, "passes.create", customer, (acme, userId) => issued(acme, { userId })),
  ...kind(1, "passes.create with a user", user, (acme, input) => issued(acme, { user: input })),
  ...onPass(1, "passes.delete", nothing, ({ passes }, id) => passes.delete(id)),
  ...onPass(1, "passes.markInstalled", nothing, ({ passes }, id) => passes.markInstalled(id)),
  ...onPass(1, "passes.markUninstalled", nothing, ({ passes }, id) => passes.markUninstalled(id)),

  ...onPass(8, "stamps.add", count, ({ stamps }, id, number) => stamps.add(id, { count: number })),
  ...onPass(3, "stamps.remove", count, ({ stamps }, id, number) => stamps.remove(id, { count: number })),
  ...onPass(1, "stamps.set", count, ({ stamps }, id, number) => stamps.set(id, { stamps: number })),
  ...onPass(1, "stamps.reset", nothing, ({ stamps }, id) => stamps.reset(id)),
  ...onPass(3, "stamps.redeem", nothing, ({ stamps }, id) => stamps.redeem(id)),
];
