import { isLoyaltyError, LoyaltyService, type Organization, type StorageAdapter } from "loyalty-kit";
import { expect, onTestFinished } from "vitest";
import { pseudoRandom } from "../../adapters/testing/storage-suite/kit/pseudo-random.js";
import { serviceInternals } from "../../src/internals.js";
import { someEmail } from "../kit/acme.js";
import { collect } from "../kit/collect.js";
import { ManualClock } from "../kit/manual-clock.js";
import { expectChangesAtSaidTime, findMembersByFacts } from "./by-facts.js";
import { isIn } from "./oracle.js";
import { type Choose, chooseLedgerSegment, chooseSegment, cities } from "./some-segments.js";

/** Time zones, each with a time near a clock change, a skipped date, a leap day or the start of a leap year. */
const places = [
  ["Europe/Vienna", "2026-03-28T10:00:00Z"],
  ["Europe/Vienna", "2026-10-24T10:00:00Z"],
  ["America/Sao_Paulo", "2018-11-03T20:00:00Z"],
  ["Asia/Kolkata", "2024-02-28T18:29:59.999Z"],
  ["Pacific/Apia", "2011-12-29T20:00:00Z"],
  ["Asia/Beirut", "2026-03-28T20:00:00Z"],
  ["UTC", "2023-12-31T23:59:00Z"],
] as const;

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Number of filters that are evaluated on the last state, so that each kind of leaf meets each kind of customer. */
const LAST = 150;

/** Number of filters over points and purchases that are evaluated after each change. */
const EACH = 3;

/** Points for purchases. They are available from the next day on, until the third day after the purchase. */
const program = {
  earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] },
  points: { pendingDays: 1, expiry: { days: 3 } },
};

export const chooseMetadata = (choose: Choose) =>
  choose([
    {},
    { city: choose(cities), points: choose([0, 1, 2.5, 300, 5_000_000_000, "2"]) },
    {
      born: choose([
        "1990-02-29",
        "2000-02-29",
        "1984-03-01",
        "2023-12-31T10:00:00Z",
        "2024-02-28 x",
        "03-01",
      ]),
    },
    {
      born: choose(["1999-10-25", "1950-11-04", "2011-12-31", "2026-03-29", "2099-01-01"]),
      is: { vip: choose([true, false, null]) },
    },
    JSON.parse('{"__proto__": {"city": "Vienna"}, "city": null, "is": ["vip"]}'),
  ]);

/**
 * Makes random changes through services that share a storage. From time to time it asks random services for the
 * members of random segments, which must be those that the oracle finds.
 * @param storages one for each service; a process may have its own.
 */
export async function expectBehaviorAsOracle(
  storages: readonly StorageAdapter[],
  seed: number,
  changes: number,
): Promise<void> {
  const random = pseudoRandom(seed);
  const choose: Choose = (values) => {
    for (const value of values.slice(random(values.length))) return value;
    throw new RangeError("there is nothing to choose from");
  };
  const [zone, start] = choose(places);
  const clock = new ManualClock(Date.parse(start) - choose([0, 3, 40]) * DAY);
  const services = storages.map((storage) => new LoyaltyService({ storage, clock: clock.read }));
  onTestFinished(async () => {
    for (const service of services) await service.close();
  });
  for (const service of services)
    serviceInternals(service)
      .createWalletBackend(0)
      .attachLinker(() => ({ apple: null, google: null }));
  const organizations = services.map((service) => service.organization("acme"));
  const chooseOrganization = () => choose(organizations);
  const [first] = organizations;
  if (first === undefined) throw new RangeError("a storage is needed");
  await first.settings.update({ timeZone: zone });
  for (const name of ["a", "b"]) await first.tags.create({ name });
  const templates = new Map<string, boolean>();
  for (const type of ["STAMP_CARD", "STAMP_CARD", "LOYALTY_CARD"] as const) {
    const isStamped = type === "STAMP_CARD";
    const kind = type === "STAMP_CARD" ? { type, maxStamps: 3 } : { type, ...program };
    const { id } = await first.templates.create({ name: "Card", ...kind });
    templates.set(id, isStamped);
  }
  const templateIds = [...templates.keys()];
  const userIds: string[] = [];

  const change = createChanges(choose, clock, templateIds, userIds);
  for (let index = 0; index < changes; index += 1) {
    await change(chooseOrganization()).catch((error: unknown) => {
      if (!isLoyaltyError(error)) throw error;
    });
    const isLast = index === changes - 1;
    for (let nth = 0; nth < EACH; nth += 1) {
      // Columns of points change with the clock, so they are queried after each change.
      const filter = chooseLedgerSegment(choose, templateIds.slice(1));
      const { content } = await chooseOrganization().segments.query({ filter, size: 100 });
      const expected = await findMembersByFacts(choose(storages), "acme", filter, clock.now);
      const story = `seed ${seed}, change ${index}, ${clock.timestamp} in ${zone}: ${JSON.stringify(filter)}`;
      expect(
        content.map(({ id }) => id),
        story,
      ).toEqual(expected);
    }
    if (index % 6 !== 0 && !isLast) continue;
    for (let phones = isLast ? 8 : 1; phones > 0; phones -= 1)
      await changeDevice(choose(services), choose, userIds);
    const customers = [];
    for (const user of await collect(first.users.list())) customers.push(await first.users.dossier(user.id));
    for (let nth = 0; nth < (isLast ? LAST : 6); nth += 1) {
      const filter = chooseSegment(choose, [...templateIds, "tpl_none"], clock.now);
      const now = { at: clock.now, zone, templates };
      const expected = customers.filter((customer) => isIn(customer, filter, now)).map(({ user }) => user.id);
      const found = await chooseOrganization().segments.query({ filter, size: 100 });
      const story = `seed ${seed}, change ${index}, ${clock.timestamp} in ${zone}: ${JSON.stringify(filter)}`;
      expect(
        found.content.map(({ id }) => id),
        story,
      ).toEqual(expected);
      expect(found.totalElements, story).toBe(expected.length);
      expect(await findMembersByFacts(choose(storages), "acme", filter, clock.now), story).toEqual(expected);
    }
    const oracleFilter = chooseSegment(choose, [...templateIds, "tpl_none"], clock.now);
    await expectChangesAtSaidTime(choose(storages), "acme", oracleFilter, clock.now);
  }
}

/** Adds a customer's pass to a phone, removes it, or invalidates the phone's push token. */
async function changeDevice(
  loyalty: LoyaltyService,
  choose: Choose,
  userIds: readonly string[],
): Promise<void> {
  const passes =
    userIds.length === 0 ? [] : await loyalty.organization("acme").passes.ofUser(choose(userIds));
  if (passes.length === 0) return;
  const { devices } = serviceInternals(loyalty).createWalletBackend(0);
  const { id: passId } = choose(passes);
  // Wallets know a pass once its links have been requested.
  await loyalty.organization("acme").passes.walletLinks(passId);
  const phone = { passId, platform: choose(["apple", "google"] as const), deviceId: "phone" };
  const pushToken = `token of ${passId}`;
  await choose<() => Promise<unknown>>([
    () => devices.register("acme", { ...phone, pushToken }),
    () => devices.register("acme", { ...phone, pushToken }),
    () => devices.unregister("acme", phone),
    () => devices.invalidatePushToken(phone.platform, pushToken, Number.MAX_SAFE_INTEGER),
  ])();
}

/** Returns a function that makes one random change, which may be refused. */
export function createChanges(
  choose: Choose,
  clock: ManualClock,
  templateIds: readonly string[],
  userIds: string[],
  emits: readonly ("all" | "summary" | "none")[] = ["all", "summary", "none"],
): (acme: Organization) => Promise<unknown> {
  const listPasses = async (acme: Organization) => acme.passes.ofUser(choose(userIds));
  const changePass =
    (work: (acme: Organization, passId: string) => Promise<unknown>) => async (acme: Organization) => {
      const passes = await listPasses(acme);
      return passes.length === 0 ? undefined : work(acme, choose(passes).id);
    };
  const create = async (acme: Organization) => {
    const fields = {
      name: choose(["Ada", null]),
      phone: choose(["+43 1 23", null]),
      externalId: choose([someEmail(), null]),
    };
    const { id } = await acme.users.create({
      email: someEmail(),
      metadata: chooseMetadata(choose),
      ...fields,
    });
    userIds.push(id);
  };
  const issue = (acme: Organization) => acme.passes.create(choose(templateIds), { userId: choose(userIds) });
  const add = changePass((acme, passId) => acme.stamps.add(passId, { count: choose([1, 1, 2, 5]) }));
  const buy = (acme: Organization) =>
    acme.purchases.put("till", choose(["1", "2", "3", "4", "5", "6"]), {
      userId: choose(userIds),
      currency: choose(["EUR", "EUR", "USD"]),
      lines: [{ amount: choose([0, 300, 1_000]), quantity: choose([1, 2]) }],
      at: new Date(clock.now - choose([0, HOUR, DAY, 2 * DAY, 40 * DAY])).toISOString(),
    });
  const kinds: readonly ((acme: Organization) => Promise<unknown>)[] = [
    create,
    issue,
    issue,
    add,
    add,
    add,
    async () => clock.move(choose([1, HOUR, 5 * HOUR, DAY, DAY, 9 * DAY, 60 * DAY])),
    async () => clock.move(choose([HOUR, 11 * HOUR, DAY])),
    changePass((acme, passId) => acme.stamps.redeem(passId)),
    changePass((acme, passId) =>
      choose([
        () => acme.stamps.remove(passId),
        () => acme.stamps.reset(passId),
        () => acme.stamps.set(passId, { stamps: 2 }),
      ])(),
    ),
    changePass(async (acme, passId) => {
      const { content } = await acme.stamps.history(passId);
      if (content.length > 0) await acme.stamps.reverse(passId, { entryId: choose(content).id });
    }),
    changePass(async (acme, passId) => {
      for (let times = 0; times < 12; times += 1) {
        await acme.stamps.add(passId);
        clock.move(choose([0, 7 * HOUR]));
      }
    }),
    changePass((acme, passId) =>
      acme.points.add(passId, {
        points: choose([1, 3, 20]),
        ...choose([{}, { expiresAt: null }, { expiresAt: new Date(clock.now + 30 * HOUR).toISOString() }]),
      }),
    ),
    changePass((acme, passId) => acme.points.spend(passId, { points: choose([1, 2, 10]) })),
    changePass(async (acme, passId) => {
      const { content } = await acme.points.history(passId);
      if (content.length > 0) await acme.points.reverse(passId, { entryId: choose(content).id });
    }),
    buy,
    buy,
    buy,
    (acme) =>
      acme.purchases.addReturn("till", choose(["1", "2", "3"]), {
        returnId: choose(["a", "b", "c"]),
        ...choose([
          { all: true as const },
          { lines: [{ id: "0", quantity: 1 }] },
          { lines: [{ id: "0", amount: 100 }] },
        ]),
      }),
    changePass((acme, passId) => acme.passes.delete(passId)),
    changePass((acme, passId) => acme.passes.markInstalled(passId)),
    changePass((acme, passId) => acme.passes.markUninstalled(passId)),
    (acme) => acme.tags.assign(choose(userIds), choose(["a", "b"])),
    (acme) => acme.tags.unassign(choose(userIds), choose(["a", "b"])),
    (acme) =>
      acme.users.update(choose(userIds), { metadata: chooseMetadata(choose), phone: choose(["1", null]) }),
    async (acme) => {
      const id = choose(userIds);
      await choose([() => acme.users.delete(id), () => acme.users.erase(id)])();
      userIds.splice(userIds.indexOf(id), 1);
    },
    (acme) =>
      acme.subscriptions.put(choose(userIds), {
        ...choose([
          { email: { status: "SUBSCRIBED", text: "Yes" } },
          { wallet: { status: "UNSUBSCRIBED" } },
          {},
        ] as const),
        language: choose([null, "de", "de-AT", "en-US"]),
      }),
    async (acme) => {
      const history = [10, 5, 0].map((days) => ({
        type: "added" as const,
        at: new Date(clock.now - days * DAY).toISOString(),
      }));
      const [stamped = ""] = templateIds;
      const rows = [{ email: someEmail(), passes: [{ templateId: stamped, history }] }];
      await acme.passes.import(rows, { emit: choose(emits) });
    },
  ];
  return (acme) => (userIds.length < 3 ? create(acme) : choose(kinds)(acme));
}
