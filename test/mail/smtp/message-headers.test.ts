import { headerOf, type ReceivedMail } from "loyalty-kit/testing";
import { describe, expect, it } from "vitest";
import { createMessage, open, unsubscribeToken } from "./smtp-scene.js";

const listHeaderNames = ({ headers }: ReceivedMail) => headers.map(({ name }) => name).sort();

const usual = [
  ...["content-language", "content-type", "date", "from", "list-id", "list-unsubscribe"],
  ...["list-unsubscribe-post", "message-id", "mime-version", "precedence", "subject", "to"],
  "x-auto-response-suppress",
];

describe("the mail of a message", () => {
  it("has its unsubscribe URL on one line, regardless of its length, and its text before its HTML", async () => {
    const { fake, transport } = await open();
    const outgoing = createMessage();
    await transport.send(outgoing);
    const [got] = fake.mails;
    const lines = got?.raw.toString("latin1").split("\r\n") ?? [];
    const line = lines.find((each) => each.startsWith("List-Unsubscribe:"));
    expect(line).toBe(`List-Unsubscribe: ${outgoing.headers["List-Unsubscribe"]}`);
    expect(line?.length).toBeGreaterThan(78);
    expect(line?.length).toBeLessThanOrEqual(998);
    expect(lines).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    expect(got && headerOf(got, "Content-Type")).toMatch(/^multipart\/alternative/);
    const types = lines.filter((each) => /^Content-Type: text/.test(each));
    expect(types.map((each) => each.slice(14, 23))).toEqual(["text/plai", "text/html"]);
  });

  it.each([
    "Ada\r\nBcc: mallory@evil.example",
    "Ada\nList-Unsubscribe: <https://evil.example>",
    "Ada\r\n\r\n<script>alert(1)</script>",
    "=?utf-8?Q?Ada=0D=0ABcc:_mallory@evil.example?=",
    "Ada\u2028Bcc: mallory@evil.example\u0085x",
    "Ada\0\u0007\u007f\u202e",
    "\r\n.\r\nMAIL FROM:<mallory@evil.example>",
    "ü".repeat(150),
    "x".repeat(150),
  ])(
    "gets no header, no recipient and no second mail from a hostile text in any of its fields: %j",
    async (text) => {
      const { fake, transport } = await open();
      await transport.send(createMessage({ subject: text, text, senderName: text, footer: text }));
      const [got] = fake.mails;
      if (got === undefined) throw new Error("no mail came");
      expect(fake.mails).toHaveLength(1);
      expect(listHeaderNames(got)).toEqual(usual);
      expect(got).toMatchObject({ to: ["ada@customers.example"], envelope: { to: "ada@customers.example" } });
      expect(got.from.address).toBe("news@shop.example");
      expect(headerOf(got, "List-Unsubscribe")).toMatch(
        new RegExp(`^<https://loyalty\\.[^>]*/m/u/${unsubscribeToken}>$`),
      );
      const lines = got.raw.toString("latin1").split("\r\n");
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(998);
    },
  );

  it("is accepted even if placeholders make its subject and its text very long", async () => {
    const { fake, transport } = await open();
    await transport.send(createMessage({ subject: "x".repeat(4_000), text: "x".repeat(20_000) }));
    await transport.send(createMessage({ subject: "ü".repeat(4_000), text: "ü".repeat(20_000) }));
    const subjects = fake.mails.map(({ subject }) => subject);
    expect(subjects).toEqual(["x", "ü"].map((letter) => `${letter.repeat(249)}…`));
    expect(fake.mails.map(({ text }) => text.split("\n", 1)[0]?.length)).toEqual([20_000, 20_000]);
  });
});
