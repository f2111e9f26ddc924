import { createServer } from "node:net";
import { type SmtpFault, smtpFaults } from "loyalty-kit/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createSmtpTransport } from "../../../adapters/delivery/mail/smtp/transport.js";
import { createMail, getSendError, open } from "./smtp-scene.js";

/** Short timeouts, so that tests of silence end soon. */
const soon = { opening: 1_200, silence: 900, attempt: 2_400 };

/** Starts a server that sends this greeting to every client. @returns a transport to it. */
async function serveText(greeting: string) {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.write(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const transport = createSmtpTransport({
    smtp: `smtp://127.0.0.1:${port}`,
    from: "shop@shop.example",
    times: soon,
  });
  onTestFinished(async () => {
    await transport.close();
    server.close();
  });
  return transport;
}

describe("a mail server that fails", () => {
  const ofTheTransport = { fault: "transport", isUncertain: false };
  const rows: [string, SmtpFault, object][] = [
    ["is too busy to greet", smtpFaults.busyGreeting, { ...ofTheTransport, code: 421 }],
    ["never greets", smtpFaults.silentGreeting, { ...ofTheTransport, code: null }],
    ["hangs up before it greets", { at: "greeting", answer: "drop" }, { ...ofTheTransport, code: null }],
    ["refuses the sender", smtpFaults.senderRefused, { ...ofTheTransport, code: 550 }],
    ["greylists", smtpFaults.greylisted, { fault: "address", isPermanent: false, code: 451 }],
    ["knows no such mailbox", smtpFaults.noSuchMailbox, { fault: "address", isPermanent: true, code: 550 }],
    ["blocks by policy", smtpFaults.blockedByPolicy, { fault: "message", isPermanent: true, code: 550 }],
    ["takes it for spam", smtpFaults.spam, { fault: "message", isPermanent: true, code: 554 }],
    ["falls silent at RCPT", { at: "recipient", answer: "silent" }, { fault: "message", isUncertain: false }],
    ["falls silent after DATA", smtpFaults.silentEnd, { fault: "message", isUncertain: true, code: null }],
    ["cuts after DATA", smtpFaults.cutInContent, { fault: "message", isUncertain: true, code: null }],
    [
      "takes the mail and loses the answer",
      smtpFaults.answerLost,
      { fault: "message", isPermanent: false, isUncertain: true, code: null },
    ],
    ["answers a line of 1 MB", smtpFaults.longLine, { fault: "message", isPermanent: false }],
  ];

  it.each(rows)("%s", async (_, fault, expected) => {
    const { fake, transport } = await open({}, { times: soon });
    fake.script(fault);
    expect(await getSendError(transport.send(createMail()))).toMatchObject(expected);
    expect(fake.mails).toHaveLength(fault.isTaken ? 1 : 0);
    await transport.send(createMail());
  });

  it("that refuses the sign-in is a transport fault", async () => {
    const { fake, transport } = await open({ user: { name: "shop", password: "secret" } });
    fake.script(smtpFaults.signInRefused);
    expect(await getSendError(transport.send(createMail()))).toMatchObject({ fault: "transport", code: 535 });
    await transport.send(createMail());
  });

  it("that is unreachable is a transport fault", async () => {
    const { fake, transport } = await open();
    await fake.close();
    expect(await getSendError(transport.send(createMail()))).toMatchObject({
      fault: "transport",
      isUncertain: false,
    });
  });

  it("that greylists accepts the same mail later, once", async () => {
    const { fake, transport } = await open();
    fake.isGreylisting = true;
    const outgoing = createMail();
    expect(await getSendError(transport.send(outgoing))).toMatchObject({
      fault: "address",
      isPermanent: false,
    });
    await transport.send(outgoing);
    expect(fake.mailbox(outgoing.to)).toHaveLength(1);
  });

  it("a mail that is sent again after a lost reply is a duplicate by its Message-ID", async () => {
    const { fake, transport } = await open();
    fake.script(smtpFaults.answerLost);
    const outgoing = createMail();
    expect(await getSendError(transport.send(outgoing))).toMatchObject({ isUncertain: true });
    await transport.send({ ...outgoing, text: "other words" });
    await transport.send(createMail());
    expect(fake.doubles()).toEqual([expect.objectContaining({ messageId: outgoing.messageId })]);
  });

  it("at most 1,000 characters of an endless reply are stored, on one line", async () => {
    const { fake, transport } = await open();
    fake.script({ at: "recipient", answer: { code: 550, text: `5.1.1 no\r\n\0${"y".repeat(8_000)}` } });
    const { answer } = await getSendError(transport.send(createMail()));
    expect(answer.length).toBeLessThanOrEqual(1_000);
    expect(answer).not.toMatch(/\p{Cc}/u);
  });

  it("an attempt ends in time even if every reply is slow", async () => {
    const { fake, transport } = await open({}, { times: { opening: 5_000, silence: 5_000, attempt: 1_000 } });
    fake.script({ ...smtpFaults.spam, afterMs: 4_000 });
    expect(await getSendError(transport.send(createMail()))).toMatchObject({ isUncertain: true, code: null });
  });

  it("mails that wait in vain for a connection are a transport fault, and were not sent", async () => {
    const { fake, transport } = await open(
      {},
      { smtp: { connections: 1 }, times: { ...soon, silence: 5_000 } },
    );
    fake.script(smtpFaults.silentEnd);
    const [first, second] = await Promise.all([
      getSendError(transport.send(createMail())),
      getSendError(transport.send(createMail())),
    ]);
    expect(first).toMatchObject({ isUncertain: true });
    expect(second).toMatchObject({ fault: "transport", isUncertain: false });
    expect(fake.mails).toHaveLength(1);
  });

  it.each([
    ["greets with 1 MB", `220 ${"x".repeat(1_000_000)}`],
    ["greets with endless lines", "220-more\r\n".repeat(100_000)],
    ["isn't a mail server", "HTTP/1.1 400 Bad Request\r\n\r\n"],
    ["sends bytes that aren't text", Buffer.from([0xff, 0xfe, 0x0d, 0x0a, 0x00]).toString("latin1")],
  ])("%s", async (_, greeting) => {
    const transport = await serveText(greeting);
    const error = await getSendError(transport.send(createMail()));
    expect(error).toMatchObject({ fault: "transport", isUncertain: false });
    expect(error.answer.length).toBeLessThanOrEqual(1_000);
  });
});
