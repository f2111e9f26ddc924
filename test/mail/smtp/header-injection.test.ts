import fc from "fast-check";
import { headerOf, type ReceivedMail } from "loyalty-kit/testing";
import { describe, expect, it } from "vitest";
import { createMail, getSendError, open } from "./smtp-scene.js";

/** Names of the headers that every mail in these tests has. */
const usual = [
  "auto-submitted",
  "content-language",
  "content-type",
  "date",
  "from",
  "message-id",
  "mime-version",
  "reply-to",
  "subject",
  "to",
];

const listHeaderNames = ({ headers }: ReceivedMail) => headers.map(({ name }) => name).sort();

const hostile = [
  "Ada\r\nBcc: mallory@evil.example",
  "Ada\nBcc: mallory@evil.example",
  "Ada\rBcc: mallory@evil.example",
  "Ada\r\n\r\n<script>alert(1)</script>",
  'Ada" <mallory@evil.example>, "',
  "Ada <mallory@evil.example>",
  "=?utf-8?Q?Ada=0D=0ABcc:_mallory@evil.example?=",
  "Ada\u2028Bcc: mallory@evil.example\u0085x",
  "Ada\0\u0007\u007f",
  "𝔸da\u202e\r\n.\r\nMAIL FROM:<mallory@evil.example>",
  "x".repeat(5_000).replaceAll("xxxxxxxxxx", "xxxxx xxxx"),
  "ü".repeat(2_000),
];

describe("a hostile text adds no header, no recipient and no second mail", () => {
  it.each(hostile)("as the sender's name and the subject: %j", async (text) => {
    const { fake, transport } = await open();
    await transport.send(createMail({ from: { name: text, address: "shop@shop.example" }, subject: text }));
    await transport.send(createMail({ headers: { "Auto-Submitted": text } }));
    expect(fake.mails).toHaveLength(2);
    for (const got of fake.mails) {
      expect(listHeaderNames(got)).toEqual(usual);
      expect(got.from.address).toBe("shop@shop.example");
      expect(got.to).toEqual(["ada@customers.example"]);
      expect(got.envelope.to).toBe("ada@customers.example");
      expect(measureLongestLine(got)).toBeLessThanOrEqual(998);
    }
  });

  it.each([
    "=?utf-8?Q?evil=2Eexample?=",
    "Café =?utf-8?B?ZXZpbC5leGFtcGxl?= & Co",
    "=?utf-8?Q?evil?= =?utf-8?Q?=2Eexample?=",
    "=?utf-8?Q?Ada=0D=0ABcc:_mallory@evil.example?=",
  ])(
    "as the sender's name and the subject, which are shown literally and not as encoded words: %j",
    async (text) => {
      const { fake, transport } = await open();
      await transport.send(createMail({ from: { name: text, address: "shop@shop.example" }, subject: text }));
      const [got] = fake.mails;
      expect([got?.subject, got?.from.name].map((value) => value?.replaceAll("\u2060", ""))).toEqual([
        text,
        text,
      ]);
      expect(got?.raw.toString("latin1")).not.toContain(text);
    },
  );

  const addresses = [
    "ada@customers.example\r\nBcc: mallory@evil.example",
    "ada@customers.example, mallory@evil.example",
    "ada@customers.example> <mallory@evil.example",
    '"ada"@customers.example',
    "ada@customers.example ORCPT=x",
    "Ada <ada@customers.example>",
    "ada@",
    "@customers.example",
    "ada",
    "",
  ];
  it.each(addresses)("as an address, which is refused before a server sees it: %j", async (address) => {
    const { fake, transport } = await open();
    const trySending = (changes: Parameters<typeof createMail>[0]) =>
      getSendError(transport.send(createMail(changes)));
    const permanent = { isPermanent: true, isUncertain: false, code: null };
    expect(await trySending({ to: address })).toMatchObject({ ...permanent, fault: "address" });
    const envelope = { from: "shop@shop.example", to: address };
    expect(await trySending({ envelope })).toMatchObject({ ...permanent, fault: "address" });
    expect(await trySending({ envelope: { from: address, to: "ada@customers.example" } })).toMatchObject(
      permanent,
    );
    expect(await trySending({ replyTo: address })).toMatchObject({ ...permanent, fault: "message" });
    expect(await trySending({ from: { name: null, address } })).toMatchObject({
      ...permanent,
      fault: "message",
    });
    expect(fake.connections).toBe(0);
  });

  it.each(["Bcc\r\nX", "Sub ject", "X:", "", "Ü"])(
    "as the name of a header, which is refused: %j",
    async (name) => {
      const { transport } = await open();
      const error = await getSendError(transport.send(createMail({ headers: { [name]: "x" } })));
      expect(error).toMatchObject({ fault: "message", isPermanent: true });
    },
  );

  it("as a word of more than 998 octets, which is refused", async () => {
    const { transport } = await open();
    const error = await getSendError(
      transport.send(createMail({ headers: { "List-Unsubscribe": "x".repeat(999) } })),
    );
    expect(error).toMatchObject({ fault: "message", isPermanent: true });
  });

  it("as the body, which remains the text even with lone dots and lines of any length", async () => {
    const { fake, transport } = await open();
    const text = `.\r\n..\n.\nQUIT\n${"long ".repeat(1_000)}\n\0end`;
    await transport.send(createMail({ text, html: `<pre>${text}</pre>` }));
    const [got] = fake.mails;
    if (got === undefined) throw new Error("no mail came");
    expect(fake.mails).toHaveLength(1);
    expect(got.text.trim().split(/\r?\n/).slice(0, 4)).toEqual([".", "..", ".", "QUIT"]);
    expect(measureLongestLine(got)).toBeLessThanOrEqual(998);
  });

  it("for arbitrary texts, and leaves the headers, recipient and Message-ID unchanged", async () => {
    const { fake, transport } = await open();
    const wild = fc.string({ unit: "binary", maxLength: 200 });
    const samples = fc.sample(fc.tuple(wild, wild, wild), { numRuns: 60, seed: 7 });
    for (const [name, subject, text] of samples) {
      const outgoing = createMail({
        from: { name, address: "shop@shop.example" },
        subject,
        text,
        html: text,
      });
      fake.mails.length = 0;
      await transport.send(outgoing);
      const [got] = fake.mails;
      if (got === undefined) throw new Error("no mail came");
      expect(usual).toEqual(expect.arrayContaining(listHeaderNames(got)));
      expect(headerOf(got, "Bcc")).toBeNull();
      expect(got).toMatchObject({
        messageId: outgoing.messageId,
        to: [outgoing.to],
        envelope: outgoing.envelope,
      });
    }
  });
});

function measureLongestLine({ raw }: ReceivedMail): number {
  return Math.max(
    ...raw
      .toString("latin1")
      .split("\r\n")
      .map(({ length }) => length),
  );
}
