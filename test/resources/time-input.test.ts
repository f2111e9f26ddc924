import type { CreateMessage } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { getRefusedFields, untyped } from "../kit/refusal.js";

const news = {
  name: "News",
  audience: { all: true },
  channels: ["email"],
  texts: [{ language: "en", subject: "News", text: "There is coffee." }],
} satisfies CreateMessage;

/** Times before the year 0000 and after the year 9999 in UTC. */
const beyond = ["0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"];

describe("a time whose offset moves it out of the years 0000 to 9999", () => {
  it.each(beyond)("is refused wherever a time is accepted: %s", async (time) => {
    const { acme } = openAcme();
    const { id: messageId } = await acme.messages.create(news);
    for (const field of ["sendAt", "expiresAt", "showUntil"]) {
      expect(await getRefusedFields(acme.messages.update(messageId, { [field]: time }))).toEqual([field]);
    }
    const design = { expiresAt: time };
    expect(
      await getRefusedFields(acme.templates.create({ name: "Card", type: "LOYALTY_CARD", design })),
    ).toEqual(["design.expiresAt"]);
    const { id: userId } = await acme.users.create({ email: someEmail() });
    const consent = { status: "SUBSCRIBED" as const, text: "News, please.", at: time };
    expect(await getRefusedFields(acme.subscriptions.put(userId, { email: consent }))).toEqual(["email.at"]);
    for (const bound of ["from", "to"]) {
      const filter = untyped({ operator: "AND", conditions: [{ joined: { [bound]: time } }] });
      expect(await getRefusedFields(acme.segments.create({ name: "Members", filter }))).toEqual([
        `filter.conditions.0.joined.${bound}`,
      ]);
    }
  });

  it("is accepted in the last millisecond of those years", async () => {
    const { acme } = openAcme();
    const sendAt = "9999-12-31T23:59:59.999Z";
    expect(await acme.messages.create({ ...news, sendAt })).toMatchObject({ sendAt });
  });
});
