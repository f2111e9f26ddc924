import { headerOf, smtpFaults } from "loyalty-kit/testing";
import { describe, expect, it } from "vitest";
import { createSmtpTransport } from "../../../adapters/delivery/mail/smtp/transport.js";
import { createCertificates, createMail, getSendError, open } from "./smtp-scene.js";

describe("a mail over SMTP", () => {
  it("arrives with its texts (plain text first), its Message-ID, its date and its headers", async () => {
    const { fake, transport } = await open();
    const outgoing = createMail({
      envelope: { from: "bounce+mdl_1@bounces.shop.example", to: "ada@customers.example" },
    });
    const answer = await transport.send(outgoing);
    expect(answer).toEqual({ code: 250, answer: expect.stringContaining("250") });
    const [got] = fake.mails;
    if (got === undefined) throw new Error("no mail came");
    expect(got).toMatchObject({
      envelope: outgoing.envelope,
      messageId: outgoing.messageId,
      from: outgoing.from,
      to: [outgoing.to],
      replyTo: [outgoing.replyTo],
      subject: outgoing.subject,
      html: expect.stringContaining(outgoing.html),
      links: ["https://loyalty.example/c/abc?m=1"],
      isEncrypted: false,
    });
    expect(got.text).toContain(outgoing.text.trim());
    expect(headerOf(got, "Date")).toBe("Wed, 04 Mar 2026 05:06:07 +0000");
    expect(headerOf(got, "Auto-Submitted")).toBe("auto-generated");
    expect(headerOf(got, "Content-Language")).toBe("de-AT");
    expect(headerOf(got, "Content-Type")).toMatch(/^multipart\/alternative/);
    expect(headerOf(got, "X-Mailer")).toBeNull();
    const raw = got.raw.toString("latin1");
    expect(raw.indexOf("text/plain")).toBeLessThan(raw.indexOf("text/html"));
  });

  it("is addressed to the ASCII form of the domain", async () => {
    const { fake, transport } = await open();
    await transport.send(
      createMail({
        to: "ada@bücher.example",
        envelope: { from: "shop@shop.example", to: "ada@bücher.example" },
      }),
    );
    expect(fake.mails[0]?.raw.toString("latin1")).toContain("To: ada@xn--bcher-kva.example\r\n");
    expect(fake.mails).toHaveLength(1);
  });

  it("keeps a long List-Unsubscribe header in one piece", async () => {
    const { fake, transport } = await open();
    const url = `https://loyalty.example/m/u/${"k".repeat(170)}`;
    const oneClick = {
      "List-Unsubscribe": `<${url}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    };
    await transport.send(createMail({ headers: oneClick }));
    const [got] = fake.mails;
    if (got === undefined) throw new Error("no mail came");
    expect(headerOf(got, "List-Unsubscribe")).toBe(`<${url}>`);
    expect(got.raw.toString("latin1")).toContain(`<${url}>`);
    expect(headerOf(got, "List-Unsubscribe-Post")).toBe("List-Unsubscribe=One-Click");
  });

  it("shares connections with other mails, up to the configured number", async () => {
    const { fake, transport } = await open({}, { smtp: { connections: 2 } });
    await Promise.all(Array.from({ length: 20 }, () => transport.send(createMail())));
    await transport.send(createMail());
    expect(fake.mails).toHaveLength(21);
    expect(fake.connections).toBe(2);
  });

  it("uses a new connection if the server has closed the old one", async () => {
    const { fake, transport } = await open();
    await transport.send(createMail());
    fake.script({ at: "sender", answer: "drop" });
    await transport.send(createMail());
    fake.script({ at: "sender", answer: { code: 421, text: "4.4.2 idle for too long" } });
    await transport.send(createMail());
    expect(fake.mails).toHaveLength(3);
    expect(fake.doubles()).toEqual([]);
  });

  it("that is refused leaves its connection to the next ones", async () => {
    const { fake, transport } = await open();
    fake.script(smtpFaults.noSuchMailbox, smtpFaults.spam, null);
    await getSendError(transport.send(createMail()));
    await getSendError(transport.send(createMail()));
    await transport.send(createMail());
    expect(fake.connections).toBe(1);
    expect(fake.mails).toHaveLength(1);
  });

  it("is refused as a transport fault once the transport is closed", async () => {
    const { transport } = await open();
    await transport.close();
    expect(await getSendError(transport.send(createMail()))).toMatchObject({
      fault: "transport",
      isUncertain: false,
    });
  });

  it("that is being sent is completed before the transport closes", async () => {
    const { fake, transport } = await open();
    fake.script({ ...smtpFaults.spam, answer: { code: 250, text: "taken" }, afterMs: 50, isTaken: true });
    const sending = transport.send(createMail());
    await new Promise<void>((resolve) => {
      fake.onMail = () => resolve();
    });
    await transport.close();
    await sending;
    expect(fake.mails).toHaveLength(1);
  });
});

describe("encryption and sign-in", () => {
  it.each(["smtps", "starttls"] as const)("%s encrypts before it signs in", async (kind) => {
    const { ca, ...own } = createCertificates();
    const user = { name: "shop@shop.example", password: "p@ss/wörd:#1" };
    const { fake, transport } = await open({ user, tls: { kind, ...own } }, { smtp: { ca } });
    await transport.send(createMail());
    expect(fake.mails[0]).toMatchObject({ isEncrypted: true, user: user.name });
  });

  it("a separate password takes precedence over the one in the URL", async () => {
    const user = { name: "shop", password: "right" };
    const { fake, transport } = await open({ user }, { smtp: { password: "wrong" } });
    expect(await getSendError(transport.send(createMail()))).toMatchObject({ fault: "transport", code: 535 });
    expect(fake.mails).toEqual([]);
  });

  it("a server without STARTTLS gets no mail and no password if STARTTLS is required", async () => {
    const user = { name: "shop", password: "a long secret" };
    const { fake, transport } = await open({ user }, {});
    const wanting = createSmtpTransport({ smtp: `${fake.url}?tls=on`, from: "shop@shop.example" });
    const error = await getSendError(wanting.send(createMail()));
    expect(error).toMatchObject({ fault: "transport", isUncertain: false });
    await transport.send(createMail());
    await wanting.close();
    expect(fake.mails).toHaveLength(1);
  });

  it.each(["smtp://mail.shop.example", "smtp://10.0.0.7:25", "smtp://user:pass@mail.shop.example?tls=on"])(
    "%s requires STARTTLS",
    async (url) => {
      const { parseSmtpOptions } = await import("../../../adapters/delivery/mail/smtp/smtp-options.js");
      expect(parseSmtpOptions(url).tls).toBe("upgrade");
    },
  );

  it.each(["smtp://localhost:25", "smtp://127.0.0.1", "smtp://[::1]", "smtp://mail.shop.example?tls=off"])(
    "%s doesn't use STARTTLS",
    async (url) => {
      const { parseSmtpOptions } = await import("../../../adapters/delivery/mail/smtp/smtp-options.js");
      expect(parseSmtpOptions(url).tls).toBe("off");
    },
  );

  it.each([
    "mail.shop.example",
    "https://shop:secret@mail.shop.example",
    "smtp://shop:secret@mail.shop.example/path",
    "smtp://shop:secret@mail.shop.example?tls=no",
    "smtp://shop:secret@mail.shop.example?pool=true",
    "smtp://shop:secret%@mail.shop.example",
    "smtp://shop@mail.shop.example",
  ])("%s is rejected as malformed, with an error that doesn't contain the password", (smtp) => {
    const make = () => createSmtpTransport({ smtp, from: "shop@shop.example" });
    expect(make).toThrow(TypeError);
    expect(make).not.toThrow(/secret/);
  });

  it("no error and no finding contains the password, even if the server repeats it", async () => {
    const user = { name: "shop", password: "correct horse battery" };
    const { fake, transport } = await open({ user });
    const base64 = Buffer.from(`\0${user.name}\0${user.password}`).toString("base64");
    const repeating = {
      at: "sign-in",
      answer: { code: 535, text: `no: ${user.password} ${base64}` },
    } as const;
    fake.script(repeating, repeating);
    const error = await getSendError(transport.send(createMail()));
    const output = JSON.stringify([error, error.message, error.stack, await transport.check()]);
    expect(output).toContain("535");
    expect(output).not.toContain(user.password);
    expect(output).not.toContain(base64);
  });
});
