import { LoyaltyService } from "loyalty-kit";
import { createMail, MailSendError, type OutgoingMail } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { SignInMailer } from "../../adapters/delivery/mail/sign-in-mailer.js";
import { serviceInternals } from "../../src/internals.js";

/** Opens a service that sends its mails with `send`. */
function openWith(send: (mail: OutgoingMail) => Promise<void>) {
  const loyalty = new LoyaltyService({ storage: memoryStorage(), limits: { people: 1_000 } });
  const errors: unknown[] = [];
  const mail = createMail(loyalty, {
    publicUrl: "https://shop.example",
    from: "Shop <hi@shop.example>",
    smtp: { send },
    deliver: false,
    onError: (error) => errors.push(error),
  });
  const close = () => Promise.all([mail.close(), loyalty.close()]);
  onTestFinished(async () => void (await close()));
  return { loyalty, acme: loyalty.organization("acme"), errors, mail };
}

describe("mails with a sign-in link", () => {
  it("are retried for some minutes, with the same id", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const ids: string[] = [];
    const { acme, errors } = openWith(async ({ id }) => {
      ids.push(id);
      if (ids.length < 4) throw new MailSendError({ fault: "transport" });
    });
    await acme.people.invite({ email: "ada@example.com", role: "till" });
    await vi.advanceTimersByTimeAsync(400_000);
    expect([ids.length, new Set(ids).size, errors]).toEqual([4, 1, []]);
  });

  it("aren't retried for a dead address, and are reported when the server stays unavailable", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let count = 0;
    const { acme, errors } = openWith(async ({ to }) => {
      count += 1;
      const isDead = to.startsWith("dead");
      throw new MailSendError({ fault: isDead ? "address" : "transport", isPermanent: isDead });
    });
    await acme.people.invite({ email: "dead@example.com", role: "till" });
    await vi.advanceTimersByTimeAsync(400_000);
    expect([count, errors]).toEqual([1, []]);
    await acme.people.invite({ email: "ada@example.com", role: "till" });
    await vi.advanceTimersByTimeAsync(400_000);
    expect([count, errors.length]).toEqual([5, 1]);
    expect(String(errors[0])).not.toContain("ada@example.com");
  });

  it("are limited to 100 waiting ones per organization", async () => {
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const recipients: string[] = [];
    const { acme, loyalty } = openWith(async ({ to }) =>
      to.startsWith("p") ? gate : void recipients.push(to),
    );
    const invite = (at: number) => acme.people.invite({ email: `p${at}@example.com`, role: "till" });
    for (let at = 0; at < 100; at += 1) await invite(at);
    await expect(invite(100)).rejects.toMatchObject({ code: "too_many_pending_deliveries" });
    expect((await acme.people.list()).totalElements).toBe(100);
    // A person of both organizations gets the link of the other one.
    const globex = loyalty.organization("globex").people;
    await globex.invite({ email: "ada@example.com", role: "owner" });
    await expect.poll(() => recipients).toEqual(["ada@example.com"]);
    await acme.people.add({ email: "ada@example.com", role: "owner" });
    await serviceInternals(loyalty).signIns.mailLinks("ada@example.com", null);
    await expect.poll(() => recipients).toEqual(["ada@example.com", "ada@example.com"]);
    release();
  });

  it("are limited to 2,000 waiting ones of all organizations", async () => {
    const sender = {
      ...{ publicUrl: "https://shop.example", host: "shop.example", replyTo: null, bounceDomain: null },
      ...{ from: { name: "Shop", address: "hi@shop.example" } },
    };
    let release = () => {};
    const gate = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined);
    });
    const transport = { send: async () => (await gate) ?? { code: null, answer: "" } };
    const mails = new SignInMailer({ sender, transport, clock: Date.now, onError: () => {} });
    const send = (organizationId: string) =>
      mails.send({
        ...{ kind: "sign_in", to: "ada@example.com", language: null },
        links: [{ organizationId, shop: organizationId, path: "/x" }],
      });
    for (let at = 0; at < 2_000; at += 1) expect(send(`shop ${at % 20}`)).toBe(true);
    expect([send("shop 0"), send("another")]).toEqual([false, false]);
    release();
    await mails.whenIdle();
    expect(send("another")).toBe(true);
    await mails.close();
  });

  it("are in the requested language, and name the shop without anything that would become a link", async () => {
    const mails: OutgoingMail[] = [];
    const { acme } = openWith(async (mail) => void mails.push(mail));
    await acme.settings.update({ name: "Café <b>Luise</b>" });
    for (const language of ["de", "fr", "es", "pt", "en", "xx"])
      await acme.people.invite({ email: `${language}@example.com`, role: "till", language });
    await expect.poll(() => mails.length).toBe(6);
    expect(mails.map(({ language }) => language)).toEqual(["de", "fr", "es", "pt", "en", "en"]);
    for (const { subject, text, html } of mails) {
      expect(subject).toContain("Luise");
      expect(text.match(/https?:\/\/\S+/g)).toEqual([
        expect.stringMatching(/^https:\/\/shop\.example\/console\//),
      ]);
      expect(html).not.toContain("<b>Luise</b>");
    }
  });

  const texts = [
    "YOUR PARCEL WAITS at evil.example/pay",
    "https://evil.example",
    "http:\\\\evil.example",
    "evil.example",
    "evil．example",
    "evil。example",
    "evil․example",
    "xn--mnchen-3ya.example",
    "мünchen.example",
    "call 0800 123 456",
    "call ０８００１２３",
    "tel:112",
    "pay@evil.example",
    "pay＠evil.example",
    `<a href="https://evil.example">Luise</a> evil.example`,
    "a\r\nBcc: eve@evil.example",
    "a\u2028evil.example",
    "\u202Emoc.elpmaxe.live",
    `${"You have won a prize and must hurry up now. ".repeat(2)}`,
  ];

  it.each(texts)("contain no text of an organization that isn't a harmless name: %j", async (text) => {
    const mails: OutgoingMail[] = [];
    const { loyalty } = openWith(async (mail) => void mails.push(mail));
    const word = "evil";
    for (const id of ["cafe", text.slice(0, 100)]) {
      const organization = loyalty.organization(id);
      await organization.settings.update({ name: text }).catch(() => {});
      await organization.people.invite({ email: `${id === "cafe" ? "a" : "b"}@example.com`, role: "till" });
    }
    await expect.poll(() => mails.length).toBe(2);
    for (const mail of mails) {
      const visibleText = [mail.subject, mail.text.replaceAll(/https:\/\/shop\.example\S+/g, "")].join("\n");
      expect(visibleText).not.toContain(word);
      expect(visibleText).not.toContain("live");
      expect(visibleText).not.toContain("prize");
      expect(visibleText).not.toMatch(/[:/@\\]\w|\d{3}|\r|[\u202A-\u202E]/);
    }
    expect(mails[0]?.subject).toContain("cafe");
    expect(mails[1]?.subject).toContain("Shop");
  });
});
