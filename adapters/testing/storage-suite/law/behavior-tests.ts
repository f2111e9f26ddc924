import type { BehaviorTest, MetadataTest } from "../../../../src/storage/behavior.js";
import { subscriptionStatuses } from "../../../../src/storage/subscriptions.js";
import type { World } from "./world.js";

const SECOND_MS = 1_000;

/**
 * Returns behavior tests of every kind. Their bounds, times, and templates are chosen at random from the rows in `world`, so that
 * each test is likely to match some users.
 */
export function createBehaviorTests(world: World): readonly BehaviorTest[] {
  const templateId = world.pickOne([null, "none", ...world.templates.map(({ id }) => id)]);
  const min = world.pickOne([0, 1, 2]);
  const max = world.pickOne([null, 1, 3]);
  const time = world.pickOne([0, ...world.users.map(({ createdAt }) => createdAt)]);
  return [
    { of: "stamps", templateId, min, max },
    { of: "rewards", templateId, min, max },
    { of: "completions", templateId, min, max },
    { of: "visit", templateId, nth: 1, since: null, before: null },
    {
      of: "visit",
      templateId,
      nth: world.pickOne([1, 2, 11]),
      since: Math.floor(time / SECOND_MS) * SECOND_MS,
      before: null,
    },
    {
      of: "visit",
      templateId,
      nth: 1,
      since: null,
      before: (Math.floor(time / SECOND_MS) + world.randomBelow(3)) * SECOND_MS,
    },
    {
      of: "points",
      templateId: templateId ?? "none",
      countsUnused: world.pickOne([true, false]),
      usableBy: world.pickOne([0, 2, 4, 9]),
      endsAfter: world.pickOne([0, 2, 4, 9]),
      endsBy: world.pickOne([null, 3, 6]),
      min: world.pickOne([0, 1, 11]),
      max: world.pickOne([null, 0, 10, 30]),
    },
    {
      of: "spent",
      currency: world.pickOne(world.purchases).currency,
      since: world.pickOne([0, 2, 4]),
      min,
      max,
    },
    { of: "purchases", since: world.pickOne([0, 2, 4]), min, max },
    { of: "joined", from: world.orNull(time), before: null },
    { of: "joined", from: null, before: time + world.randomBelow(3) },
    { of: "metadata", path: world.pickOne(paths), value: world.pickOne(metadataTests) },
    { of: "field", name: world.pickOne(["phone", "name", "externalId"]) },
    { of: "wallet", platform: world.pickOne([null, "apple", "google"]), templateId },
    {
      of: "subscription",
      channel: world.pickOne(["email", "wallet"]),
      status: world.pickOne(subscriptionStatuses),
    },
    { of: "language", language: world.pickOne(["de", "de-AT", "en", "d"]) },
  ];
}

const paths = [["city"], ["visits"], ["born"], ["is", "vip"], ["__proto__"], ["constructor"], ["none"]];

const metadataTests: readonly MetadataTest[] = [
  { is: "there" },
  { is: "text", text: "Vienna" },
  { is: "text", text: "\u00e9" },
  { is: "flag", value: true },
  { is: "flag", value: false },
  { is: "number", min: 0, max: null },
  { is: "number", min: -3, max: 1.5 },
  { is: "date", from: 20_000_229, before: null },
  { is: "date", from: null, before: 20_240_301 },
  { is: "dayOfYear", days: [229, 301] },
];
