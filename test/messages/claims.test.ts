import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, notFound } from "../kit/refusal.js";
import {
  accepted,
  getToken,
  HOUR,
  later,
  MINUTE,
  noSuchAddress,
  openMailing,
  unreachable,
} from "./mailing.js";

describe.each(everyAdapter)("a claim of mails, on $name", ({ open }) => {
  const openShop = async () => openMailing({ storage: await open() });

  it("contains no mail of another claim, even if many run at the same time", async () => {
    const { acme, withPass, claim } = await openShop();
    const ids: string[] = [];
    for (let at = 0; at < 6; at += 1) ids.push((await acme.passes.notify((await withPass()).pass.id)).id);
    const claimedJobs = (await Promise.all([claim(2), claim(2), claim(2), claim(2)])).flat();
    expect(claimedJobs.map(({ delivery }) => delivery.id).sort()).toEqual(ids.sort());
  });

  it("that expires without a result is a failed attempt, and its late result is ignored", async () => {
    const { acme, withPass, claim, settle, getDelivery, clock } = await openShop();
    const { id } = await acme.passes.notify((await withPass()).pass.id);
    const [dead] = await claim();
    clock.move(MINUTE);
    const [alive] = await claim();
    expect(alive).toMatchObject({ delivery: { id, failures: 1, isUncertain: true } });
    if (dead !== undefined) await settle(dead, noSuchAddress);
    expect(await getDelivery(id)).toMatchObject({
      status: "SENDING",
      isUncertain: true,
      attempts: [{ durationMs: MINUTE, code: null, answer: null }],
    });
    // The next pause is longer, so that a mail that kills its worker doesn't return every minute.
    clock.move(4 * MINUTE);
    expect(await claim()).toEqual([]);
    expect(await getDelivery(id)).toMatchObject({ status: "PENDING" });
    clock.move(MINUTE);
    const [again] = await claim();
    if (again !== undefined) await settle(again, accepted);
    expect(await getDelivery(id)).toMatchObject({ status: "ACCEPTED", isUncertain: true });
  });

  it("skips customers who have refused, left or lost the pass since", async () => {
    const { acme, mail, withPass, claim, settle, getDelivery, clock, loyalty } = await openShop();
    const [rejectedPass, revoked, deleted, erased] = [
      await withPass(),
      await withPass(),
      await withPass(),
      await withPass(),
    ];
    const first = await acme.passes.notify(rejectedPass.pass.id);
    const [job] = await claim();
    if (job === undefined) throw new Error("nothing was claimed");
    await settle(job, later);
    expect(await mail.suppressAddress(getToken(job))).toBe(true);
    const second = await acme.passes.notify(revoked.pass.id);
    const third = await acme.passes.notify(deleted.pass.id);
    const fourth = await acme.passes.notify(erased.pass.id);
    await acme.passes.delete(revoked.pass.id);
    await acme.users.delete(deleted.user.id);
    await acme.users.erase(erased.user.id);
    clock.move(MINUTE);
    expect(await claim()).toEqual([]);
    expect(await getDelivery(first.id)).toMatchObject({ status: "SKIPPED", reason: "suppressed" });
    expect(await getDelivery(second.id)).toMatchObject({ status: "SKIPPED", reason: "pass_deleted" });
    expect(await getDelivery(third.id)).toMatchObject({ status: "SKIPPED", reason: "customer_deleted" });
    expect(await getErrorDetail(getDelivery(fourth.id))).toEqual(notFound);
    expect(await serviceInternals(loyalty).backends.mail.queuesWithDueJobs(10)).toEqual([]);
  });

  it("continues if the customer is erased while the mail is being sent", async () => {
    const { acme, withPass, claim, settle, getDelivery } = await openShop();
    const { user, pass } = await withPass();
    const { id } = await acme.passes.notify(pass.id);
    const [job] = await claim();
    await acme.users.erase(user.id);
    if (job !== undefined) await settle(job, noSuchAddress);
    expect(await getErrorDetail(getDelivery(id))).toEqual(notFound);
    expect(await claim()).toEqual([]);
  });

  it("skips expired mails until it finds one to send", async () => {
    const { acme, withPass, claim, clock } = await openShop();
    for (let at = 0; at < 5; at += 1) await acme.passes.notify((await withPass()).pass.id);
    clock.move(48 * HOUR);
    const { id } = await acme.passes.notify((await withPass()).pass.id);
    expect((await claim(1)).map(({ delivery }) => delivery.id)).toEqual([id]);
  });
});

describe("a claim of mails", () => {
  it("creates the wallet card of the pass, so that opening the link writes nothing", async () => {
    const storage = memoryStorage();
    const { acme, loyalty, withPass, claim } = await openMailing({ storage });
    serviceInternals(loyalty)
      .createWalletBackend(0)
      .attachLinker(() => ({ apple: null, google: null }));
    expect(serviceInternals(loyalty).channels).toEqual({ email: true, wallet: true });
    const { pass } = await withPass();
    await acme.passes.notify(pass.id);
    const findCard = () => storage.snapshot("acme", (reader) => reader.findWalletCard(pass.id));
    expect(await findCard()).toBeNull();
    expect(await claim()).toHaveLength(1);
    expect(await findCard()).not.toBeNull();
  });
});

describe("a mail", () => {
  it("is retried after 1, 5 and 15 minutes, 1, 2, 4, 8 and 12 hours, and every 12 hours until 48", async () => {
    const { acme, withPass, attemptDelivery, getDelivery, clock } = await openMailing();
    const { id } = await acme.passes.notify((await withPass()).pass.id);
    const pauses: number[] = [];
    for (;;) {
      await attemptDelivery(later);
      const { status, nextAttemptAt } = await getDelivery(id);
      if (status !== "PENDING" || nextAttemptAt === null) break;
      const pause = Date.parse(nextAttemptAt) - clock.now;
      pauses.push(pause);
      clock.move(pause - 1);
      expect(await attemptDelivery(later)).toEqual([]);
      clock.move(1);
    }
    expect(pauses).toEqual([1, 5, 15, 60, 120, 240, 480, 720, 720].map((minutes) => minutes * MINUTE));
    const givenMessage = await getDelivery(id);
    expect(givenMessage).toMatchObject({ status: "FAILED", reason: "gave_up", nextAttemptAt: null });
    expect(givenMessage.attempts).toHaveLength(10);
  });

  it("that no transport has accepted is skipped as expired after 48 hours, and `unsent` adds no attempt", async () => {
    const { acme, withPass, attemptDelivery, getDelivery, clock } = await openMailing();
    const { id } = await acme.passes.notify((await withPass()).pass.id);
    await attemptDelivery(unreachable);
    expect(await getDelivery(id)).toMatchObject({ status: "PENDING", attempts: [{ code: null }] });
    clock.move(5_000);
    await attemptDelivery({ kind: "unsent" });
    expect((await getDelivery(id)).attempts).toHaveLength(1);
    clock.move(48 * HOUR);
    expect(await attemptDelivery(accepted)).toEqual([]);
    expect(await getDelivery(id)).toMatchObject({ status: "SKIPPED", reason: "expired" });
  });

  it("is retried less and less often while the transport fails, so that other mails go out", async () => {
    const { acme, withPass, attemptDelivery, getDelivery, clock } = await openMailing();
    const { id } = await acme.passes.notify((await withPass()).pass.id);
    const pauses: number[] = [];
    for (let at = 0; at < 9; at += 1) {
      await attemptDelivery(unreachable);
      const { nextAttemptAt } = await getDelivery(id);
      const pause = Date.parse(nextAttemptAt ?? "") - clock.now;
      pauses.push(pause / 1_000);
      clock.move(pause);
    }
    expect(pauses).toEqual([5, 10, 20, 40, 80, 160, 320, 320, 320]);
  });

  it("that was refused for its address suppresses that address until it changes", async () => {
    const { acme, withPass, attemptDelivery, getDelivery, clock } = await openMailing();
    const { user, pass } = await withPass("ada@example.com");
    const { id } = await acme.passes.notify(pass.id);
    await attemptDelivery(noSuchAddress);
    const delivery = await getDelivery(id);
    expect(delivery).toMatchObject({ status: "FAILED", reason: "address_refused" });
    expect(delivery.attempts[0]?.answer).toBe("5.1.1 <…>: no such user");
    const { suppressed } = await acme.subscriptions.get(user.id);
    expect(suppressed).toEqual({ reason: "refused", at: clock.timestamp });
    await acme.users.update(user.id, { email: "ADA@example.com", name: "A" });
    expect((await acme.subscriptions.get(user.id)).suppressed).not.toBeNull();
    await acme.users.update(user.id, { email: "ada@elsewhere.example" });
    expect((await acme.subscriptions.get(user.id)).suppressed).toBeNull();
    clock.move(MINUTE);
    expect(await acme.passes.notify(pass.id)).toMatchObject({ status: "PENDING" });
  });

  it("that was refused for its address suppresses it, even after a bounce from a previous address", async () => {
    const { acme, withPass, attemptDelivery, claim, settle, getDelivery, clock } = await openMailing();
    const { user, pass } = await withPass();
    const { id } = await acme.passes.notify(pass.id);
    await attemptDelivery(later);
    clock.move(1);
    await acme.users.update(user.id, { email: "new@example.com" });
    clock.move(MINUTE);
    const [job] = await claim();
    await acme.messageDeliveries.bounce(id, { kind: "hard" });
    expect((await acme.subscriptions.get(user.id)).suppressed).toBeNull();
    if (job !== undefined) await settle(job, noSuchAddress);
    expect(await getDelivery(id)).toMatchObject({ status: "FAILED", reason: "bounced" });
    expect((await acme.subscriptions.get(user.id)).suppressed).toMatchObject({ reason: "refused" });
  });

  it("that was refused for an address that has since changed suppresses nothing", async () => {
    const { acme, withPass, claim, settle } = await openMailing();
    const { user, pass } = await withPass();
    await acme.passes.notify(pass.id);
    const [job] = await claim();
    await acme.users.update(user.id, { email: "new@example.com" });
    if (job !== undefined) await settle(job, noSuchAddress);
    expect((await acme.subscriptions.get(user.id)).suppressed).toBeNull();
  });

  it("that bounces has failed, even if the bounce arrives before the reply", async () => {
    const { acme, withPass, claim, settle, attemptDelivery, getDelivery, clock } = await openMailing();
    const { pass, user } = await withPass();
    const { id } = await acme.passes.notify(pass.id);
    const [job] = await claim();
    await acme.messageDeliveries.bounce(id, { kind: "hard" });
    expect(await getDelivery(id)).toMatchObject({ status: "SENDING", reason: null });
    if (job !== undefined) await settle(job, accepted);
    expect(await getDelivery(id)).toMatchObject({ status: "FAILED", reason: "bounced" });
    expect(await acme.subscriptions.get(user.id)).toMatchObject({
      suppressed: { reason: "bounced" },
      email: { status: "NONE" },
    });
    const other = await withPass();
    const { id: complained } = await acme.passes.notify(other.pass.id);
    await attemptDelivery(accepted);
    clock.move(1);
    await acme.messageDeliveries.bounce(complained, { kind: "soft" });
    expect(await getDelivery(complained)).toMatchObject({ status: "ACCEPTED", attempts: [{}, {}] });
    for (let at = 0; at < 2; at += 1) await acme.messageDeliveries.bounce(complained, { kind: "complaint" });
    expect(await getDelivery(complained)).toMatchObject({ status: "FAILED", reason: "complained" });
    expect(await acme.subscriptions.get(other.user.id)).toMatchObject({
      suppressed: { reason: "complained" },
      email: { status: "UNSUBSCRIBED", source: "bounce" },
    });
    expect(await getErrorDetail(acme.messageDeliveries.bounce("mdl_none", { kind: "hard" }))).toEqual(
      notFound,
    );
  });

  it("whose reply was lost has failed when it bounces", async () => {
    const { acme, withPass, claim, getDelivery, clock } = await openMailing();
    const { id } = await acme.passes.notify((await withPass()).pass.id);
    await claim();
    clock.move(MINUTE);
    await claim();
    clock.move(MINUTE);
    expect(await claim()).toEqual([]);
    expect(await getDelivery(id)).toMatchObject({ status: "PENDING", isUncertain: true });
    await acme.messageDeliveries.bounce(id, { kind: "hard" });
    clock.move(4 * MINUTE);
    expect(await claim()).toEqual([]);
    expect(await getDelivery(id)).toMatchObject({ status: "FAILED", reason: "bounced" });
  });

  it("to a previous address suppresses nothing when it bounces", async () => {
    const { acme, withPass, attemptDelivery, clock } = await openMailing();
    const { user, pass } = await withPass();
    const { id } = await acme.passes.notify(pass.id);
    await attemptDelivery(accepted);
    clock.move(MINUTE);
    await acme.users.update(user.id, { email: "new@example.com" });
    await acme.messageDeliveries.bounce(id, { kind: "hard" });
    expect((await acme.subscriptions.get(user.id)).suppressed).toBeNull();
    await acme.messageDeliveries.bounceAddress({ email: "NEW@example.com", kind: "hard" });
    expect((await acme.subscriptions.get(user.id)).suppressed).toMatchObject({ reason: "bounced" });
    await acme.messageDeliveries.bounceAddress({ email: "nobody@example.com", kind: "complaint" });
  });

  it("is removed retention.messageDays after it ended, when new ones are created", async () => {
    const { acme, withPass, attemptDelivery, clock } = await openMailing({ retention: { messageDays: 2 } });
    const { pass } = await withPass();
    await acme.passes.notify(pass.id);
    await attemptDelivery(accepted);
    clock.move(48 * HOUR);
    await acme.passes.notify(pass.id);
    expect((await acme.passes.deliveries(pass.id)).totalElements).toBe(2);
    clock.move(MINUTE);
    await acme.passes.notify(pass.id);
    const { content } = await acme.passes.deliveries(pass.id);
    expect(content.map(({ status }) => status)).toEqual(["PENDING", "PENDING"]);
  });

  it("is part of the dossier of the customer, and is deleted when the customer is erased", async () => {
    const { acme, withPass } = await openMailing();
    const { user, pass } = await withPass();
    const delivery = await acme.passes.notify(pass.id);
    await acme.subscriptions.put(user.id, { language: "fr" });
    const dossier = await acme.users.dossier(user.id);
    expect(dossier.messageDeliveries).toEqual([delivery]);
    expect(dossier.subscription).toEqual(await acme.subscriptions.get(user.id));
    await acme.users.erase(user.id);
    expect(await getErrorDetail(acme.messageDeliveries.get(delivery.id))).toEqual(notFound);
    expect(await getErrorDetail(acme.subscriptions.get(user.id))).toEqual(notFound);
  });
});

describe("the stored reply", () => {
  const local = "ada.lovelace+news";
  const email = `${local}@example.com`;
  it.each([
    ["the address", email],
    ["the address in upper case", email.toUpperCase()],
    ["the address with a quoted local part", `"${local}"@example.com`],
    ["the address with spaces", `${local} @ example.com`],
    ["the percent-encoded address", `${local.replace("+", "%2B")}%40example.com and ${local}%40example.com`],
    ["the address in the sender of a bounce", `bounce-${local}=40example.com@list.example`],
    ["the address with its local part split over two lines", "ada.lovelace+ne\r\nws@example.com"],
    ["the address with its domain split over two lines", `${local}@exam\r\nple.com`],
    ["the address with its domain in Punycode", `${local}@xn--exmple-cua.example`],
    ["the local part without its domain", `mailbox ${local} is full`],
    ["the local part without its tag", "mailbox Ada.Lovelace is full"],
    ["the local part without its dots", "mailbox adalovelace is full"],
    ["another's", "see bob@elsewhere.example"],
    ["another address, quoted", 'see "bob b"@elsewhere.example'],
  ])("doesn't contain %s", async (_, replyText) => {
    const { acme, withPass, attemptDelivery, getDelivery } = await openMailing();
    const { id } = await acme.passes.notify((await withPass(email)).pass.id);
    await attemptDelivery({ kind: "transport", code: 421, answer: `4.2.1 <${replyText}>: try later` });
    const answer = (await getDelivery(id)).attempts[0]?.answer ?? "";
    expect(answer).toMatch(/^4\.2\.1 <.*…/);
    expect(answer).not.toMatch(/lovelace|ws@|bob|elsewhere/i);
  });

  it.each([
    ["al@example.com", "4.2.1 mailbox al is full", "4.2.1 mailbox … is full"],
    ["1@example.com", "4.2.1 mailbox <1> is full", "4.2.1 mailbox <…> is full"],
    ["q-shop@example.com", "4.2.1 Q: try later, or quit", "4.2.1 …: try later, or quit"],
  ])(
    "omits the short local part of %s, and retains codes and words",
    async (address, answer, expectedAnswer) => {
      const { acme, withPass, attemptDelivery, getDelivery } = await openMailing();
      const { id } = await acme.passes.notify((await withPass(address)).pass.id);
      await attemptDelivery({ kind: "transport", code: 421, answer });
      expect((await getDelivery(id)).attempts[0]?.answer).toBe(expectedAnswer);
    },
  );
});
