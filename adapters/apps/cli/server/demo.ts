import { scopes } from "../../../../src/base/scopes.js";
import { DAY_MS } from "../../../../src/base/values/clock.js";
import { serviceInternals } from "../../../../src/internals.js";
import { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";

/** ID of the demo's organization. */
export const DEMO_ORGANIZATION_ID = "demo";

/**
 * Fills an empty database with a demo organization that has a month of customer activity.
 * @returns an API token with all scopes for the organization.
 */
export async function seedDemo(loyalty: LoyaltyService, storage: StorageAdapter): Promise<string> {
  const demo = loyalty.organization(DEMO_ORGANIZATION_ID);
  await seedMonth(storage, DEMO_ORGANIZATION_ID, serviceInternals(loyalty).now());
  const { token } = await demo.apiTokens.create({ name: TOKEN_NAME, scopes: [...scopes] });
  return token;
}

/**
 * Creates an API token for a demo that was created by an earlier run. The token has all scopes and is valid for one day.
 * @returns the token, or `null` if the database contains no demo.
 */
export async function createTokenForExistingDemo(loyalty: LoyaltyService): Promise<string | null> {
  const { apiTokens } = loyalty.organization(DEMO_ORGANIZATION_ID);
  const tokens = await apiTokens.list();
  if (!tokens.some(({ name }) => name === TOKEN_NAME)) return null;
  const expiresAt = new Date(serviceInternals(loyalty).now() + DAY_MS).toISOString();
  const { token } = await apiTokens.create({
    name: "demo, valid for one day",
    scopes: [...scopes],
    expiresAt,
  });
  return token;
}

/** Name of the token that is created with a demo. */
const TOKEN_NAME = "demo";

const SEEDED_DAYS = 28;

/** Number of customers who have stopped coming. */
const LAPSED_CUSTOMERS = 14;

/** Time at which the shop opens, in milliseconds after midnight UTC, and how far the simulated clock advances with each reading. */
const OPENING_TIME_MS = 7 * 3_600_000;
const CLOCK_STEP_MS = 21_000;

/**
 * Number of customers processed concurrently. With more, changes would wait for each other too long on a slow or distant database.
 */
const MAX_CONCURRENT_CUSTOMERS = 10;

/** Runs `work` for each item, a few at a time. */
async function forEachConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let index = 0; index < items.length; index += MAX_CONCURRENT_CUSTOMERS) {
    await Promise.all(items.slice(index, index + MAX_CONCURRENT_CUSTOMERS).map(work));
  }
}

const firstNames =
  "Amara Ben Chloé Dmitri Elena Farid Greta Hugo Ines Jonas Keiko Lucía Mateo Nora Omar Priya Quentin Rosa Samir Tove Uma Viktor Wanda Xavier Yara Zoltán".split(
    " ",
  );
const lastNames =
  "Almeida Berg Castro Dubois Eriksen Fischer García Haddad Ivanova Jansen Kowalski Lindqvist Moreau Nakamura Okafor Petrov Rossi Silva Tanaka Weber".split(
    " ",
  );

/** Number of most frequent customers who get the VIP tag. */
const VIP_COUNT = 8;

/** A card whose owner keeps coming back. */
interface SeededCard {
  readonly id: string;
  readonly userId: string;
  rewards: number;
  visits: number;
}

/** Builds a realistic, unique email address from a name without accents and a number. */
function buildDemoAddress(name: string, sequenceNumber: number): string {
  const plainName = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return `${plainName.replace(" ", ".")}${sequenceNumber}@example.com`;
}

/** Creates a random number generator with a fixed seed, so that every demo shows the same shop. */
function createDice(): (bound: number) => number {
  let state = 20_261_120;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/**
 * Fills an organization with a few hundred customers, cards and four weeks of stamps, as a café would have them. Past events get
 * past times.
 */
async function seedMonth(storage: StorageAdapter, organizationId: string, now: number): Promise<void> {
  let time = now;
  // This service is never closed, because that would close the server's storage.
  const seedService = new LoyaltyService({
    storage,
    clock: () => (time = Math.min(time + CLOCK_STEP_MS, now)),
    webhooks: {},
  });
  const shop = seedService.organization(organizationId);
  const phones = createDemoPhones(seedService, organizationId);
  const roll = createDice();
  const rollPause = createDice();
  const firstDay = Math.floor(now / DAY_MS) - SEEDED_DAYS;

  time = firstDay * DAY_MS + OPENING_TIME_MS;
  await shop.settings.update({ name: "Café Amélie" });
  const coffee = await shop.templates.create({
    name: "Coffee card",
    type: "STAMP_CARD",
    maxStamps: 10,
    reward: "A coffee of your choice",
    design: { backgroundColor: "#5B3A29", foregroundColor: "#FFFFFF", labelColor: "#F3DFC8" },
  });
  const lunch = await shop.templates.create({
    name: "Lunch club",
    type: "STAMP_CARD",
    maxStamps: 6,
    reward: "A bowl of soup on the house",
    design: { backgroundColor: "#14532D", foregroundColor: "#FFFFFF", labelColor: "#D6EFDC" },
  });
  const tags = [
    await shop.tags.create({ name: "Regular", color: "#16A34A" }),
    await shop.tags.create({ name: "Newsletter", color: "#2563EB" }),
    await shop.tags.create({ name: "Lunch", color: "#D97706" }),
  ];
  const notSeen = await shop.tags.create({
    name: "Not seen",
    description: "Customers who haven’t visited in 30 days",
  });
  const vip = await shop.tags.create({
    name: "VIP",
    color: "#9333EA",
    description: "Guests to greet by name",
  });
  const cards: SeededCard[] = [];
  const lapsedUserIds: string[] = [];
  let customers = 0;

  const subscribeToNews = (userId: string) =>
    shop.subscriptions.put(userId, {
      email: { status: "SUBSCRIBED", text: "I’d like to get news by email." },
    });
  const join = async (keepsVisiting = true) => {
    const index = customers;
    customers += 1;
    const name = `${firstNames[index % firstNames.length]} ${lastNames[(index * 7 + roll(3)) % lastNames.length]}`;
    const email = buildDemoAddress(name, index + 1);
    const isLunch = roll(5) === 0;
    const pass = await shop.passes.create((isLunch ? lunch : coffee).id, {
      user: { name, email, ...(roll(2) === 0 && { phone: `+49 30 ${5_550_000 + index}` }) },
    });
    if (keepsVisiting) cards.push({ id: pass.id, userId: pass.userId, rewards: 0, visits: 1 });
    else lapsedUserIds.push(pass.userId);
    // Most customers join at the counter with their first purchase.
    if (!keepsVisiting || roll(6) > 0) await shop.stamps.add(pass.id);
    if (roll(3) > 0) await phones.add(pass.id);
    const isSubscribed = roll(3) === 0;
    for (const tag of [roll(4) === 0 && tags[0], isSubscribed && tags[1], isLunch && tags[2]]) {
      if (tag) await shop.tags.assign(pass.userId, tag.slug);
    }
    if (isSubscribed || !keepsVisiting) await subscribeToNews(pass.userId);
  };
  const joinAll = (count: number, keepsVisiting = true) =>
    forEachConcurrently(Array.from({ length: count }), () => join(keepsVisiting));
  const visit = async (card: SeededCard) => {
    card.visits += 1;
    if (card.rewards > 0 && roll(2) === 0) {
      card.rewards = (await shop.stamps.redeem(card.id)).rewardsAvailable;
    }
    card.rewards = (await shop.stamps.add(card.id, { count: 1 + roll(2) })).rewardsAvailable;
  };

  /** Creates the customers who joined before the first day, and the ones who no longer come. */
  const addEarlyCustomers = async () => {
    const openingTime = time;
    time -= 5 * DAY_MS;
    await joinAll(60);
    await joinAll(LAPSED_CUSTOMERS, false);
    time = openingTime;
  };

  for (let day = 0; day <= SEEDED_DAYS; day += 1) {
    const openingTime = (firstDay + day) * DAY_MS + OPENING_TIME_MS;
    // Today has only just begun, and nothing may be in the future.
    time = Math.min(openingTime, now - 40 * 60_000);
    if (day === 0) await addEarlyCustomers();
    const isSunday = new Date(openingTime).getUTCDay() === 0;
    const isToday = day === SEEDED_DAYS;
    const newCustomers = isToday ? 3 : isSunday ? 2 : 5 + roll(4);
    await joinAll(newCustomers);
    const visits = isToday ? 12 : isSunday ? 15 : 35 + roll(25);
    // At a real till, customers come one at a time. Here, customers with different cards are processed concurrently, which is
    // faster. Customers who joined earlier come more often.
    const pickCard = () => cards[Math.min(roll(cards.length), roll(cards.length))];
    const visitedCards = new Set(Array.from({ length: visits }, pickCard));
    await forEachConcurrently([...visitedCards], async (card) => {
      // Visits are spread over the day, about five an hour. Today's visits lie between opening time and now.
      time += isToday ? Math.ceil((now - time) / 3) : rollPause(24) * 60_000;
      if (card) await visit(card);
    });
    if (day === SEEDED_DAYS - 1) {
      const regulars = cards.toSorted((one, other) => other.visits - one.visits).slice(0, VIP_COUNT);
      for (const { userId } of regulars) await shop.tags.assign(userId, vip.slug);
      for (const userId of lapsedUserIds) await shop.tags.assign(userId, notSeen.slug);
      await shop.segments.create({
        name: "Reward waiting",
        filter: { operator: "AND", conditions: [{ rewards: { min: 1 } }] },
      });
      await shop.segments.create({
        name: "No visit in 30 days",
        filter: { operator: "AND", conditions: [{ lastVisit: { beforeDays: 30 } }] },
      });
    }
  }
}

/** Number of customers out of five who have an iPhone. */
const IPHONES_PER_FIVE = 3;

/**
 * Creates simulated phones for a demo's customers. Adding a card to a phone marks the card as installed in Apple Wallet or Google
 * Wallet, without contacting Apple or Google.
 */
function createDemoPhones(loyalty: LoyaltyService, organizationId: string) {
  const backend = serviceInternals(loyalty).createWalletBackend(0);
  // Requesting a pass's links creates its wallet card. These links lead nowhere.
  backend.attachLinker(() => ({ apple: null, google: null }));
  const { passes } = loyalty.organization(organizationId);
  let deviceCount = 0;
  return {
    async add(passId: string): Promise<void> {
      const platform = deviceCount % 5 < IPHONES_PER_FIVE ? "apple" : "google";
      deviceCount += 1;
      await passes.walletLinks(passId);
      const deviceId = `demo-${deviceCount}`;
      await backend.devices.register(organizationId, { passId, platform, deviceId, pushToken: null });
    },
  };
}
