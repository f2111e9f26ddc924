import type { Organization } from "loyalty-kit";
import { pseudoRandom } from "../../../adapters/testing/storage-suite/kit/pseudo-random.js";
import {
  count,
  type Draw,
  drawCustomer,
  drawOne,
  drawPair,
  drawSeveral,
  drawUser,
  slug,
  tagName,
} from "./draws.js";

/**
 * One call of a worker. The seed alone determines what it does. The result also depends on the other workers.
 */
export interface Operation {
  /** The name and arguments, for messages. */
  readonly what: string;
  run(acme: Organization): Promise<unknown>;
}

/** Creates the operations of one process: the same ones for the same seed. */
export function createOperations(seed: number, process: number, count: number): Operation[] {
  const draw = pseudoRandom(seed * 1_000 + process);
  return Array.from({ length: count }, () => drawOne(kinds)(draw)(draw));
}

/** Creates an operation of one kind. */
type Kind = Draw<Operation>;

/** Creates a kind of operation. @param weight its frequency, relative to other kinds. */
function createKind<A>(
  weight: number,
  name: string,
  args: Draw<A>,
  run: (acme: Organization, args: A) => Promise<unknown>,
): Kind[] {
  return Array.from({ length: weight }, () => (draw) => {
    const values = args(draw);
    return { what: `${name}(${JSON.stringify(values)})`, run: (acme) => run(acme, values) };
  });
}

/** Creates a kind of operation on a customer's oldest pass. A customer without a pass gets one first. */
function onPass<A>(
  weight: number,
  name: string,
  args: Draw<A>,
  run: (acme: Organization, passId: string, args: A) => Promise<unknown>,
): Kind[] {
  return createKind(weight, name, drawPair(drawCustomer, args), async (acme, [userId, values]) => {
    const [pass = await issuePass(acme, { userId })] = await acme.passes.ofUser(userId);
    return run(acme, pass.id, values);
  });
}

async function issuePass(acme: Organization, owner: Parameters<Organization["passes"]["create"]>[1]) {
  const [card] = await acme.templates.list();
  return acme.passes.create(card?.id ?? "none", owner);
}

const drawNothing = () => null;

const kinds: readonly Kind[] = [
  ...createKind(10, "users.create", drawUser, ({ users }, input) => users.create(input)),
  ...createKind(2, "users.update", drawPair(drawCustomer, drawUser), ({ users }, [id, change]) =>
    users.update(id, change),
  ),
  ...createKind(1, "users.delete", drawCustomer, ({ users }, id) => users.delete(id)),
  ...createKind(1, "users.import", drawSeveral(drawUser), ({ users }, rows) => users.import(rows)),

  ...createKind(4, "tags.create", tagName, ({ tags }, name) => tags.create({ name })),
  ...createKind(1, "tags.update", drawPair(slug, count), ({ tags }, [of, number]) =>
    tags.update(of, { description: `${number}` }),
  ),
  ...createKind(1, "tags.delete", slug, ({ tags }, of) => tags.delete(of)),
  ...createKind(6, "tags.assign", drawPair(drawCustomer, slug), ({ tags }, [id, of]) => tags.assign(id, of)),
  ...createKind(5, "tags.unassign", drawPair(drawCustomer, slug), ({ tags }, [id, of]) =>
    tags.unassign(id, of),
  ),
  ...createKind(1, "tags.assignUsers", drawPair(slug, drawSeveral(drawCustomer)), ({ tags }, [of, userIds]) =>
    tags.assignUsers(of, { userIds }),
  ),
  ...createKind(1, "tags.assignUsers to those without", drawPair(slug, slug), ({ tags }, [of, other]) =>
    tags.assignUsers(of, { filter: { operator: "NOT", conditions: [{ slug: other }] } }),
  ),
  ...createKind(1, "tags.unassignUsers from those with", drawPair(slug, slug), ({ tags }, [of, other]) =>
    tags.unassignUsers(of, { filter: { operator: "AND", conditions: [{ slug: other }] } }),
  ),

  ...createKind(1, "passes.create", drawCustomer, (acme, userId) => issuePass(acme, { userId })),
  ...createKind(1, "passes.create with a user", drawUser, (acme, input) => issuePass(acme, { user: input })),
  ...onPass(1, "passes.delete", drawNothing, ({ passes }, id) => passes.delete(id)),
  ...onPass(1, "passes.markInstalled", drawNothing, ({ passes }, id) => passes.markInstalled(id)),
  ...onPass(1, "passes.markUninstalled", drawNothing, ({ passes }, id) => passes.markUninstalled(id)),

  ...onPass(8, "stamps.add", count, ({ stamps }, id, number) => stamps.add(id, { count: number })),
  ...onPass(3, "stamps.remove", count, ({ stamps }, id, number) => stamps.remove(id, { count: number })),
  ...onPass(1, "stamps.set", count, ({ stamps }, id, number) => stamps.set(id, { stamps: number })),
  ...onPass(1, "stamps.reset", drawNothing, ({ stamps }, id) => stamps.reset(id)),
  ...onPass(3, "stamps.redeem", drawNothing, ({ stamps }, id) => stamps.redeem(id)),
];
