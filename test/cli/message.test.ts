import { join } from "node:path";
import { LoyaltyService } from "loyalty-kit";
import { createMail } from "loyalty-kit/mail";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmptyFolder } from "./command.js";
import { runCommand } from "./run-command.js";

/**
 * Opens an organization with two customers who agreed to news, and returns a function that runs its message commands.
 */
async function openShop() {
  const database = join(createEmptyFolder(), "loyalty.db");
  const loyalty = new LoyaltyService({ storage: await sqliteStorage(database) });
  const mailTexts: string[] = [];
  const mail = createMail(loyalty, {
    ...{ publicUrl: "https://shop.example", from: "news@shop.example", deliver: false },
    smtp: { send: async ({ to }) => void mailTexts.push(to) },
  });
  onTestFinished(async () => {
    await mail.close();
    await loyalty.close();
  });
  const acme = loyalty.organization("acme");
  for (const name of ["ada", "bob"]) {
    const { id } = await acme.users.create({ email: `${name}@example.com` });
    await acme.subscriptions.put(id, { email: { status: "SUBSCRIBED", text: "News, please." } });
  }
  const createDraft = (name: string) =>
    acme.messages.create({
      ...{ name, audience: { all: true }, channels: ["email"] },
      texts: [{ language: "en", subject: "Rolls", text: "Come by." }],
    });
  const databaseArgs = ["--database", database, "--organization", "acme"];
  return {
    acme,
    mail,
    sentTexts: mailTexts,
    createDraft,
    runMessage: (...args: string[]) => runCommand(["message", ...args, ...databaseArgs]),
  };
}

describe("loyalty-kit message", () => {
  it("lists messages with their counts, newest first, or only those with one status", async () => {
    const { acme, mail, createDraft, runMessage } = await openShop();
    expect(await runMessage("list")).toMatchObject({ code: 0, stdout: "" });
    const { id } = await createDraft("Rolls");
    await acme.messages.send(id);
    await mail.runOnce();
    const { id: other } = await createDraft("Cakes");
    const { stdout } = await runMessage("list");
    const [head, ...lines] = stdout.trim().split("\n");
    expect(head?.split(/ {2,}/)).toEqual([
      ...["ID", "STATUS", "NAME", "RECIPIENTS", "ACCEPTED", "REMAINING", "CREATED"],
    ]);
    expect(lines.map((line) => line.split(/\s+/).slice(0, 3))).toEqual([
      [other, "DRAFT", "Cakes"],
      [id, "SENT", "Rolls"],
    ]);
    expect(lines[1]).toMatch(/Rolls +2 +2 +0 +\d{4}-/);
    expect((await runMessage("list", "--status", "SENT")).stdout).not.toContain("Cakes");
    expect(await runMessage("list", "--status", "sent")).toMatchObject({ code: 2 });
  });

  it("prints one message as JSON", async () => {
    const { acme, createDraft, runMessage } = await openShop();
    const { id } = await createDraft("Rolls");
    expect(JSON.parse((await runMessage("show", id)).stdout)).toEqual(await acme.messages.get(id));
  });

  it("cancels a message, which is then not sent", async () => {
    const { acme, mail, sentTexts: mailTexts, createDraft, runMessage } = await openShop();
    const { id } = await createDraft("Rolls");
    await acme.messages.send(id);
    expect(await runMessage("cancel", id)).toEqual({
      ...{ code: 0, stdout: `message ${id} canceled\n`, stderr: "" },
    });
    await mail.runOnce();
    expect([(await acme.messages.get(id)).status, mailTexts]).toEqual(["CANCELED", []]);
    const secondCancel = await runMessage("cancel", id);
    expect(secondCancel).toMatchObject({ code: 1, stdout: "" });
    expect(secondCancel.stderr).toContain(`message ${id} has already been sent or canceled, or has expired`);
  });

  it("previews and sends a message, and writes its deliveries as CSV", async () => {
    const { acme, mail, sentTexts: mailTexts, createDraft, runMessage } = await openShop();
    await acme.users.create({ email: "cyd@example.com" });
    const { id } = await createDraft("Rolls");
    expect((await runMessage("preview", id)).stdout.split("\n")).toEqual([
      ...["customers: 3", "reached: email 2, wallet 0", "skipped: no_consent 1", "languages: en 2"],
      ...["seconds: email 1, apple 0, google 0", ""],
    ]);
    expect(await runMessage("send", id)).toEqual({
      ...{ code: 0, stdout: `message ${id} scheduled\n`, stderr: "" },
    });
    await mail.runOnce();
    expect(mailTexts).toHaveLength(2);
    const [head, ...lines] = (await runMessage("deliveries", id)).stdout.trim().split("\n");
    expect(head).toBe("id,userId,channel,platform,status,reason,isSilent,isUncertain,createdAt,updatedAt");
    expect(lines.map((line) => line.split(",").slice(2, 6).join()).sort()).toEqual([
      ...["email,,ACCEPTED,", "email,,ACCEPTED,", "email,,SKIPPED,no_consent"],
    ]);
    const skippedLines = (await runMessage("deliveries", id, "--status", "SKIPPED")).stdout
      .trim()
      .split("\n");
    expect(skippedLines).toHaveLength(2);
  });

  it("reports what is wrong with a message that can't be sent", async () => {
    const { acme, runMessage } = await openShop();
    const { id } = await acme.messages.create({
      ...{ name: "Half", audience: { all: true }, channels: ["email"], texts: [{ language: "en" }] },
    });
    const errorResponse = await runMessage("send", id);
    expect(errorResponse).toMatchObject({ code: 2, stdout: "" });
    expect(errorResponse.stderr).toContain("texts.0.subject");
  });

  it("reports an unknown message", async () => {
    const { runMessage } = await openShop();
    for (const verb of ["show", "preview", "send", "cancel", "deliveries"]) {
      const { code, stderr } = await runMessage(verb, "msg_none");
      expect([code, stderr]).toEqual([
        1,
        "loyalty-kit: organization acme has no message with the ID msg_none\n",
      ]);
    }
  });
});
