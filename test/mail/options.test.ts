import fc from "fast-check";
import { LoyaltyService } from "loyalty-kit";
import { checkMail, createMail, type MailOptions } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { parseMailbox } from "../../adapters/delivery/mail/mailbox.js";
import { openFake } from "./mail-scene.js";

const options: MailOptions = {
  publicUrl: "https://shop.example",
  from: "Shop <cards@shop.example>",
  smtp: { send: async () => {} },
  deliver: false,
};

describe("createMail", () => {
  it.each([
    [{ publicUrl: "http://shop.example" }, "must be https"],
    [{ publicUrl: "https://shop.example/" }, "without a user, query, fragment or trailing slash"],
    [{ from: "Shop" }, "from must be an address"],
    [{ from: "Shop\r\nBcc: all@shop.example <a@b.example>" }, "from must be an address"],
    [{ from: "cards@sh%op.example" }, "from must be an address"],
    [{ replyTo: "nobody" }, "replyTo must be an address"],
    [{ bounceDomain: "a b" }, "bounceDomain must be"],
    [{ smtp: "https://mail.example" }, "the SMTP URL must start with"],
    [{ rate: { requests: 0, seconds: 1 } }, "rate must have"],
    [{ rate: { requests: 1, seconds: Number.NaN } }, "rate must have"],
    [{ dkim: { selector: "a", key: "/nowhere" } }, "the DKIM key file can't be read"],
  ])("rejects %j, and leaves the service without mail", async (wrong, message) => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    onTestFinished(() => loyalty.close());
    expect(() => createMail(loyalty, { ...options, ...wrong })).toThrow(
      expect.objectContaining({ name: "TypeError", message: expect.stringContaining(message) }),
    );
    const mail = createMail(loyalty, options);
    expect(() => createMail(loyalty, options)).toThrow(TypeError);
    await mail.close();
    await createMail(loyalty, options).close();
  });

  it("sends nothing once stopped but still queues mails, and refuses them once closed", async () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    onTestFinished(() => loyalty.close());
    const recipients: string[] = [];
    const send = async ({ to }: { readonly to: string }) => void recipients.push(to);
    const mail = createMail(loyalty, { ...options, smtp: { send }, deliver: true });
    const acme = loyalty.organization("acme");
    const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
    const issue = (email: string) => acme.passes.create(id, { user: { email }, notify: true });
    await issue("ada@example.com");
    await expect.poll(() => recipients).toEqual(["ada@example.com"]);
    await mail.stop();
    const bob = await issue("bob@example.com");
    expect(bob.notification).toMatchObject({ delivery: { status: "PENDING" } });
    await mail.close();
    const rejection = expect(issue("eve@example.com")).rejects;
    await rejection.toMatchObject({ detail: { code: "mail_not_configured" } });
    expect(recipients).toEqual(["ada@example.com"]);
  });

  it.each([
    ["a@b.example", null, "a@b.example"],
    ["Café Müller <a@b.example>", "Café Müller", "a@b.example"],
    ['"Müller, Café" <a@b.example>', "Müller, Café", "a@b.example"],
    [" <a@b.example> ", null, "a@b.example"],
    ['"Ada \\"The\\" Shop" <a@b.example>', 'Ada "The" Shop', "a@b.example"],
    ['"A \\\\ B"<a@b.example>', "A \\ B", "a@b.example"],
    ['"Ada <3> Shop" <a@b.example>', "Ada <3> Shop", "a@b.example"],
    ['Ada "The" Shop <a@b.example>', 'Ada "The" Shop', "a@b.example"],
    ["Ada \\o/ Shop <a@b.example>", "Ada \\o/ Shop", "a@b.example"],
    ['"" <a@b.example>', null, "a@b.example"],
  ])("reads %s as a name and an address", (text, name, address) => {
    expect(parseMailbox(text, "from")).toEqual({ name, address });
  });

  it("reads every quoted name as it was before quoting", () => {
    const names = fc.string({ unit: fc.constantFrom(...'a ü"\\<>@,;()') }).map((name) => name.trim());
    fc.assert(
      fc.property(names, (name) => {
        const quoted = `"${name.replaceAll(/["\\]/g, "\\$&")}" <a@b.example>`;
        expect(parseMailbox(quoted, "from")).toEqual({ name: name || null, address: "a@b.example" });
      }),
    );
  });
});

describe("checkMail", () => {
  it("reports problems of the setup and the connection, and sends nothing", async () => {
    const fake = await openFake();
    const { publicUrl, from } = options;
    const listFindingCodes = async (smtp: string) =>
      (await checkMail({ publicUrl, from, smtp })).map(({ code }) => code);
    expect(await listFindingCodes(fake.url)).toEqual(["dkim_missing"]);
    expect(await listFindingCodes("smtp://127.0.0.1:1")).toEqual(["dkim_missing", "smtp_unreachable"]);
    expect(fake.mails).toEqual([]);
    expect(await checkMail({ publicUrl, from, smtp: { send: async () => {} } })).toEqual([]);
  });
});
