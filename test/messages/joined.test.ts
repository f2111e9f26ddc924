import Sqlite from "better-sqlite3";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { fromBetterSqlite3 } from "loyalty-kit/joining";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

describe("a pass mail in a host transaction", () => {
  async function openShop() {
    const file = createTemporaryFile();
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file, { synchronous: "NORMAL" }) });
    const host = new Sqlite(file);
    onTestFinished(async () => {
      host.close();
      await loyalty.close();
    });
    const mail = serviceInternals(loyalty).backends.mail;
    mail.attachSender({ host: "mail.example" });
    const acme = loyalty.organization("acme");
    const { id } = await acme.templates.create({ name: "Coffee", type: "LOYALTY_CARD" });
    return { loyalty, host, mail, acme, id };
  }

  const countDeliveries = async (acme: Organization, passId: string) =>
    acme.passes.deliveries(passId).then(
      ({ totalElements }) => totalElements,
      () => "gone",
    );

  it.each(["COMMIT", "ROLLBACK"])("exists with its pass, or is gone with it, after %s", async (end) => {
    const { host, acme, id, mail } = await openShop();
    host.exec("BEGIN IMMEDIATE");
    const { passes } = acme.joiningSync(fromBetterSqlite3(host));
    const pass = passes.create(id, { user: { email: "ada@example.com" }, notify: true });
    expect(pass.notification).toMatchObject({ delivery: { status: "PENDING" } });
    host.exec(end);
    const isKept = end === "COMMIT";
    expect(await countDeliveries(acme, pass.id)).toBe(isKept ? 1 : "gone");
    expect(await mail.claim("acme", "pass", 10)).toHaveLength(isKept ? 1 : 0);
  });
});
