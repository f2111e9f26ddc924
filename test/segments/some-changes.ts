import type { Organization } from "loyalty-kit";
import { someEmail } from "../kit/acme.js";
import type { ManualClock } from "../kit/manual-clock.js";
import { chooseMetadata } from "./behavior.js";
import type { Choose } from "./some-segments.js";

const DAY = 86_400_000;
const MOST_USERS = 9;

/** A change made by one call. */
export interface SomeChange {
  readonly make: (acme: Organization) => Promise<unknown>;
  /** False if the moves that it causes aren't emitted. */
  readonly isTold: boolean;
}

/** Makes random changes of customers. Each is one call, which may be refused. */
export class SomeChanges {
  constructor(
    private readonly choose: Choose,
    private readonly clock: ManualClock,
    private readonly templateIds: readonly string[],
  ) {}

  chooseChange(): SomeChange {
    const { choose } = this;
    const publishedChange = (make: SomeChange["make"]): SomeChange => ({ make, isTold: true });
    const changeUser = (work: (acme: Organization, userId: string) => Promise<unknown>) =>
      publishedChange(async (acme) => {
        const ids = await listUserIds(acme);
        return ids.length === 0 ? this.#create(acme) : work(acme, choose(ids));
      });
    const changePass = (work: (acme: Organization, passId: string) => Promise<unknown>) =>
      changeUser(async (acme, userId) => {
        const passes = await acme.passes.ofUser(userId);
        const templateId = choose(this.templateIds);
        return passes.length === 0
          ? acme.passes.create(templateId, { userId })
          : work(acme, choose(passes).id);
      });
    const count = () => choose([1, 1, 2, 5]);
    return choose<() => SomeChange>([
      () => publishedChange((acme) => this.#create(acme)),
      () => publishedChange((acme) => this.#create(acme)),
      () => changeUser((acme, userId) => acme.passes.create(choose(this.templateIds), { userId })),
      ...Array.from(
        { length: 6 },
        () => () => changePass((acme, passId) => acme.stamps.add(passId, { count: count() })),
      ),
      () => changePass((acme, passId) => acme.stamps.redeem(passId)),
      () => changePass((acme, passId) => acme.stamps.remove(passId)),
      () => changePass((acme, passId) => acme.stamps.set(passId, { stamps: 2 })),
      () => changePass((acme, passId) => acme.stamps.reset(passId)),
      () =>
        changePass(async (acme, passId) => {
          const { content } = await acme.stamps.history(passId);
          if (content.length > 0) await acme.stamps.reverse(passId, { entryId: choose(content).id });
        }),
      () => changePass((acme, passId) => acme.passes.delete(passId)),
      () => changePass((acme, passId) => acme.passes.markInstalled(passId)),
      () => changePass((acme, passId) => acme.passes.markUninstalled(passId)),
      () => changeUser((acme, userId) => acme.tags.assign(userId, choose(["a", "b"]))),
      () => changeUser((acme, userId) => acme.tags.unassign(userId, choose(["a", "b"]))),
      () =>
        publishedChange(async (acme) => {
          const userIds = (await listUserIds(acme)).filter(() => choose([true, false]));
          if (userIds.length > 0) await acme.tags.assignUsers(choose(["a", "b"]), { userIds });
        }),
      () =>
        publishedChange(async (acme) => {
          const there = (await acme.tags.list()).map(({ slug }) => slug);
          const [missing] = ["a", "b"].filter((slug) => !there.includes(slug));
          if (missing === undefined) await acme.tags.delete(choose(["a", "b"]));
          else await acme.tags.create({ name: missing });
        }),
      () =>
        changeUser((acme, userId) =>
          acme.users.update(userId, { metadata: chooseMetadata(choose), phone: choose(["1", null]) }),
        ),
      () => changeUser((acme, userId) => acme.users.update(userId, { name: choose(["Ada", null]) })),
      () =>
        changeUser((acme, userId) =>
          choose([() => acme.users.delete(userId), () => acme.users.erase(userId)])(),
        ),
      () =>
        changeUser((acme, userId) =>
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

  /** Creates a customer with a card. */
  async createCustomer(acme: Organization): Promise<void> {
    const { id: userId } = await acme.users.create({
      email: someEmail(),
      metadata: chooseMetadata(this.choose),
    });
    const [templateId = ""] = this.templateIds;
    await acme.passes.create(templateId, { userId });
  }

  async #create(acme: Organization): Promise<void> {
    const { choose } = this;
    if ((await listUserIds(acme)).length >= MOST_USERS) return;
    const fields = {
      name: choose(["Ada", null]),
      phone: choose(["+43 1 23", null]),
      externalId: choose([someEmail(), null]),
    };
    await acme.users.create({ email: someEmail(), metadata: chooseMetadata(choose), ...fields });
  }

  async #import(acme: Organization, emit: "all" | "summary" | "none"): Promise<void> {
    if ((await listUserIds(acme)).length >= MOST_USERS) return;
    const history = [10, 5, 0].map((days) => ({
      type: "added" as const,
      at: new Date(this.clock.now - days * DAY).toISOString(),
    }));
    const [stamped = ""] = this.templateIds;
    await acme.passes.import([{ email: someEmail(), passes: [{ templateId: stamped, history }] }], { emit });
  }
}

async function listUserIds(acme: Organization): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of acme.users.list()) ids.push(id);
  return ids;
}
