import { LoyaltyService } from "loyalty-kit";
import { createMail, MailRefused, type OutgoingMail } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished, vi } from "vitest";

/** A service whose mails go where the test says. */
function openWith(send: (mail: OutgoingMail) => Promise<void>) {
  const loyalty = new LoyaltyService({ storage: memoryStorage(), limits: { people: 1_000 } });
  const errors: unknown[] = [];
  const mail = createMail(loyalty, {
    publicUrl: "https://shop.example",
    from: "Shop <hi@shop.example>",
    smtp: { send },
    delivers: false,
    onError: (error) => errors.push(error),
  });
  const close = () => Promise.all([mail.close(), loyalty.close()]);
  onTestFinished(async () => void (await close()));
  return { acme: loyalty.organization("acme"), errors, mail };
}

describe("mails with a link to sign in", () => {
  it("are tried again for some minutes, with one id", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const ids: string[] = [];
    const { acme, errors } = openWith(async ({ id }) => {
      ids.push(id);
      if (ids.length < 4) throw new MailRefused({ fault: "transport" });
    });
    await acme.people.invite({ email: "ada@example.com", role: "till" });
    await vi.advanceTimersByTimeAsync(400_000);
    expect([ids.length, new Set(ids).size, errors]).toEqual([4, 1, []]);
  });

  it("are given up at an address that is dead, and told when the server stays away", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    let tried = 0;
    const { acme, errors } = openWith(async ({ to }) => {
      tried += 1;
      const isDead = to.startsWith("dead");
      throw new MailRefused({ fault: isDead ? "address" : "transport", isPermanent: isDead });
    });
    await acme.people.invite({ email: "dead@example.com", role: "till" });
    await vi.advanceTimersByTimeAsync(400_000);
    expect([tried, errors]).toEqual([1, []]);
    await acme.people.invite({ email: "ada@example.com", role: "till" });
    await vi.advanceTimersByTimeAsync(400_000);
    expect([tried, errors.length]).toEqual([5, 1]);
    expect(String(errors[0])).not.toContain("ada@example.com");
  });

  it("are a hundred that wait at most", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { acme } = openWith(() => held);
    const invite = (at: number) => acme.people.invite({ email: `p${at}@example.com`, role: "till" });
    for (let at = 0; at < 100; at += 1) await invite(at);
    await expect(invite(100)).rejects.toMatchObject({ code: "too_many_pending_deliveries" });
    expect((await acme.people.list()).totalElements).toBe(100);
    release();
  });

  it("are in the language that was asked for, and name the shop without what would be a link", async () => {
    const mails: OutgoingMail[] = [];
    const { acme } = openWith(async (mail) => void mails.push(mail));
    await acme.settings.update({ name: "https://evil.example <b>Luise</b>" });
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
});
