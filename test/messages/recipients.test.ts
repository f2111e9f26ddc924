import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  chooseChannels,
  findSkipReason,
  type RecipientFacts,
  type SkipReason,
} from "../../src/messages/recipients.js";
import type { MessageChannel } from "../../src/messages/subscription-schema.js";
import { emptySubscription } from "../../src/messages/subscription-state.js";
import { messageChannels, type StoredSubscription } from "../../src/storage/subscriptions.js";

const subscribed: StoredSubscription = {
  ...emptySubscription("usr_1"),
  emailStatus: "SUBSCRIBED",
  emailSource: "api",
  walletStatus: "SUBSCRIBED",
  walletSource: "api",
};

const reached: RecipientFacts = {
  exists: true,
  isCanceled: false,
  isExpired: false,
  hasAddress: true,
  hasWallet: true,
  subscription: subscribed,
  isWalletDefault: false,
  isCapped: false,
};

describe("a message is skipped", () => {
  test.each([
    ["customer_deleted", "email", { exists: false }],
    ["canceled", "email", { isCanceled: true }],
    ["expired", "wallet", { isExpired: true }],
    ["no_address", "email", { hasAddress: false }],
    ["no_wallet", "wallet", { hasWallet: false }],
    ["suppressed", "email", { subscription: { ...subscribed, suppressedReason: "bounced" as const } }],
    ["unsubscribed", "email", { subscription: { ...subscribed, emailStatus: "UNSUBSCRIBED" as const } }],
    ["unsubscribed", "wallet", { subscription: { ...subscribed, walletStatus: "UNSUBSCRIBED" as const } }],
    ["no_consent", "email", { subscription: null }],
    ["no_consent", "email", { subscription: { ...subscribed, emailStatus: "PENDING" as const } }],
    ["no_consent", "email", { subscription: { ...subscribed, emailSource: "join" as const } }],
    ["no_consent", "wallet", { subscription: null }],
    ["capped", "email", { isCapped: true }],
  ] as const)("as %s on the channel %s", (reason, channel, facts) => {
    expect(findSkipReason(channel, reached)).toBe(null);
    expect(findSkipReason(channel, { ...reached, ...facts })).toBe(reason);
  });
});

test("a card gets a message without consent if the organization allows it, but not after unsubscribing", () => {
  const facts = { ...reached, subscription: null, isWalletDefault: true };
  expect(findSkipReason("wallet", facts)).toBe(null);
  expect(findSkipReason("email", facts)).toBe("no_consent");
  const unsubscribed = { ...emptySubscription("usr_1"), walletStatus: "UNSUBSCRIBED" as const };
  expect(findSkipReason("wallet", { ...facts, subscription: unsubscribed })).toBe("unsubscribed");
});

test("a suppressed address doesn't block messages on cards", () => {
  const subscription = { ...subscribed, suppressedReason: "complained" as const };
  expect(findSkipReason("wallet", { ...reached, subscription })).toBe(null);
});

const order = [
  "customer_deleted",
  "canceled",
  "expired",
  "no_address",
  "no_wallet",
  "suppressed",
  "unsubscribed",
  "no_consent",
  "capped",
];

const anyFacts = fc.record<RecipientFacts>({
  exists: fc.boolean(),
  isCanceled: fc.boolean(),
  isExpired: fc.boolean(),
  hasAddress: fc.boolean(),
  hasWallet: fc.boolean(),
  subscription: fc.option(
    fc
      .record({
        emailStatus: fc.constantFrom("NONE", "PENDING", "SUBSCRIBED", "UNSUBSCRIBED"),
        walletStatus: fc.constantFrom("NONE", "PENDING", "SUBSCRIBED", "UNSUBSCRIBED"),
        emailSource: fc.constantFrom("join", "api"),
        emailConfirmedAt: fc.option(fc.nat()),
        suppressedReason: fc.option(fc.constantFrom("bounced", "complained")),
      })
      .map((some) => ({ ...subscribed, ...some })),
  ),
  isWalletDefault: fc.boolean(),
  isCapped: fc.boolean(),
});

/** Facts that don't prevent a message. */
const harmless: readonly Partial<RecipientFacts>[] = [
  { exists: true },
  { isCanceled: false },
  { isExpired: false },
  { hasAddress: true },
  { hasWallet: true },
  { subscription: subscribed },
  { isCapped: false },
];

test("removing one cause never yields a reason that comes before the previous one", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...messageChannels),
      anyFacts,
      fc.constantFrom(...harmless),
      (channel, facts, better) => {
        const rankOfReason = (of: RecipientFacts) => order.indexOf(findSkipReason(channel, of) ?? "capped");
        expect(rankOfReason({ ...facts, ...better })).toBeGreaterThanOrEqual(rankOfReason(facts));
      },
    ),
  );
});

test("with `each` a customer has a delivery on every channel, with `first_reachable` on one", () => {
  const reasons = fc.constantFrom<SkipReason | null>("no_address", "no_consent", "capped", null);
  const channels = fc.shuffledSubarray([...messageChannels], { minLength: 1 });
  fc.assert(
    fc.property(channels, reasons, reasons, (selectedChannels, byEmail, byWallet) => {
      const getReason = (channel: MessageChannel) => (channel === "email" ? byEmail : byWallet);
      const each = chooseChannels("each", selectedChannels, getReason);
      expect(each.map(({ channel }) => channel)).toEqual(selectedChannels);
      const [first, ...others] = chooseChannels("first_reachable", selectedChannels, getReason);
      expect(others).toEqual([]);
      expect(first).toEqual(each.find(({ reason }) => reason === null) ?? each.at(-1));
    }),
  );
});
