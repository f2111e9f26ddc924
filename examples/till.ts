/*
 * A till that stamps cards over HTTP, through a network that loses answers.
 * Run it: npx tsx examples/till.ts
 */
import { once } from "node:events";
import { LoyaltyService } from "loyalty-kit";
import { createClient, isLoyaltyError } from "loyalty-kit/client";
import { apiTokens, createHttpApi, nodeServer } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";

// The service, mostly on another machine: a guest has a card, and the till a token that can do little else than stamp.
const loyalty = new LoyaltyService({
  storage: memoryStorage(),
  shortLinkBase: "https://cafe.example/card",
  previousShortLinkBases: ["https://old.example/c"],
});
const cafe = loyalty.organization("cafe");
const coffeeCard = await cafe.templates.ensure("coffee", {
  name: "Coffee card",
  type: "STAMP_CARD",
  maxStamps: 5,
});
const { qrCodeValue } = await cafe.passes.create(coffeeCard.id, { user: { email: "ada@example.com" } });
const { token } = await cafe.apiTokens.create({
  name: "till 7",
  scopes: ["pass:read", "loyalty:manage", "actor:write"],
});
const server = nodeServer(createHttpApi(loyalty, { authenticate: apiTokens(loyalty) })).listen(0);
await once(server, "listening");
const address = server.address();
const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : address}`;

// The till. The first answer of each kind is lost after the service has done its work.
const receivedTypes = new Set<string>();
const till = createClient({
  url,
  token,
  actor: { subject: "anna", location: "Harbour Street" },
  async fetch(path, init) {
    const response = await fetch(path, init);
    if (receivedTypes.has(path)) return response;
    receivedTypes.add(path);
    throw new TypeError("the connection is gone");
  },
});

// A scanner adds a line end, and the card was printed when the shop's address was another one.
const oldQrCode = qrCodeValue.replace("https://cafe.example/card", "https://old.example/c");
const card = await till.passes.lookup(`${oldQrCode}\r\n`);
console.log(`Scanned: ${card.stampProgress?.currentStamps} of 5 stamps, rewards: ${card.rewardsAvailable}.`);

// Without a key of its own each call gets one, so a repeat after a lost answer adds nothing.
for (const count of [2, 4]) {
  const { currentStamps, completions, rewardsAvailable } = await till.stamps.add(card.id, { count });
  const full = completions > 0 ? ", and the card was full" : "";
  console.log(`${count} added: ${currentStamps} of 5 stamps, rewards: ${rewardsAvailable}${full}.`);
}

// A till that crashes has only what it wrote down: with a key of the purchase it may ask again, whenever it likes.
const purchase = { idempotencyKey: "till-7/receipt-991/reward" };
await till.stamps.redeem(card.id, purchase);
const { rewardsAvailable, entryId } = await till.stamps.redeem(card.id, purchase);
console.log(`Redeemed once, rewards: ${rewardsAvailable}.`);

// The guest wanted to keep it after all.
const undone = await till.stamps.reverse(card.id, { entryId, note: "not today" });
console.log(`Taken back, rewards: ${undone.rewardsAvailable}.`);

try {
  await till.passes.lookup("https://elsewhere.example/card/123");
} catch (error) {
  if (!isLoyaltyError(error)) throw error;
  console.log(`Another shop's card: ${error.status}, ${error.message}`);
}

// A till in another language asks for strictness while it is made, to hear of a mistyped field.
const mistyped = await fetch(`${url}/v1/walletpasses/${card.id}/stamps/add`, {
  method: "POST",
  headers: {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    prefer: "handling=strict",
  },
  body: JSON.stringify({ cuont: 3 }),
});
console.log(`Mistyped: ${mistyped.status} ${await mistyped.text()}`);

const { content } = await till.stamps.history(card.id);
for (const { type, delta, actor } of content) {
  console.log(`${type} ${delta} by ${actor.subject} in ${actor.location}`);
}

server.close();
server.closeAllConnections();
await loyalty.close();

/* Output:

Scanned: 0 of 5 stamps, rewards: 0.
2 added: 2 of 5 stamps, rewards: 0.
4 added: 1 of 5 stamps, rewards: 1, and the card was full.
Redeemed once, rewards: 0.
Taken back, rewards: 1.
Another shop's card: 404, No wallet pass "https://elsewhere.example/card/123" in this organization.
Mistyped: 422 {"STANDARD_VALIDATION":{"cuont":"is not a known field (did you mean count?)"}}
reversed 0 by anna in Harbour Street
redeemed 0 by anna in Harbour Street
added 4 by anna in Harbour Street
added 2 by anna in Harbour Street
*/
