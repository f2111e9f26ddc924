import { LoyaltyService } from "../../../src/loyalty-service.js";
import type { StorageAdapter } from "../../../src/storage/storage-adapter.js";

const DAY_MS = 86_400_000;
const DAYS = 28;

/** When the shop opens, UTC, and how long is between two things that happen. */
const OPENING_MS = 7 * 3_600_000;
const STEP_MS = 21_000;

const firstNames =
  "Amara Ben Chloé Dmitri Elena Farid Greta Hugo Ines Jonas Keiko Lucía Mateo Nora Omar Priya Quentin Rosa Samir Tove Uma Viktor Wanda Xavier Yara Zoltán".split(
    " ",
  );
const lastNames =
  "Almeida Berg Castro Dubois Eriksen Fischer García Haddad Ivanova Jansen Kowalski Lindqvist Moreau Nakamura Okafor Petrov Rossi Silva Tanaka Weber".split(
    " ",
  );

/** The same numbers each time, so that every demo shows the same shop. @returns a whole number below `below`. */
function dice(): (below: number) => number {
  let state = 20_261_120;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/**
 * Gives an organization some hundred customers, cards and the stamps of four weeks, as a bakery would have them. What
 * happened then has the times of then.
 */
export async function seedMonth(storage: StorageAdapter, organizationId: string, now: number): Promise<void> {
  let time = now;
  // Closing it would close the storage, which is the server's.
  const past = new LoyaltyService({ storage, clock: () => (time += STEP_MS), webhooks: {} });
  const shop = past.organization(organizationId);
  const roll = dice();
  const firstDay = Math.floor(now / DAY_MS) - DAYS;

  time = firstDay * DAY_MS + OPENING_MS;
  const coffee = await shop.templates.create({ name: "Coffee card", type: "STAMP_CARD", maxStamps: 10 });
  const lunch = await shop.templates.create({ name: "Lunch club", type: "STAMP_CARD", maxStamps: 6 });
  const tags = [
    await shop.tags.create({ name: "Regular", color: "#16A34A" }),
    await shop.tags.create({ name: "Newsletter", color: "#2563EB" }),
    await shop.tags.create({ name: "Lunch", color: "#D97706" }),
  ];
  const cards: { readonly id: string; rewards: number }[] = [];
  let customers = 0;

  const join = async () => {
    const at = customers;
    customers += 1;
    const name = `${firstNames[at % firstNames.length]} ${lastNames[(at * 7 + roll(3)) % lastNames.length]}`;
    const email = `customer${at + 1}@example.com`;
    const isLunch = roll(5) === 0;
    const pass = await shop.passes.create((isLunch ? lunch : coffee).id, {
      user: { name, email, ...(roll(2) === 0 && { phone: `+49 30 ${5_550_000 + at}` }) },
    });
    cards.push({ id: pass.id, rewards: 0 });
    if (roll(3) > 0) await shop.passes.markInstalled(pass.id);
    for (const tag of [roll(4) === 0 && tags[0], roll(3) === 0 && tags[1], isLunch && tags[2]]) {
      if (tag) await shop.tags.assign(pass.userId, tag.slug);
    }
  };
  const visit = async (card: (typeof cards)[number]) => {
    if (card.rewards > 0 && roll(2) === 0) {
      card.rewards = (await shop.stamps.redeem(card.id)).rewardsAvailable;
    }
    card.rewards = (await shop.stamps.add(card.id, { count: 1 + roll(2) })).rewardsAvailable;
  };

  /** Those who have had a card for longer. */
  const before = async () => {
    const opening = time;
    time -= 5 * DAY_MS;
    await Promise.all(Array.from({ length: 60 }, join));
    time = opening;
  };

  for (let day = 0; day <= DAYS; day += 1) {
    const opening = (firstDay + day) * DAY_MS + OPENING_MS;
    // Today has only begun: nothing must lie in the future.
    time = Math.min(opening, now - 40 * 60_000);
    if (day === 0) await before();
    const isSunday = new Date(opening).getUTCDay() === 0;
    const isToday = day === DAYS;
    const joining = isToday ? 3 : isSunday ? 2 : 5 + roll(4);
    await Promise.all(Array.from({ length: joining }, join));
    const visits = isToday ? 12 : isSunday ? 15 : 35 + roll(25);
    // At the till they come one after the other; here those with different cards together, which is quicker.
    const seen = new Set(Array.from({ length: visits }, () => cards[roll(cards.length)]));
    await Promise.all([...seen].map((card) => card && visit(card)));
  }
}
