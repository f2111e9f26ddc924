import type { StatisticsReport } from "loyalty-kit";
import { UTC } from "../../src/base/values/calendar-days.js";
import { untyped } from "../kit/refusal.js";
import { recountPoints } from "./recount-points.js";

/** An event, whatever it was read from. */
export interface RecordedEvent {
  readonly type: string;
  readonly timestamp: string;
  readonly data: unknown;
}

interface Day {
  customers: number;
  activeCards: number;
  stamps: number;
  rewardsEarned: number;
  rewardsRedeemed: number;
  pointsGiven: number;
  pointsSpent: number;
  pointsExpired: number;
  apple: number;
  google: number;
  other: number;
  unsubscribed: number;
  /** Visits by the hour in UTC. */
  visits: number[];
}

/** Numbers that no event contains, because they are counted where they happen. */
const uncounted = { emailsAccepted: 0, emailsFailed: 0, walletMessages: 0 };

const DAY_MS = 86_400_000;

/** Recounts the statistics from all events that ever happened, one by one. */
export function recountStatistics(
  events: readonly RecordedEvent[],
  from: string,
  to: string,
): StatisticsReport {
  const days = new Map<string, Day>();
  const previews = new Set<string>();
  const cards = new Map<string, { stamps: number; earned: number; left: number }>();
  for (const { type, timestamp, data } of events) {
    const { id, walletPassId, ...rest } = untyped(data);
    const date = timestamp.slice(0, 10);
    const day = days.get(date) ?? createEmptyDay();
    days.set(date, day);
    if (type === "user.created") day.customers += 1;
    if (type === "user.deleted") day.customers -= 1;
    if (type === "pass.created" && rest.isPreviewPass) previews.add(id);
    if (type === "pass.created" && !previews.has(id)) day.activeCards += 1;
    if (type === "pass.revoked" && !previews.has(id)) day.activeCards -= 1;
    if (type === "pass.installed" && rest.platform === "apple") day.apple += 1;
    else if (type === "pass.installed" && rest.platform === "google") day.google += 1;
    else if (type === "pass.installed") day.other += 1;
    if (type === "subscription.changed" && rest.status === "UNSUBSCRIBED") day.unsubscribed += 1;
    if (walletPassId === undefined) continue;
    const before = cards.get(walletPassId) ?? { stamps: 0, earned: 0, left: 0 };
    const after = {
      stamps: rest.totalStampsCollected,
      earned: rest.timesCompleted,
      left: rest.rewardsAvailable,
    };
    cards.set(walletPassId, after);
    day.stamps += after.stamps - before.stamps;
    const hour = Number(timestamp.slice(11, 13));
    day.visits[hour] = (day.visits[hour] ?? 0) + Math.sign(after.stamps - before.stamps);
    day.rewardsEarned += after.earned - before.earned;
    day.rewardsRedeemed += after.earned - before.earned + before.left - after.left;
  }
  for (const { day: date, count, points } of recountPoints(events, UTC)) {
    const day = days.get(date) ?? createEmptyDay();
    days.set(date, day);
    day[count] += points;
  }
  const earlier = [...days].filter(([date]) => date < from).map(([, day]) => day);
  let [customers, activeCards] = [sumDays(earlier, "customers"), sumDays(earlier, "activeCards")];
  const dates: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS)
    dates.push(new Date(ms).toISOString().slice(0, 10));
  const reportDays = dates.map((date) => {
    const day = days.get(date) ?? createEmptyDay();
    customers += day.customers;
    activeCards += day.activeCards;
    const { apple, google, other, visits: _visits, ...numbers } = day;
    return { ...numbers, ...uncounted, date, customers, activeCards, installs: { apple, google, other } };
  });
  const among = dates.map((date) => days.get(date) ?? createEmptyDay());
  return {
    object: "statistics",
    from,
    to,
    customers,
    activeCards,
    stamps: sumDays(among, "stamps"),
    rewardsEarned: sumDays(among, "rewardsEarned"),
    rewardsRedeemed: sumDays(among, "rewardsRedeemed"),
    pointsGiven: sumDays(among, "pointsGiven"),
    pointsSpent: sumDays(among, "pointsSpent"),
    pointsExpired: sumDays(among, "pointsExpired"),
    installs: {
      apple: sumDays(among, "apple"),
      google: sumDays(among, "google"),
      other: sumDays(among, "other"),
    },
    unsubscribed: sumDays(among, "unsubscribed"),
    ...uncounted,
    visitsByHour: [1, 2, 3, 4, 5, 6, 0].map((weekday) => {
      const same = dates.filter((date) => new Date(date).getUTCDay() === weekday);
      const hours = same.map((date) => (days.get(date) ?? createEmptyDay()).visits);
      return createEmptyDay().visits.map((_none, hour) =>
        hours.reduce((all, visits) => all + (visits[hour] ?? 0), 0),
      );
    }),
    days: reportDays,
  };
}

function createEmptyDay(): Day {
  return {
    customers: 0,
    activeCards: 0,
    stamps: 0,
    rewardsEarned: 0,
    rewardsRedeemed: 0,
    pointsGiven: 0,
    pointsSpent: 0,
    pointsExpired: 0,
    apple: 0,
    google: 0,
    other: 0,
    unsubscribed: 0,
    visits: Array.from({ length: 24 }, () => 0),
  };
}

function sumDays(days: readonly Day[], name: Exclude<keyof Day, "visits">): number {
  return days.reduce((all, day) => all + day[name], 0);
}
