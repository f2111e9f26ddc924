import type { SegmentFilter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped } from "../kit/refusal.js";
import { listNames, openSending } from "../messages/sending/sending-scene.js";

const cardless: SegmentFilter = { operator: "AND", conditions: [{ lastVisit: { never: true } }] };
const tagged: SegmentFilter = { operator: "AND", conditions: [{ slug: "new" }] };
const filterBySegment = (segment: string): SegmentFilter => ({ operator: "AND", conditions: [{ segment }] });
const accessDenied = (scope: string) => ({ code: "access_denied", scope });

/**
 * Opens a shop with three customers and two segments: one of the two who never came, and one of that segment's
 * members.
 */
async function openSaved(open: (typeof everyAdapter)[number]["open"]) {
  const shop = openAcme({ storage: await open() });
  const { acme } = shop;
  const template = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });
  const passes = [];
  for (let at = 0; at < 3; at += 1) {
    const { id: userId } = await acme.users.create({ email: someEmail() });
    passes.push(await acme.passes.create(template.id, { userId }));
  }
  const [first] = passes;
  await acme.stamps.add(first?.id ?? "");
  await acme.tags.create({ name: "New" });
  await acme.segments.create({ name: "Never came", filter: cardless });
  await acme.segments.create({ name: "Outer", filter: filterBySegment("never-came") });
  return { ...shop, passes };
}

describe.each(everyAdapter)("assigning a tag to a saved segment on $name", ({ open }) => {
  it("affects the members at that time, and so does unassigning it", async () => {
    const { acme, passes } = await openSaved(open);
    expect(await acme.tags.assignUsers("new", { segment: "outer" })).toEqual({ changed: 2, unchanged: 0 });
    await acme.stamps.add(passes[1]?.id ?? "");
    expect(await acme.tags.unassignUsers("new", { segment: "never-came" })).toEqual({
      changed: 1,
      unchanged: 0,
    });
    const remainingUser = await acme.segments.query({ filter: tagged });
    expect(remainingUser.content.map(({ id }) => id)).toEqual([passes[1]?.userId]);
  });

  it("assigns it to all members, even if that removes them from the segment", async () => {
    const { acme } = await openSaved(open);
    const without: SegmentFilter = { operator: "NOT", conditions: [{ slug: "new" }] };
    await acme.segments.create({ name: "Untagged", filter: without });
    expect(await acme.tags.assignUsers("new", { segment: "untagged" })).toEqual({ changed: 3, unchanged: 0 });
    expect(await acme.tags.assignUsers("new", { segment: "untagged" })).toEqual({ changed: 0, unchanged: 0 });
  });

  it("fails for an unknown segment, and together with another selection", async () => {
    const { acme } = await openSaved(open);
    expect(await getErrorDetail(acme.tags.assignUsers("new", { segment: "none" }))).toEqual(notFound);
    // In a filter, an unknown segment has no members.
    expect(await acme.tags.assignUsers("new", { filter: filterBySegment("none") })).toEqual({
      changed: 0,
      unchanged: 0,
    });
    const both = untyped({ segment: "outer", filter: tagged });
    expect(await getRefusedFields(acme.tags.assignUsers("new", both))).toEqual(["userIds"]);
  });

  it("returns the same result for a repeated key, even after the segment is deleted", async () => {
    const { acme } = await openSaved(open);
    const keyed = { segment: "outer", idempotencyKey: "key" };
    const result = await acme.tags.assignUsers("new", keyed);
    await acme.segments.delete("outer");
    expect(await acme.tags.assignUsers("new", keyed)).toEqual(result);
  });

  it("needs the scope for segments, and the scopes for the data that they read", async () => {
    const { loyalty } = await openSaved(open);
    const withScopes = (...scopes: ("user_tag:write" | "segment:read" | "pass:read")[]) =>
      loyalty.organization("acme", { scopes }).tags;
    for (const segment of ["outer", "never-came"]) {
      expect(await getErrorDetail(withScopes("user_tag:write").assignUsers("new", { segment }))).toEqual(
        accessDenied("segment:read"),
      );
      const reader = withScopes("user_tag:write", "segment:read");
      expect(await getErrorDetail(reader.assignUsers("new", { segment }))).toEqual(accessDenied("pass:read"));
      expect(await getErrorDetail(reader.assignUsers("new", { filter: filterBySegment(segment) }))).toEqual(
        accessDenied("pass:read"),
      );
      const whole = withScopes("user_tag:write", "segment:read", "pass:read");
      expect(await whole.assignUsers("new", { segment })).toMatchObject({ changed: expect.any(Number) });
    }
  });
});

describe.each(everyAdapter)("a message to a saved segment on $name", ({ open }) => {
  async function openSegment() {
    const shop = await openSending({ storage: await open() });
    const { acme, template, subscriber } = shop;
    const ada = await subscriber("ada");
    await subscriber("bob");
    const { id } = await acme.passes.create(template.id, { userId: ada.id });
    await acme.segments.create({ name: "Never came", filter: cardless });
    return { ...shop, addVisit: () => acme.stamps.add(id) };
  }

  it("goes to the customers who are its members when sending begins", async () => {
    const { draft, acme, addVisit: visit, mail, sent, get } = await openSegment();
    const { id, audience } = await draft({ audience: { segment: "never-came" } });
    expect(audience).toEqual({ segment: "never-came" });
    expect(await acme.messages.preview(id)).toMatchObject({ customers: 2 });
    await acme.messages.send(id);
    await visit();
    await mail.runOnce();
    expect(listNames(sent)).toEqual(["bob"]);
    expect(await get(id)).toMatchObject({ status: "SENT", audience, sums: { customers: 1 } });
  });

  it("is refused with the path of each unknown segment", async () => {
    const { draft, acme } = await openSegment();
    const { id } = await draft();
    for (const [field, audience] of [
      ["audience.segment", { segment: "none" }],
      ["audience.filter.conditions.0.segment", { filter: filterBySegment("none") }],
    ] as const) {
      expect(await getRefusedFields(draft({ audience }))).toEqual([field]);
      expect(await getRefusedFields(acme.messages.update(id, { audience }))).toEqual([field]);
    }
  });

  it("prevents the segment from being deleted until the message has ended", async () => {
    const { draft, send, acme, mail } = await openSegment();
    const drafted = await draft({ audience: { filter: filterBySegment("never-came") } });
    const sending = await send({ audience: { segment: "never-came" } });
    const other = await draft({
      audience: { filter: { operator: "OR", conditions: [{ slug: "never-came" }] } },
    });
    const users = [drafted.id, sending.id].sort();
    expect(await getErrorDetail(acme.segments.delete("never-came"))).toEqual({
      code: "segment_in_use",
      params: users,
    });
    await mail.runOnce();
    expect(await getErrorDetail(acme.segments.delete("never-came"))).toEqual({
      code: "segment_in_use",
      params: [drafted.id],
    });
    await acme.messages.update(drafted.id, { audience: { all: true } });
    await acme.segments.delete("never-came");
    expect(await acme.messages.get(sending.id)).toMatchObject({ audience: { segment: "never-came" } });
    expect(await acme.messages.get(other.id)).toMatchObject({ status: "DRAFT" });
  });

  it("is named in the error when its segment can't be deleted, with at most ten messages in total", async () => {
    const { draft, acme } = await openSegment();
    for (let at = 0; at < 12; at += 1) await draft({ audience: { segment: "never-came" } });
    const error = await getErrorDetail(acme.segments.delete("never-came"));
    expect(error).toMatchObject({ code: "segment_in_use", params: { length: 10 } });
  });

  it("needs the scope for segments, and the scopes for the data that they read, at each step", async () => {
    const { draft, loyalty } = await openSegment();
    const { id } = await draft({ audience: { segment: "never-came" } });
    const texts = [{ language: "en", subject: "News", text: "News" }];
    const news = { name: "News", channels: ["email" as const], texts };
    const scopes = ["message:read", "message:send"] as const;
    for (const [grantedScopes, scope] of [
      [scopes, "segment:read"],
      [[...scopes, "segment:read"], "pass:read"],
    ] as const) {
      const { messages } = loyalty.organization("acme", { scopes: grantedScopes });
      const audience = { segment: "never-came" };
      expect(await getErrorDetail(messages.create({ ...news, audience }))).toEqual(accessDenied(scope));
      expect(await getErrorDetail(messages.update(id, { name: "Other" }))).toEqual(accessDenied(scope));
      expect(await getErrorDetail(messages.preview(id))).toEqual(accessDenied(scope));
      expect(await getErrorDetail(messages.send(id))).toEqual(accessDenied(scope));
    }
    const { messages } = loyalty.organization("acme", { scopes: [...scopes, "segment:read", "pass:read"] });
    expect(await messages.send(id)).toMatchObject({ status: "SCHEDULED" });
  });
});
