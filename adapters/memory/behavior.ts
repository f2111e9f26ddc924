import type { BehaviorTest, MetadataTest } from "../../src/storage/behavior.js";
import { Bitmap } from "../../src/storage/bitmap.js";
import type { StoredPass, StoredStampCard } from "../../src/storage/passes.js";
import { dateIn } from "../../src/values/metadata-value.js";
import { composed } from "../../src/values/text.js";
import type { OrganizationRows, UserRow } from "./store/organization-rows.js";

/** Looks at each user for each test. */
export function matchBehavior(rows: OrganizationRows, tests: readonly BehaviorTest[]): readonly Bitmap[] {
  return tests.map((test) => {
    const ordinals: number[] = [];
    for (const [ordinal, user] of rows.users) if (isSo(rows, user, test)) ordinals.push(ordinal);
    return Bitmap.of(ordinals);
  });
}

function isSo(rows: OrganizationRows, { user }: UserRow, test: BehaviorTest): boolean {
  switch (test.of) {
    case "stamps":
      return cardsOf(rows, user.id, test.templateId).some((card) => isWithin(card.currentStamps, test));
    case "rewards":
      return cardsOf(rows, user.id, test.templateId).some((card) => isWithin(card.rewardsAvailable, test));
    case "completions":
      return cardsOf(rows, user.id, test.templateId).some((card) => isWithin(card.timesCompleted, test));
    case "visit": {
      const visits = cardsOf(rows, user.id, test.templateId).flatMap(visitsOf);
      const visit = visits.toSorted((one, other) => one - other).at(-test.nth);
      if (visit === undefined || (test.since !== null && visit < test.since)) return false;
      return test.before === null || visit < test.before;
    }
    case "joined":
      return (
        (test.from === null || user.createdAt >= test.from) &&
        (test.before === null || user.createdAt < test.before)
      );
    case "metadata":
      return isOf(valueAt(JSON.parse(user.metadata), test.path), test.value);
    case "field":
      return user[test.name] !== null;
    case "wallet":
      return passesOf(rows, user.id, test.templateId).some((pass) => isHeld(rows, pass, test.platform));
    case "subscription": {
      const { emailStatus = "NONE", walletStatus = "NONE" } = rows.subscriptions.get(user.id) ?? {};
      return (test.channel === "email" ? emailStatus : walletStatus) === test.status;
    }
    case "language": {
      const language = rows.subscriptions.get(user.id)?.language ?? null;
      return language !== null && `${language}-`.startsWith(`${test.language}-`);
    }
  }
}

function passesOf(rows: OrganizationRows, userId: string, templateId: string | null): StoredPass[] {
  const ids = rows.passIdsByUser.get(userId) ?? [];
  const passes = ids.flatMap((id) => rows.passes.get(id) ?? []);
  return templateId === null ? passes : passes.filter((pass) => pass.templateId === templateId);
}

function cardsOf(rows: OrganizationRows, userId: string, templateId: string | null): StoredStampCard[] {
  return passesOf(rows, userId, templateId).flatMap(({ card }) => card ?? []);
}

function visitsOf({ visits }: StoredStampCard): readonly number[] {
  return JSON.parse(visits);
}

function isHeld(rows: OrganizationRows, pass: StoredPass, platform: "apple" | "google" | null): boolean {
  if (platform === null && pass.installationStatus === "INSTALLED") return true;
  const devices = rows.walletDevices.get(pass.id) ?? [];
  return devices.some(
    (device) => device.state === "registered" && (platform === null || device.platform === platform),
  );
}

interface Bounds {
  readonly min: number | null;
  readonly max: number | null;
}

function isWithin(value: number, { min, max }: Bounds): boolean {
  return (min === null || value >= min) && (max === null || value <= max);
}

function valueAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return value;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const found = Object.entries(value).find(([name]) => name === key);
  return found === undefined ? undefined : valueAt(found[1], rest);
}

function isOf(value: unknown, test: MetadataTest): boolean {
  switch (test.is) {
    case "there":
      return value !== undefined && value !== null;
    case "text":
      return typeof value === "string" && composed(value) === test.text;
    case "flag":
      return value === test.value;
    case "number":
      return typeof value === "number" && isWithin(value, test);
    case "date": {
      const date = dateIn(value);
      const { from, before } = test;
      return date !== null && (from === null || date >= from) && (before === null || date < before);
    }
    case "dayOfYear": {
      const date = dateIn(value);
      return date !== null && test.days.includes(date % 10_000);
    }
  }
}
