import fc from "fast-check";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it } from "vitest";
import { runStep } from "../../../src/base/concurrency/step.js";
import { serviceInternals } from "../../../src/internals.js";
import type { MailJob } from "../../../src/messages/mail-claim.js";
import type { MailResult } from "../../../src/messages/mail-outcome.js";
import { ManualClock } from "../../kit/manual-clock.js";
import { createPhone } from "../../wallets/some-shop.js";
import { accepted, later, noSuchAddress, unreachable } from "../mailing.js";
import { DAY, HOUR, MINUTE, SECOND, words } from "./sending-scene.js";
import { watchSums } from "./watched-sums.js";

const CAP = 2;
const results: readonly MailResult[] = [accepted, later, noSuchAddress, unreachable, { kind: "unsent" }];

/** Two processes of one shop, its customers, and everything that happens to them. */
class History {
  readonly clock = new ManualClock();
  readonly storage = memoryStorage();
  readonly sums = watchSums(this.storage);
  readonly complaints: string[] = [];
  private readonly services = [this.open(), this.open()] as const;
  private readonly wallets = serviceInternals(this.services[0]).createWalletBackend(0);
  private readonly claims: MailJob[] = [];
  private readonly userIds: string[] = [];
  private readonly passIds = new Map<string, string>();
  private readonly messageIds: string[] = [];
  private templateId = "";
  private isQuiet = false;

  constructor() {
    this.sums.rowsMayBeGone = true;
    this.wallets?.attachLinker(() => ({ apple: "https://shop.example/apple", google: null }));
  }

  async begin(): Promise<void> {
    const { acme } = this;
    const template = await acme.templates.create({ name: "Tea", type: "LOYALTY_CARD" });
    this.templateId = template.id;
    await acme.messageSettings.update({ cap: { perDays: 1, messages: CAP } });
    for (let at = 0; at < 4; at += 1) await this.createUser(at);
    await this.send(0);
  }

  async perform(act: number, choice: number): Promise<void> {
    const acts = [
      () => this.advance(choice),
      () => this.claim(choice),
      () => this.recordResult(choice),
      () => this.end(choice),
      () => this.subscribe(choice),
      () => this.removeUser(choice),
      () => this.bounceMail(choice),
      () => this.cancel(choice),
      () => this.send(choice),
      () => this.moveClock([SECOND, MINUTE, HOUR, 6 * HOUR][choice % 4] ?? 0),
      () => this.changeQuietHours(choice),
      () => this.onPhone(choice),
      () => this.createUser(choice),
    ];
    await acts[act % acts.length]?.();
  }

  /** Brings all messages to their end. */
  async finish(): Promise<void> {
    await this.acme.messageSettings.update({ quietHours: null });
    this.isQuiet = false;
    for (let hour = 0; hour < 30; hour += 1) {
      await this.advance(0);
      for (;;) {
        const before = this.claims.length;
        await this.claim(1);
        if (this.claims.length === before) break;
        while (this.claims.length > 0) await this.recordResult(0);
      }
      this.moveClock(HOUR);
    }
    await this.advance(1);
  }

  async ends() {
    const { content } = await this.acme.events.list({ limit: 1_000 });
    const countEvents = (type: string, id: string) =>
      content.filter((event) => event.type === type && Reflect.get(event.data, "id") === id).length;
    const ends: unknown[] = [];
    for (const id of this.messageIds) {
      const { status, sums } = await this.acme.messages.get(id);
      const events = ["started", "completed", "canceled"].map((kind) => countEvents(`message.${kind}`, id));
      ends.push({ status, left: (sums?.pending ?? 0) + (sums?.sending ?? 0), events: events.join() });
    }
    return ends;
  }

  async close(): Promise<void> {
    for (const service of this.services) await service.close();
  }

  private get acme(): Organization {
    return this.pickService(0).organization("acme");
  }

  private open(): LoyaltyService {
    const service = new LoyaltyService({
      storage: this.storage,
      clock: this.clock.read,
      onError: (error) => this.complaints.push(String(error)),
      limits: { pendingMessageDeliveries: 8 },
    });
    serviceInternals(service).backends.mail.attachSender({ host: "mail.example" });
    return service;
  }

  private pickService(choice: number): LoyaltyService {
    const service = this.services[choice % 2];
    if (service === undefined) throw new Error("there are two");
    return service;
  }

  private moveClock(ms: number): void {
    this.clock.move(ms);
  }

  private async advance(choice: number): Promise<void> {
    const messages = serviceInternals(this.pickService(choice)).backends.messages;
    const most = choice % 3 === 0 ? 100 : 1;
    for (let at = 0; at < most && (await messages.advance("acme")); at += 1);
  }

  private async claim(choice: number): Promise<void> {
    const jobs = await serviceInternals(this.pickService(choice)).backends.mail.claim(
      "acme",
      "message",
      (choice % 3) + 1,
    );
    for (const job of jobs) await this.checkJob(job);
    this.claims.push(...jobs);
  }

  /** Checks that a claim is for a customer who wants the message, and for a message that is being sent. */
  private async checkJob({ delivery, message }: MailJob): Promise<void> {
    const { userId, id, expiresAt } = delivery;
    const addComplaint = (what: string) => this.complaints.push(`${id} was claimed ${what}`);
    const { email, suppressed } = await this.acme.subscriptions.get(userId);
    if (email.status !== "SUBSCRIBED") addComplaint(`of who is ${email.status}`);
    if (suppressed !== null) addComplaint("for a dead address");
    if ((await this.acme.messages.get(message?.id ?? "")).status !== "SENDING")
      addComplaint("of an ended message");
    if (this.clock.now >= expiresAt) addComplaint("too late");
    if (this.isQuiet) addComplaint("in quiet hours");
    const since = this.clock.now - DAY;
    const recent = await runStep(this.storage.reader("acme").recentMessagesOf([userId], since));
    if (new Set(recent.map(({ messageId }) => messageId)).size > CAP) addComplaint("above the cap");
  }

  private async recordResult(choice: number): Promise<void> {
    const [job] = this.claims.splice(choice % Math.max(1, this.claims.length), 1);
    // A process may die with its claims.
    if (job === undefined || choice % 7 === 6) return;
    const result = results[choice % results.length] ?? accepted;
    const { lease, delivery, to } = job;
    const outcome = { deliveryId: delivery.id, to, result, at: this.clock.now, durationMs: 1 };
    await serviceInternals(this.pickService(choice)).backends.mail.recordResults("acme", "message", lease, [
      outcome,
    ]);
  }

  private pickUserId(choice: number): string | null {
    return this.userIds[choice % Math.max(1, this.userIds.length)] ?? null;
  }

  private async end(choice: number): Promise<void> {
    const id = this.pickUserId(choice);
    if (id !== null) await this.acme.subscriptions.put(id, { email: { status: "UNSUBSCRIBED" } });
  }

  private async subscribe(choice: number): Promise<void> {
    const id = this.pickUserId(choice);
    const consent = { status: "SUBSCRIBED", text: words } as const;
    if (id !== null) await this.acme.subscriptions.put(id, { email: consent, wallet: consent });
  }

  private async removeUser(choice: number): Promise<void> {
    const id = this.pickUserId(choice);
    if (id === null) return;
    this.userIds.splice(this.userIds.indexOf(id), 1);
    await (choice % 2 === 0 ? this.acme.users.erase(id) : this.acme.users.delete(id));
  }

  private async bounceMail(choice: number): Promise<void> {
    const delivery = await this.pickDelivery(choice);
    if (delivery?.channel === "email")
      await this.acme.messageDeliveries.bounce(delivery.id, { kind: choice % 2 === 0 ? "hard" : "soft" });
  }

  private async onPhone(choice: number): Promise<void> {
    const delivery = await this.pickDelivery(choice);
    if (delivery?.channel !== "wallet") return;
    const messages = serviceInternals(this.pickService(choice)).backends.messages;
    if (choice % 3 > 0) await messages.walletAccepted("acme", delivery.id, "apple", false);
    else await messages.walletMissing("acme", delivery.id);
  }

  private async pickDelivery(choice: number) {
    const id = this.messageIds[choice % this.messageIds.length] ?? "";
    const { content } = await this.acme.messages.deliveries(id);
    return content[choice % Math.max(1, content.length)];
  }

  private async cancel(choice: number): Promise<void> {
    const id = this.messageIds[choice % this.messageIds.length] ?? "";
    await this.acme.messages.cancel(id).catch((error: unknown) => {
      if (Reflect.get(Object(error), "code") !== "message_ended") throw error;
    });
  }

  private async send(choice: number): Promise<void> {
    const channels = [["email"], ["wallet", "email"], ["email", "wallet"], ["wallet"]] as const;
    const { id } = await this.acme.messages.create({
      ...{ name: "News", audience: { all: true }, templateId: this.templateId },
      channels: [...(channels[choice % 4] ?? ["email"])],
      order: choice % 3 === 0 ? "first_reachable" : "each",
      texts: [{ language: "en", subject: "News", text: "Hello {name}", wallet: "News" }],
    });
    this.messageIds.push(id);
    await this.acme.messages.send(id).catch((error: unknown) => {
      if (Reflect.get(Object(error), "code") !== "too_many_messages") throw error;
    });
  }

  private async changeQuietHours(choice: number): Promise<void> {
    this.isQuiet = choice % 2 === 0;
    const formatHour = (hours: number) =>
      `${new Date(this.clock.now + hours * HOUR).toISOString().slice(11, 14)}00`;
    const quietHours = this.isQuiet ? { from: formatHour(0), to: formatHour(12) } : null;
    await this.acme.messageSettings.update({ quietHours });
    // Quiet hours apply only now: they end before the clock moves on.
    if (this.isQuiet) {
      await this.claim(0);
      await this.acme.messageSettings.update({ quietHours: null });
      this.isQuiet = false;
    }
  }

  private async createUser(choice: number): Promise<void> {
    const email = `customer-${this.passIds.size}@example.com`;
    const user = await this.acme.users.create({ email, name: `Customer ${this.passIds.size}` });
    const pass = await this.acme.passes.create(this.templateId, { userId: user.id });
    this.passIds.set(user.id, pass.id);
    this.userIds.push(user.id);
    if (choice % 4 !== 3) await this.subscribe(this.userIds.length - 1);
    if (choice % 3 === 2) return;
    await this.acme.passes.walletLinks(pass.id);
    await this.wallets?.devices.register("acme", createPhone(pass.id, email));
  }
}

/** The number of the next action. Those that advance messages are more frequent than any other. */
const act = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 2) },
  { weight: 2, arbitrary: fc.nat(12) },
);
const acts = fc.array(fc.tuple(act, fc.nat(200)), { minLength: 20, maxLength: 80 });

it("in any history, sums hold after each transaction, no mail is unwanted, and each message ends once", async () => {
  await fc.assert(
    fc.asyncProperty(acts, async (history) => {
      const shop = new History();
      await shop.begin();
      for (const [act, choice] of history) await shop.perform(act, choice);
      await shop.finish();
      expect(shop.complaints).toEqual([]);
      expect(shop.sums.faults).toEqual([]);
      for (const end of await shop.ends())
        expect([
          { status: "SENT", left: 0, events: "1,1,0" },
          { status: "CANCELED", left: 0, events: "1,0,1" },
          { status: "CANCELED", left: 0, events: "0,0,1" },
        ]).toContainEqual(end);
      await shop.close();
    }),
    { numRuns: 60 },
  );
});
