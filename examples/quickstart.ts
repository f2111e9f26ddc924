/*
 * A café's loyalty program, from the first visit to the free coffee.
 * Run it: npx tsx examples/quickstart.ts
 */
import { isLoyaltyError, LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";

// To keep the data: `await sqliteStorage("loyalty.db")` from "loyalty-kit/sqlite".
const loyalty = new LoyaltyService({ storage: memoryStorage(), shortLinkBase: "https://cafe.example/card" });

loyalty.on("pass.installed", () => console.log("Event: the card is in a wallet."));
loyalty.on("stamp_card.completed", ({ data }) => {
  console.log(`Event: a card is full, rewards to redeem: ${data.rewardsAvailable}.`);
});

// Everything belongs to an organization. Organizations need no creating and see nothing of each other.
const cafe = loyalty.organization("cafe");

const ada = await cafe.users.create({
  email: "ada@example.com",
  name: "Ada Lovelace",
  externalId: "guest-1",
  metadata: { milk: "oat" },
});
const grace = await cafe.users.create({ email: "grace@example.com", name: "Grace Hopper" });
console.log(`Guests: ${ada.name}, ${grace.name}.`);

const coffeeCard = await cafe.templates.ensure("coffee", {
  name: "Coffee card",
  type: "STAMP_CARD",
  maxStamps: 5,
});
const pass = await cafe.passes.create(coffeeCard.id, { userId: ada.id });

// Sending the pass to the guest is the host's part, and so is hearing from the wallet that it was added.
console.log(`To ${ada.email}: here is your ${coffeeCard.name}.`);
await cafe.passes.markInstalled(pass.id);

// At the till the QR code of the pass is scanned.
const scanned = await cafe.passes.lookup(pass.qrCodeValue);
console.log(`Scanned: a ${scanned.template.name} of ${scanned.template.maxStamps} stamps.`);

for (const count of [1, 2, 3]) {
  const card = await cafe.stamps.add(scanned.id, { count, note: `${count} × flat white` });
  console.log(`Stamps: ${count} added, ${card.currentStamps} of ${card.maxStamps} on the card.`);
}

const redeemed = await cafe.stamps.redeem(scanned.id);
console.log(`Redeemed: rewards left: ${redeemed.rewardsAvailable}.`);
try {
  await cafe.stamps.redeem(scanned.id);
} catch (error) {
  if (!isLoyaltyError(error, "no_reward_available")) throw error;
  console.log(`Refused: ${error.message}`);
}

const history = await cafe.stamps.history(scanned.id);
console.log(`History: ${history.content.map(({ type, delta }) => `${type} ${delta}`).join(", ")}.`);

// Tags label guests; a query finds them by any combination of tags. `guest-1` is Ada's external id.
await cafe.tags.ensure("early-bird", { name: "Early Bird" });
await cafe.tags.ensure("staff", { name: "Staff" });
await cafe.tags.assign("guest-1", "early-bird");
await cafe.tags.assign(grace.id, "early-bird");
await cafe.tags.assign(grace.id, "staff");
const earlyGuests = await cafe.tags.query({
  filter: {
    operator: "AND",
    conditions: [{ slug: "early-bird" }],
    filters: [{ operator: "NOT", conditions: [{ slug: "staff" }] }],
  },
});
console.log(`Early birds who are not staff: ${earlyGuests.content.map(({ name }) => name).join(", ")}.`);

const contacts = await cafe.contacts.list({ search: "LOVE", includeStamps: true });
for (const { name, stampProgress = [] } of contacts.content) {
  const stamps = stampProgress.map(({ currentStamps, maxStamps }) => `${currentStamps}/${maxStamps}`);
  console.log(`Contact: ${name}, stamps ${stamps.join(", ")}.`);
}

await loyalty.close();

/* Output:

Guests: Ada Lovelace, Grace Hopper.
To ada@example.com: here is your Coffee card.
Event: the card is in a wallet.
Scanned: a Coffee card of 5 stamps.
Stamps: 1 added, 1 of 5 on the card.
Stamps: 2 added, 3 of 5 on the card.
Event: a card is full, rewards to redeem: 1.
Stamps: 3 added, 1 of 5 on the card.
Redeemed: rewards left: 0.
Refused: The card has no reward to redeem.
History: redeemed 0, added 3, added 2, added 1.
Early birds who are not staff: Ada Lovelace.
Contact: Ada Lovelace, stamps 1/5.
*/
