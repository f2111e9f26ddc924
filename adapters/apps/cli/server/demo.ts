import { scopes } from "../../../../src/base/scopes.js";
import { DAY_MS } from "../../../../src/base/values/clock.js";
import { serviceInternals } from "../../../../src/internals.js";
import { LoyaltyService } from "../../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../../src/storage/storage-adapter.js";

/** ID of the demo's organization. */
export const ORGANIZATION = "demo";

/**
 * Fills an empty database with a demo organization that has a month of customer activity.
 * @returns an API token with all scopes for the organization.
 */
export async function seedDemo(loyalty: LoyaltyService, storage: StorageAdapter): Promise<string> {
  const demo = loyalty.organization(ORGANIZATION);
  await seedMonth(storage, ORGANIZATION, serviceInternals(loyalty).now());
  const { token } = await demo.apiTokens.create({ name: TOKEN_NAME, scopes: [...scopes] });
  return token;
}

/**
 * Creates an API token for a demo that was created by an earlier run. The token has all scopes and is valid for one day.
 * @returns the token, or `null` if the database contains no demo.
 */
export async function createTokenAgain(loyalty: LoyaltyService): Promise<string | null> {
  const { apiTokens } = loyalty.organization(ORGANIZATION);
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

const DAYS = 28;

/** Number of customers who have stopped coming. */
const AWAY = 14;

/** Time at which the shop opens, in milliseconds after midnight UTC, and how far the simulated clock advances with each reading. */
const OPENING_MS = 7 * 3_600_000;
const STEP_MS = 21_000;

/**
 * Number of customers processed concurrently. With more, changes would wait for each other too long on a slow or distant database.
 */
const AT_ONCE = 10;

/** Runs `work` for each item, a few at a time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_ONCE) {
    await Promise.all(items.slice(at, at + AT_ONCE).map(work));
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
const VIPS = 8;

/** A card whose owner keeps coming back. */
interface SeededCard {
  readonly id: string;
  readonly userId: string;
  rewards: number;
  visits: number;
}

/** Builds a realistic, unique email address from a name without accents and a number. */
function buildDemoAddress(name: string, at: number): string {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return `${plain.replace(" ", ".")}${at}@example.com`;
}

/** Creates a random number generator with a fixed seed, so that every demo shows the same shop. */
function createDice(): (below: number) => number {
  let state = 20_261_120;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Fills an organization with a few hundred customers, cards and four weeks of stamps, as a café would have them. Past events get
 * past times.
 */
async function seedMonth(storage: StorageAdapter, organizationId: string, now: number): Promise<void> {
  let time = now;
  // This service is never closed, because that would close the server's storage.
  const past = new LoyaltyService({
    storage,
    clock: () => (time = Math.min(time + STEP_MS, now)),
    webhooks: {},
  });
  const shop = past.organization(organizationId);
  const phones = createDemoPhones(past, organizationId);
  const roll = createDice();
  const pause = createDice();
  const firstDay = Math.floor(now / DAY_MS) - DAYS;

  time = firstDay * DAY_MS + OPENING_MS;
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

  const agreeToNews = (userId: string) =>
    shop.subscriptions.put(userId, {
      email: { status: "SUBSCRIBED", text: "I’d like to get news by email." },
    });
  const join = async (visits = true) => {
    const at = customers;
    customers += 1;
    const name = `${firstNames[at % firstNames.length]} ${lastNames[(at * 7 + roll(3)) % lastNames.length]}`;
    const email = buildDemoAddress(name, at + 1);
    const isLunch = roll(5) === 0;
    const pass = await shop.passes.create((isLunch ? lunch : coffee).id, {
      user: { name, email, ...(roll(2) === 0 && { phone: `+49 30 ${5_550_000 + at}` }) },
    });
    if (visits) cards.push({ id: pass.id, userId: pass.userId, rewards: 0, visits: 1 });
    else lapsedUserIds.push(pass.userId);
    // Most customers join at the counter with their first purchase.
    if (!visits || roll(6) > 0) await shop.stamps.add(pass.id);
    if (roll(3) > 0) await phones.add(pass.id);
    const hasNews = roll(3) === 0;
    for (const tag of [roll(4) === 0 && tags[0], hasNews && tags[1], isLunch && tags[2]]) {
      if (tag) await shop.tags.assign(pass.userId, tag.slug);
    }
    if (hasNews || !visits) await agreeToNews(pass.userId);
  };
  const joinAll = (count: number, visits = true) =>
    forEach(Array.from({ length: count }), () => join(visits));
  const visit = async (card: SeededCard) => {
    card.visits += 1;
    if (card.rewards > 0 && roll(2) === 0) {
      card.rewards = (await shop.stamps.redeem(card.id)).rewardsAvailable;
    }
    card.rewards = (await shop.stamps.add(card.id, { count: 1 + roll(2) })).rewardsAvailable;
  };

  /** Creates the customers who joined before the first day, and the ones who no longer come. */
  const addEarlyCustomers = async () => {
    const opening = time;
    time -= 5 * DAY_MS;
    await joinAll(60);
    await joinAll(AWAY, false);
    time = opening;
  };

  for (let day = 0; day <= DAYS; day += 1) {
    const opening = (firstDay + day) * DAY_MS + OPENING_MS;
    // Today has only just begun, and nothing may be in the future.
    time = Math.min(opening, now - 40 * 60_000);
    if (day === 0) await addEarlyCustomers();
    const isSunday = new Date(opening).getUTCDay() === 0;
    const isToday = day === DAYS;
    const joining = isToday ? 3 : isSunday ? 2 : 5 + roll(4);
    await joinAll(joining);
    const visits = isToday ? 12 : isSunday ? 15 : 35 + roll(25);
    // At a real till, customers come one at a time. Here, customers with different cards are processed concurrently, which is
    // faster. Customers who joined earlier come more often.
    const pickCard = () => cards[Math.min(roll(cards.length), roll(cards.length))];
    const visitedCards = new Set(Array.from({ length: visits }, pickCard));
    await forEach([...visitedCards], async (card) => {
      // Visits are spread over the day, about five an hour. Today's visits lie between opening time and now.
      time += isToday ? Math.ceil((now - time) / 3) : pause(24) * 60_000;
      if (card) await visit(card);
    });
    if (day === DAYS - 1) {
      const regulars = cards.toSorted((one, other) => other.visits - one.visits).slice(0, VIPS);
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
const IPHONES = 3;

/**
 * Creates simulated phones for a demo's customers. Adding a card to a phone marks the card as installed in Apple Wallet or Google
 * Wallet, without contacting Apple or Google.
 */
function createDemoPhones(loyalty: LoyaltyService, organizationId: string) {
  const backend = serviceInternals(loyalty).walletBackend(0);
  // Requesting a pass's links creates its wallet card. These links lead nowhere.
  backend.attachLinker(() => ({ apple: null, google: null }));
  const { passes } = loyalty.organization(organizationId);
  let deviceCount = 0;
  return {
    async add(passId: string): Promise<void> {
      const platform = deviceCount % 5 < IPHONES ? "apple" : "google";
      deviceCount += 1;
      await passes.walletLinks(passId);
      const deviceId = `demo-${deviceCount}`;
      await backend.devices.register(organizationId, { passId, platform, deviceId, pushToken: null });
    },
  };
}
