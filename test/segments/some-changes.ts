import type { Organization } from "loyalty-kit";
import { someEmail } from "../kit/acme.js";
import type { ManualClock } from "../kit/manual-clock.js";
import { metadataOf } from "./behavior.js";
import type { Choose } from "./some-segments.js";

const DAY = 86_400_000;
const MOST_USERS = 9;

/** A change by one call. */
export interface SomeChange {
  readonly make: (acme: Organization) => Promise<unknown>;
  /** False for one of which nobody is told who enters and leaves. */
  readonly isTold: boolean;
}

/** Random changes of customers, each of which is one call, which may be refused. */
export class SomeChanges {
  constructor(
    private readonly choose: Choose,
    private readonly clock: ManualClock,
    private readonly templateIds: readonly string[],
  ) {}

  some(): SomeChange {
    const { choose } = this;
    const told = (make: SomeChange["make"]): SomeChange => ({ make, isTold: true });
    const ofUser = (work: (acme: Organization, userId: string) => Promise<unknown>) =>
      told(async (acme) => {
        const ids = await idsOf(acme);
        return ids.length === 0 ? this.#create(acme) : work(acme, choose(ids));
      });
    const ofPass = (work: (acme: Organization, passId: string) => Promise<unknown>) =>
      ofUser(async (acme, userId) => {
        const passes = await acme.passes.ofUser(userId);
        const templateId = choose(this.templateIds);
        return passes.length === 0
          ? acme.passes.create(templateId, { userId })
          : work(acme, choose(passes).id);
      });
    const count = () => choose([1, 1, 2, 5]);
    return choose<() => SomeChange>([
      () => told((acme) => this.#create(acme)),
      () => told((acme) => this.#create(acme)),
      () => ofUser((acme, userId) => acme.passes.create(choose(this.templateIds), { userId })),
      ...Array.from(
        { length: 6 },
        () => () => ofPass((acme, passId) => acme.stamps.add(passId, { count: count() })),
      ),
      () => ofPass((acme, passId) => acme.stamps.redeem(passId)),
      () => ofPass((acme, passId) => acme.stamps.remove(passId)),
      () => ofPass((acme, passId) => acme.stamps.set(passId, { stamps: 2 })),
      () => ofPass((acme, passId) => acme.stamps.reset(passId)),
      () =>
        ofPass(async (acme, passId) => {
          const { content } = await acme.stamps.history(passId);
          if (content.length > 0) await acme.stamps.reverse(passId, { entryId: choose(content).id });
        }),
      () => ofPass((acme, passId) => acme.passes.delete(passId)),
      () => ofPass((acme, passId) => acme.passes.markInstalled(passId)),
      () => ofPass((acme, passId) => acme.passes.markUninstalled(passId)),
      () => ofUser((acme, userId) => acme.tags.assign(userId, choose(["a", "b"]))),
      () => ofUser((acme, userId) => acme.tags.unassign(userId, choose(["a", "b"]))),
      () =>
        told(async (acme) => {
          const userIds = (await idsOf(acme)).filter(() => choose([true, false]));
          if (userIds.length > 0) await acme.tags.assignUsers(choose(["a", "b"]), { userIds });
        }),
      () =>
        told(async (acme) => {
          const there = (await acme.tags.list()).map(({ slug }) => slug);
          const [missing] = ["a", "b"].filter((slug) => !there.includes(slug));
          if (missing === undefined) await acme.tags.delete(choose(["a", "b"]));
          else await acme.tags.create({ name: missing });
        }),
      () =>
        ofUser((acme, userId) =>
          acme.users.update(userId, { metadata: metadataOf(choose), phone: choose(["1", null]) }),
        ),
      () => ofUser((acme, userId) => acme.users.update(userId, { name: choose(["Ada", null]) })),
      () =>
        ofUser((acme, userId) => choose([() => acme.users.delete(userId), () => acme.users.erase(userId)])()),
      () =>
        ofUser((acme, userId) =>
          acme.subscriptions.put(userId, {
            ...choose([
              { email: { status: "SUBSCRIBED", text: "Yes" } },
              { wallet: { status: "UNSUBSCRIBED" } },
              {},
            ] as const),
            language: choose([null, "de", "de-AT", "en-US"]),
          }),
        ),
      () => {
        const emit = choose(["all", "summary", "none"] as const);
        return { make: (acme) => this.#import(acme, emit), isTold: emit === "all" };
      },
    ])();
  }

  /** A customer with a card. */
  async customer(acme: Organization): Promise<void> {
    const { id: userId } = await acme.users.create({ email: someEmail(), metadata: metadataOf(this.choose) });
    const [templateId = ""] = this.templateIds;
    await acme.passes.create(templateId, { userId });
  }

  async #create(acme: Organization): Promise<void> {
    const { choose } = this;
    if ((await idsOf(acme)).length >= MOST_USERS) return;
    const fields = {
      name: choose(["Ada", null]),
      phone: choose(["+43 1 23", null]),
      externalId: choose([someEmail(), null]),
    };
    await acme.users.create({ email: someEmail(), metadata: metadataOf(choose), ...fields });
  }

  async #import(acme: Organization, emit: "all" | "summary" | "none"): Promise<void> {
    if ((await idsOf(acme)).length >= MOST_USERS) return;
    const history = [10, 5, 0].map((days) => ({
      type: "added" as const,
      at: new Date(this.clock.now - days * DAY).toISOString(),
    }));
    const [stamped = ""] = this.templateIds;
    await acme.passes.import([{ email: someEmail(), passes: [{ templateId: stamped, history }] }], { emit });
  }
}

async function idsOf(acme: Organization): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of acme.users.list()) ids.push(id);
  return ids;
}
