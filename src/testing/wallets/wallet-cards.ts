import assert from "node:assert/strict";
import { run } from "../../concurrency/step.js";
import type { StoredWalletCard } from "../../storage/wallets.js";
import { TestOrganization } from "../kit/organization.js";
import { someWalletCard, someWalletDevice } from "../kit/records.js";
import type { Statements } from "../kit/statements.js";

export const walletCards: Statements = {
  "a card is found by its pass, in its organization and among all": async (storage, acme) => {
    const times = { atGoogleSince: 5, revokedAt: 6, toldUntil: 9, installationDueAt: 10, letGoAt: 11 };
    const card = await acme.walletCard({ ...times, revision: 7, changedAt: 8_000 });
    await acme.walletCard();
    assert.deepEqual(await run(storage.findWalletCard(acme.id, card.passId)), card);
    assert.deepEqual(await run(storage.findWalletPass(card.passId)), { organizationId: acme.id, card });
  },

  "a card that is not there is null": async (storage, acme) => {
    await acme.walletCard();
    const { passId } = someWalletCard();
    assert.equal(await run(storage.findWalletCard(acme.id, passId)), null);
    assert.equal(await run(storage.findWalletPass(passId)), null);
  },

  "the cards of passes are given by pass, the revoked ones too": async (storage, acme) => {
    const [b, a] = [
      await acme.walletCard({ passId: "b", revokedAt: 5 }),
      await acme.walletCard({ passId: "a" }),
    ];
    await acme.walletCard({ passId: "c" });
    assert.deepEqual(await run(storage.walletCardsOf(acme.id, ["b", "unknown", "a", "b"])), [a, b]);
    assert.deepEqual(await run(storage.walletCardsOf(acme.id, [])), []);
    const other = new TestOrganization(storage, "other");
    assert.deepEqual(await run(storage.walletCardsOf(other.id, ["a"])), []);
  },

  "updateWalletCards replaces the cards that are there, but for what stays": async (storage, acme) => {
    const [first, second, other] = [
      await acme.walletCard(),
      await acme.walletCard(),
      await acme.walletCard(),
    ];
    const tokens = { authenticationToken: "newer", linkToken: "new" };
    const times = { atGoogleSince: 5, revokedAt: 6, toldUntil: 7, installationDueAt: 8, letGoAt: 9 };
    const change = { ...tokens, ...times, revision: 3, changedAt: 4_000 };
    const changed = [first, second].map((card) => ({ ...card, ...change }));
    const written = changed.map((card) => ({
      ...card,
      templateId: "another",
      createdAt: 1,
    }));
    await acme.write((tx) => tx.updateWalletCards(acme.id, [...written, someWalletCard()]));
    for (const card of [...changed, other]) {
      assert.deepEqual(await run(storage.findWalletCard(acme.id, card.passId)), card);
    }
  },

  "the cards of a template, or of all, are given part by part, but for the revoked ones": async (
    storage,
    acme,
  ) => {
    const cards: StoredWalletCard[] = [];
    for (const passId of ["d", "b", "a", "c"]) {
      cards.push(await acme.walletCard({ passId, templateId: passId === "b" ? "other" : "coffee" }));
    }
    await acme.walletCard({ passId: "e", templateId: "coffee", revokedAt: 5 });
    const ids = async (templateId: string | null, after: string, limit: number) =>
      (await run(storage.walletCardsOfTemplate(acme.id, templateId, after, limit))).map(
        ({ passId }) => passId,
      );
    assert.deepEqual(await ids("coffee", "", 10), ["a", "c", "d"]);
    assert.deepEqual(await ids("coffee", "a", 1), ["c"]);
    assert.deepEqual(await ids(null, "", 10), ["a", "b", "c", "d"]);
    assert.deepEqual(await ids(null, "b", 10), ["c", "d"]);
    assert.deepEqual(await ids("unknown", "", 10), []);
    const [, b] = await run(storage.walletCardsOfTemplate(acme.id, null, "", 10));
    assert.deepEqual(b, cards[1]);
  },

  "the cards of all organizations are given part by part, by pass id, but for the revoked ones": async (
    storage,
    acme,
  ) => {
    const globex = new TestOrganization(storage, "globex");
    const [d, a] = [await acme.walletCard({ passId: "d" }), await acme.walletCard({ passId: "a" })];
    const [c, b] = [await globex.walletCard({ passId: "c" }), await globex.walletCard({ passId: "b" })];
    const bb = await acme.walletCard({ passId: "bb", revokedAt: 5 });
    const owned = [
      { organizationId: "acme", card: a },
      { organizationId: "globex", card: b },
      { organizationId: "globex", card: c },
      { organizationId: "acme", card: d },
    ];
    assert.deepEqual(await run(storage.walletPassesBehind("", 10)), owned);
    assert.deepEqual(await run(storage.walletPassesBehind("", 2)), owned.slice(0, 2));
    assert.deepEqual(await run(storage.walletPassesBehind("b", 10)), owned.slice(2));
    assert.deepEqual(await run(storage.walletPassesBehind("d", 10)), []);
    const revoked = { organizationId: "acme", card: bb };
    assert.deepEqual(await run(storage.walletCardsBehind("a", 3)), [owned[1], revoked, owned[2]]);
    assert.deepEqual(await run(storage.walletCardsBehind("d", 10)), []);
  },

  "deleteWalletCard removes the card with its devices and deliveries": async (storage, acme) => {
    await acme.walletQueue();
    const [card, other] = [await acme.walletCard(), await acme.walletCard()];
    const device = await acme.walletDevice(card);
    await acme.walletDelivery(card, { nextAttemptAt: 5 });
    await acme.walletDevice(other);
    assert.equal(await acme.write((tx) => tx.deleteWalletCard(acme.id, card.passId)), true);
    assert.equal(await acme.write((tx) => tx.deleteWalletCard(acme.id, card.passId)), false);
    assert.equal(await run(storage.findWalletPass(card.passId)), null);
    assert.deepEqual(await run(storage.walletDevicesOf(acme.id, [card.passId])), []);
    assert.deepEqual(await run(storage.walletCardsOfDevice("apple", device.deviceId, 10)), []);
    assert.deepEqual(await run(storage.walletDevicesOfToken("apple", device.pushToken ?? "", 10)), []);
    assert.deepEqual(await run(storage.walletQueuesToServe(10, 10)), []);
    assert.deepEqual(await acme.claimWallet(), []);
    assert.equal((await run(storage.walletDevicesOf(acme.id, [other.passId]))).length, 1);
  },

  "the devices of passes are given whatever their state, by pass, platform and device": async (
    storage,
    acme,
  ) => {
    const [a, b] = [await acme.walletCard({ passId: "a" }), await acme.walletCard({ passId: "b" })];
    const rows = [
      await acme.walletDevice(b, { platform: "google", deviceId: "1", pushToken: null }),
      await acme.walletDevice(b, { deviceId: "2", state: "gone" }),
      await acme.walletDevice(b, { deviceId: "1", state: "token_dead" }),
      await acme.walletDevice(a, { deviceId: "3" }),
    ];
    const inOrder = [3, 2, 1, 0].map((at) => rows[at]);
    assert.deepEqual(await run(storage.walletDevicesOf(acme.id, ["b", "a", "unknown"])), inOrder);
    assert.deepEqual(await run(storage.walletDevicesOf(acme.id, ["a"])), [rows[3]]);
  },

  "putWalletDevice replaces a device, whose createdAt stays": async (storage, acme) => {
    const card = await acme.walletCard();
    const device = await acme.walletDevice(card);
    const changed = { ...device, pushToken: "new", state: "gone", toldRevision: 4, updatedAt: 9 } as const;
    await acme.walletDevice(card, { ...changed, createdAt: 1 });
    assert.deepEqual(await run(storage.walletDevicesOf(acme.id, [card.passId])), [changed]);
    assert.deepEqual(await run(storage.walletDevicesOfToken("apple", device.pushToken ?? "", 10)), []);
  },

  "deleteWalletDevice removes one device": async (storage, acme) => {
    const card = await acme.walletCard();
    const [device, other] = [await acme.walletDevice(card), await acme.walletDevice(card)];
    assert.equal(await acme.write((tx) => tx.deleteWalletDevice(acme.id, device)), true);
    assert.equal(await acme.write((tx) => tx.deleteWalletDevice(acme.id, device)), false);
    assert.deepEqual(await run(storage.walletDevicesOf(acme.id, [card.passId])), [other]);
  },

  "putWalletDevice refuses a device of no card": async (_storage, acme) => {
    const device = someWalletDevice(someWalletCard());
    await assert.rejects(acme.write((tx) => tx.putWalletDevice(acme.id, device)));
  },

  "the cards and devices of a device and of a token are those that are registered, of all organizations":
    async (storage, acme) => {
      const globex = new TestOrganization(storage, "globex");
      const mine = { deviceId: "phone", pushToken: "token" };
      const cards = [
        await globex.walletCard({ passId: "c" }),
        await acme.walletCard({ passId: "b" }),
        await acme.walletCard({ passId: "a" }),
      ];
      const [c, b, a] = cards;
      assert.ok(a && b && c);
      const devices = [
        await globex.walletDevice(c, mine),
        await acme.walletDevice(b, mine),
        await acme.walletDevice(a, mine),
      ];
      await acme.walletDevice(a, { ...mine, platform: "google" });
      await acme.walletDevice(await acme.walletCard(), { ...mine, state: "gone" });
      await acme.walletDevice(await acme.walletCard(), { deviceId: "another" });
      const owners = ["acme", "acme", "globex"];
      const inOrder = <Row>(rows: readonly Row[]) => rows.toReversed();
      assert.deepEqual(
        await run(storage.walletCardsOfDevice("apple", "phone", 10)),
        inOrder(cards).map((card, at) => ({ organizationId: owners[at], card })),
      );
      assert.deepEqual(
        await run(storage.walletDevicesOfToken("apple", "token", 10)),
        inOrder(devices).map((device, at) => ({ organizationId: owners[at], device })),
      );
      assert.equal((await run(storage.walletCardsOfDevice("apple", "phone", 2))).length, 2);
      assert.equal((await run(storage.walletDevicesOfToken("apple", "token", 2))).length, 2);
      assert.deepEqual(await run(storage.walletCardsOfDevice("apple", "unknown", 10)), []);
    },
};
