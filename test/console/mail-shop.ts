import { createMail } from "loyalty-kit/mail";
import { createFakeMail } from "loyalty-kit/testing";
import { addCleanup } from "../kit/cleanup.js";
import { openShop } from "./shop.js";

/** Opens a shop that sends mails to a local mail server. Its clock can be set ahead. */
export async function openMailShop() {
  let ahead = -7_200_000;
  const shop = await openShop({ clock: () => Date.now() + ahead });
  const fake = await createFakeMail();
  addCleanup(() => fake.close());
  const mail = createMail(shop.loyalty, {
    ...{ publicUrl: "https://shop.example", from: "Server <cards@shop.example>", smtp: fake.url },
    pollMs: 100,
  });
  addCleanup(() => mail.close());
  const template = await shop.acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  const waitForMails = async (email: string, count: number) => {
    while (fake.mailbox(email).length < count) await fake.received(fake.mails.length + 1);
    return fake.mailbox(email);
  };
  return {
    ...shop,
    fake,
    mail,
    template,
    /** Waits until an address has received this many mails. */
    waitForMails,
    /** Creates a customer with a card. */
    async createCustomer(name: string) {
      const email = `${name.toLowerCase()}@example.com`;
      const pass = await shop.acme.passes.create(template.id, { user: { email, name } });
      return { email, passId: pass.id, userId: pass.userId, path: `/console/customers/${pass.userId}` };
    },
    /** Returns the token of the link in the latest mail to an address. */
    readToken(email: string): string {
      const [link = ""] = fake.mailbox(email).at(-1)?.links ?? [];
      return new URL(link).searchParams.get("m") ?? "";
    },
    setAhead(minutes: number): void {
      ahead += minutes * 60_000;
    },
  };
}
