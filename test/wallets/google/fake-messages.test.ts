import { describe, expect, it } from "vitest";
import { GoogleStore, type StoreResponse } from "../../../adapters/testing/wallets/google-store.js";
import { ManualClock } from "../../kit/manual-clock.js";

const DAY_MS = 86_400_000;
const issuerId = "3388";
const object = `${issuerId}.wp_1`;

/** Opens a Google with one card, which a user has by default. */
async function openStore(isHeld = true) {
  const clock = new ManualClock();
  const picture = async () => new Response(null, { headers: { "content-type": "image/png" } });
  const store = new StoreWithPeople(issuerId, clock.read, picture);
  const callStore = (method: string, place: string, body: object = {}) =>
    store.answer(method, place, JSON.stringify(body));
  const logo = { sourceUri: { uri: "https://shop.example/logo.png" } };
  const names = { issuerName: "Shop", programName: "Card", programLogo: logo };
  await callStore("POST", "/loyaltyClass", {
    id: `${issuerId}.tpl_1`,
    ...names,
    reviewStatus: "UNDER_REVIEW",
  });
  await callStore("POST", "/loyaltyObject", { id: object, classId: `${issuerId}.tpl_1`, state: "ACTIVE" });
  if (isHeld) store.addUser(object);
  const add = (message: object) => callStore("POST", `/loyaltyObject/${object}/addMessage`, { message });
  const patch = (content: object) => callStore("PATCH", `/loyaltyObject/${object}`, content);
  const listIds = () => store.messagesOn(object).map(({ id }) => id);
  return { store, clock, call: callStore, add, patch, listIds };
}

class StoreWithPeople extends GoogleStore {
  override addUser(objectId: string): void {
    super.addUser(objectId);
  }
}

const message = { id: "msg_1", header: "Shop", body: "Cake today", messageType: "TEXT_AND_NOTIFY" };
const storedMessage = { ...message, messageType: "TEXT" };

function getStatus(answer: StoreResponse | "drop"): number {
  return answer === "drop" ? 0 : answer.status;
}

describe("a message that is added at the fake Google", () => {
  it("is shown and notified of, and the response has the whole object as its resource", async () => {
    const { store, clock, add, listIds } = await openStore();
    expect(await add(message)).toMatchObject({
      status: 200,
      body: { resource: { id: object, hasUsers: true, messages: [message] } },
    });
    expect(listIds()).toEqual(["msg_1"]);
    expect(store.notices).toEqual([
      { objectId: object, messageId: "msg_1", body: "Cake today", at: clock.read() },
    ]);
  });

  it("is there twice when it is added twice, because ids aren't compared", async () => {
    const { store, add, listIds } = await openStore();
    await add(message);
    await add(message);
    expect(listIds()).toEqual(["msg_1", "msg_1"]);
    expect(store.doubles).toEqual([`${object} msg_1`]);
  });

  it("is replaced by the messages of a PATCH, and stays if a PATCH has none", async () => {
    const { add, patch, listIds } = await openStore();
    await add(message);
    await patch({ state: "ACTIVE" });
    expect(listIds()).toEqual(["msg_1"]);
    await patch({ messages: [{ ...storedMessage, id: "next" }] });
    expect(listIds()).toEqual(["next"]);
  });

  it("is refused if there are ten already", async () => {
    const { add } = await openStore();
    const statuses = [];
    for (let at = 0; at < 11; at += 1)
      statuses.push(getStatus(await add({ ...storedMessage, id: `msg_${at}` })));
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 400]);
  });

  it("is refused as quotaExceeded after three notifications in 24 hours, updates included", async () => {
    const { store, clock, add, patch } = await openStore();
    const createPoints = (value: string) => ({ loyaltyPoints: { balance: { string: value } } });
    await patch({ ...createPoints("1/5"), notifyPreference: "NOTIFY_ON_UPDATE" });
    await add({ ...message, id: "msg_1" });
    clock.move(1_000);
    await add({ ...message, id: "msg_2" });
    expect(await add({ ...message, id: "msg_3" })).toMatchObject({
      status: 403,
      body: { error: { errors: [{ reason: "quotaExceeded" }] } },
    });
    expect(getStatus(await add({ ...storedMessage, id: "msg_3" }))).toBe(200);
    expect(getStatus(await patch({ ...createPoints("2/5"), notifyPreference: "NOTIFY_ON_UPDATE" }))).toBe(
      403,
    );
    clock.move(DAY_MS - 1_000);
    expect(getStatus(await add({ ...message, id: "msg_4" }))).toBe(200);
    expect(store.notices.map(({ messageId }) => messageId)).toEqual([null, "msg_1", "msg_2", "msg_4"]);
  });

  it("notifies no one if no user has the card", async () => {
    const { store, add } = await openStore(false);
    expect(await add(message)).toMatchObject({ body: { resource: { hasUsers: false } } });
    expect(store.notices).toEqual([]);
  });

  it("isn't shown before or after its interval", async () => {
    const { clock, add, listIds } = await openStore();
    const dateAfter = (ms: number) => ({ date: new Date(clock.read() + ms).toISOString() });
    await add({ ...message, displayInterval: { start: dateAfter(1_000), end: dateAfter(3_000) } });
    const shownIds = [];
    for (let second = 0; second < 4; second += 1) {
      shownIds.push(listIds().length);
      clock.move(1_000);
    }
    expect(shownIds).toEqual([0, 1, 1, 0]);
  });

  it("is added even if its response is lost, and after all others if its call is late", async () => {
    const { store, add, listIds } = await openStore();
    store.script("lost", "late", "drop");
    const faults = [await add(message), await add({ ...message, id: "msg_2" }), await add(message)];
    expect(faults).toEqual(["drop", "drop", "drop"]);
    expect(listIds()).toEqual(["msg_1"]);
    await store.arrive();
    expect(listIds()).toEqual(["msg_1", "msg_2"]);
  });

  it.each([
    ["without an id", { id: undefined }],
    ["with an empty header", { header: " " }],
    ["without a body", { body: undefined }],
    ["with another type", { messageType: "text" }],
    ["with a field that Google does not know", { message_type: "TEXT" }],
    [
      "with other field names in its interval",
      { displayInterval: { endTime: { date: "2026-01-01T00:00:00Z" } } },
    ],
    ["with a time without an offset", { displayInterval: { end: { date: "2026-01-01T00:00:00" } } }],
    ["with a time that isn't an object", { displayInterval: { end: "2026-01-01T00:00:00Z" } }],
    [
      "with a translation of another text",
      { localizedBody: { defaultValue: { language: "en", value: "Other" } } },
    ],
  ])("is refused %s", async (_, flaw) => {
    const { store, add } = await openStore();
    expect(getStatus(await add({ ...message, ...flaw }))).toBe(400);
    expect(store.complaints).toHaveLength(1);
    expect(store.notices).toEqual([]);
  });

  it("is refused without its wrapper, on a class, and on an object that doesn't exist", async () => {
    const { call } = await openStore();
    expect(getStatus(await call("POST", `/loyaltyObject/${object}/addMessage`, message))).toBe(400);
    expect(getStatus(await call("POST", `/loyaltyClass/${issuerId}.tpl_1/addMessage`, { message }))).toBe(
      404,
    );
    expect(getStatus(await call("POST", "/loyaltyObject/3388.wp_2/addMessage", { message }))).toBe(404);
    expect(getStatus(await call("PUT", `/loyaltyObject/${object}/addMessage`, { message }))).toBe(404);
  });

  it("is refused in a PATCH if it is to notify, because that isn't documented", async () => {
    const { store, patch } = await openStore();
    expect(getStatus(await patch({ messages: [message] }))).toBe(400);
    expect(getStatus(await patch({ messages: Array.from({ length: 11 }, () => storedMessage) }))).toBe(400);
    expect(store.complaints).toHaveLength(2);
  });
});
