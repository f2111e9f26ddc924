import {
  type CreateMessage,
  isLoyaltyError,
  LoyaltyService,
  type Organization,
  type StorageAdapter,
} from "loyalty-kit";
import { pseudoRandom } from "../../../adapters/testing/storage-suite/kit/pseudo-random.js";
import { waitForLoopIteration } from "../../../src/base/concurrency/event-loop.js";
import { serviceInternals } from "../../../src/internals.js";
import { buildLinkToken } from "../../../src/messages/mail-links.js";
import { mailJobs } from "../../../src/storage/mail.js";
import { VirtualTime } from "../../webhooks/simulation/virtual-time.js";
import { findFaults } from "./checks.js";
import { type AcknowledgedCalls, type Call, type Customer, createCustomer } from "./customers.js";
import { Ledger } from "./ledger.js";
import { findMessageFaults } from "./message-checks.js";
import { Post, ScriptedReply } from "./post.js";
import { Process, type World } from "./process.js";

export interface Trial {
  readonly seed: number;
  readonly storage: StorageAdapter;
  readonly customers: number;
  /** Number of changes, most of them to one customer. */
  readonly changes: number;
}

export interface Outcome {
  /** Number of mails that were queued. */
  readonly mails: number;
  /** Number of times that a mail was handed to the server. */
  readonly attempts: number;
  /** Number of accepted mails that the server had already accepted before. */
  readonly doubles: number;
  readonly deaths: number;
  /** Number of mails by final status and reason. */
  readonly ends: Readonly<Record<string, number>>;
  /** All addresses that erased customers have had. */
  readonly erased: readonly string[];
  readonly wrong: readonly string[];
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const START = Date.UTC(2026, 0, 1);
const PROCESSES = 2;
const RETENTION_DAYS = 2;
const ORGANIZATIONS = ["acme", "globex"];
const consent = "News, please.";

/** Error codes that callers may receive although nothing is wrong. */
const refusals = [
  "pass_notified_recently",
  "address_suppressed",
  "no_mail_address",
  "resource_not_found",
  "customer_unsubscribed",
  "message_not_draft",
  "message_ended",
  "too_many_messages",
];

/**
 * Simulates two processes of a service, and changes to customers and their mails, for some days of virtual time. The
 * mail server refuses mails, loses replies and breaks. Processes die between any two steps, and new ones start.
 * Storage calls fail, or succeed without a response. After that nothing fails, and all mails end.
 */
export async function simulate(trial: Trial): Promise<Outcome> {
  const { seed, changes } = trial;
  const random = pseudoRandom(seed);
  const time = new VirtualTime(START);
  const ledger = new Ledger(time.clock);
  const post = new Post(time, random, (id) => ledger.entries.get(id)?.claim ?? null);
  const errors: string[] = [];
  const world: World = {
    ...{ time, post, random, retentionDays: RETENTION_DAYS, isInTrouble: false, callsUnderWay: 0 },
    storage: ledger.recordChanges(trial.storage),
    onError: (error) => errors.push(String(error)),
  };
  const waitUntilQuiet = async () => {
    do for (let turn = 0; turn < 3; turn += 1) await waitForLoopIteration();
    while (world.callsUnderWay > 0);
  };
  const died: Process[] = [];
  const alive = new Set<Process>();
  const start = () => {
    const process = new Process(world, (dead) => {
      alive.delete(dead);
      died.push(dead);
      time.after(random(2 * MINUTE), start);
    });
    alive.add(process);
  };
  for (let at = 0; at < PROCESSES; at += 1) start();

  const customers: Customer[] = [];
  const acknowledged: AcknowledgedCalls = {
    deliveries: [],
    silentAddresses: new Map(),
    gonePasses: new Map(),
    endedMessages: new Map(),
    canceledMessages: new Map(),
    messages: new Set(),
  };
  const templates = new Map<string, string>();
  let createdCount = 0;
  const pickAddress = () => {
    createdCount += 1;
    return `customer-${createdCount}@example.com`;
  };
  const pickKey = () => {
    createdCount += 1;
    return `key-${createdCount}`;
  };
  const pick = <T>(from: readonly T[]): T | undefined => from[random(from.length)];

  /**
   * Makes a call once, in any process. @throws the error of the call, or a {@link ScriptedReply} if the process dies.
   */
  async function callProcess<T>(call: (loyalty: LoyaltyService) => Promise<T>): Promise<T> {
    for (;;) {
      const process = pick([...alive]);
      if (process !== undefined) return Promise.race([call(process.loyalty), process.death]);
      await time.pass(SECOND);
    }
  }

  /** Makes a call until it is answered. @returns `null` if it is refused. */
  async function callUntilAnswered<T>(call: (loyalty: LoyaltyService) => Promise<T>): Promise<T | null> {
    for (;;) {
      try {
        return await callProcess(call);
      } catch (error) {
        if (isLoyaltyError(error) && refusals.includes(error.code)) return null;
        const isLost =
          error instanceof ScriptedReply ||
          isLoyaltyError(error, "storage_unavailable") ||
          isLoyaltyError(error, "idempotency_key_in_use");
        if (!isLost) throw error;
        await time.pass(100 + random(3 * SECOND));
      }
    }
  }

  const callOrganization = <T>(organizationId: string, call: Call<T>) =>
    callUntilAnswered((loyalty) => call(loyalty.organization(organizationId)));

  const recordPromise = (delivery: { id: string } | null | undefined, key: string | null) => {
    if (delivery !== null && delivery !== undefined) acknowledged.deliveries.push({ id: delivery.id, key });
  };

  async function addCustomer(organizationId: string): Promise<void> {
    const [email, idempotencyKey, templateId] = [
      pickAddress(),
      pickKey(),
      templates.get(organizationId) ?? "",
    ];
    const notify = random(2) === 0;
    const call: Call<Awaited<ReturnType<Organization["passes"]["create"]>>> = (organization) =>
      organization.passes.create(templateId, {
        ...{ user: { email, name: "Ada" }, idempotencyKey },
        ...(notify && { notify: true }),
      });
    const pass = await callOrganization(organizationId, call);
    if (pass === null) throw new Error("a new customer was refused");
    if (pass.notification !== undefined && "delivery" in pass.notification)
      recordPromise(pass.notification.delivery, idempotencyKey);
    const customer = createCustomer(organizationId, pass.userId, email);
    customer.passIds.push(pass.id);
    customers.push(customer);
  }

  async function importCustomers(organizationId: string): Promise<void> {
    const templateId = templates.get(organizationId) ?? "";
    const emails = Array.from({ length: 1 + random(5) }, pickAddress);
    const consents = { emailConsent: "SUBSCRIBED" as const, consentAt: new Date(time.now).toISOString() };
    const rows = emails.map((email) => ({ email, ...consents, passes: [{ templateId }] }));
    await callOrganization(organizationId, (organization) =>
      organization.passes.import(rows, { notify: true }),
    );
    for (const email of emails) {
      const user = await callOrganization(organizationId, ({ users }) => users.find({ email }));
      const passes = await callOrganization(organizationId, (organization) =>
        organization.passes.ofUser(user?.id ?? ""),
      );
      const [pass] = passes ?? [];
      if (user === null || pass === undefined) throw new Error("an imported customer is not there");
      const customer = createCustomer(organizationId, user.id, email);
      customer.passIds.push(pass.id);
      customers.push(customer);
      const page = await callOrganization(organizationId, (organization) =>
        organization.passes.deliveries(pass.id),
      );
      for (const delivery of page?.content ?? []) recordPromise(delivery, null);
    }
  }

  /** Signs up a customer on the page. If the response is lost, the customer doesn't try again. */
  async function signUp(organizationId: string, email: string): Promise<string | null> {
    try {
      const { userId } = await callProcess((loyalty) =>
        loyalty.organization(organizationId).passes.create(
          templates.get(organizationId) ?? "",
          { user: { email, name: "Eve" }, notify: true },
          {
            whenTaken: (typedEmailOf) => ({ metadata: { join: { typedEmailOf } } }),
            joining: {
              language: "de",
              consent: random(2) === 0 ? consent : null,
              mailExistingCustomer: true,
            },
          },
        ),
      );
      return userId;
    } catch (error) {
      if (error instanceof ScriptedReply || isLoyaltyError(error, "storage_unavailable")) return null;
      throw error;
    }
  }

  async function notify({ organizationId, passIds }: Customer): Promise<void> {
    const passId = pick(passIds);
    if (passId === undefined) return;
    const [idempotencyKey, templateId] = [pickKey(), templates.get(organizationId) ?? ""];
    const isEnsuring = random(4) === 0;
    for (let times = 1 + random(2); times > 0; times -= 1) {
      if (isEnsuring) {
        const userId =
          (await callOrganization(organizationId, ({ passes }) => passes.get(passId)))?.userId ?? "";
        const ensured = await callOrganization(organizationId, ({ passes }) =>
          passes.ensure(templateId, { userId, notify: true, idempotencyKey }),
        );
        const notification = ensured?.notification;
        if (notification !== undefined && "delivery" in notification)
          recordPromise(notification.delivery, idempotencyKey);
      } else {
        const delivery = await callOrganization(organizationId, ({ passes }) =>
          passes.notify(passId, { idempotencyKey }),
        );
        recordPromise(delivery, idempotencyKey);
      }
    }
  }

  async function changeAddress(customer: Customer): Promise<void> {
    const { organizationId, userId } = customer;
    const [before, email] = [customer.email, pickAddress()];
    await callOrganization(organizationId, ({ users }) => users.update(userId, { email }));
    acknowledged.silentAddresses.set(before, time.now);
    customer.email = email;
    customer.addresses.push(email);
    customer.isConfirmed = false;
  }

  async function removeCustomer(customer: Customer, isErased: boolean): Promise<void> {
    const { organizationId, userId, email } = customer;
    customer.isGone = true;
    await callOrganization(organizationId, ({ users }) =>
      isErased ? users.erase(userId) : users.delete(userId),
    );
    acknowledged.silentAddresses.set(email, time.now);
    customer.isErased = isErased;
  }

  async function revoke({ organizationId, passIds }: Customer): Promise<void> {
    const passId = passIds.pop();
    if (passId === undefined) return;
    await callOrganization(organizationId, ({ passes }) => passes.delete(passId));
    acknowledged.gonePasses.set(passId, time.now);
  }

  /** Follows a link in a mail that arrived at the customer's address. */
  async function follow(customer: Customer): Promise<void> {
    const mail = pick(
      post.sent.filter(({ to, takenAt, token }) => to === customer.email && takenAt !== null && token !== ""),
    );
    if (mail === undefined) return;
    if (random(2) === 0) {
      const isTold = await callUntilAnswered((loyalty) =>
        serviceInternals(loyalty).backends.mail.confirm(mail.token),
      );
      if (isTold) customer.isConfirmed = true;
      return;
    }
    const isTold = await callUntilAnswered((loyalty) =>
      serviceInternals(loyalty).backends.mail.suppressAddress(mail.token),
    );
    if (isTold !== true) errors.push(`a link of ${mail.id} is nobody's`);
    acknowledged.silentAddresses.set(customer.email, time.now);
    endMessages(customer);
  }

  async function unsubscribe(customer: Customer): Promise<void> {
    const { organizationId, userId } = customer;
    const { storage } = trial;
    const user = await storage.snapshot(organizationId, (reader) => reader.findUser(userId));
    const queue = await storage.snapshot(organizationId, (reader) => reader.findQueue(mailJobs));
    if (user === null || queue === null) return;
    const token = buildLinkToken(queue, "email", user);
    const isTold = await callUntilAnswered((loyalty) =>
      serviceInternals(loyalty).backends.mail.unsubscribe(token, "email"),
    );
    if (isTold !== true) errors.push("an unsubscribing link is nobody's");
    endMessages(customer);
  }

  async function bounceMail(customer: Customer): Promise<void> {
    const { organizationId, email } = customer;
    const kind = pick(["hard", "soft", "complaint"] as const) ?? "soft";
    const mail = pick(post.sent.filter(({ to }) => to === email));
    const isById = mail !== undefined && random(2) === 0;
    const isNoted = await callOrganization(organizationId, async ({ messageDeliveries }) => {
      if (isById) await messageDeliveries.bounce(mail.id, { kind });
      else await messageDeliveries.bounceAddress({ email, kind });
      return true;
    });
    if (isNoted === null || kind === "soft") return;
    acknowledged.silentAddresses.set(email, time.now);
    if (kind === "complaint") endMessages(customer);
  }

  const endMessages = (customer: Customer) => {
    customer.hasEndedMessages = true;
    acknowledged.endedMessages.set(customer.userId, time.now);
  };

  const pickFreeCustomer = (isMeant: (customer: Customer) => boolean = () => true) =>
    pick(customers.filter((each) => !each.isBusy && !each.isGone && isMeant(each)));

  /** Creates a message for all or some customers, and sends it immediately, later or never. One of them may leave. */
  async function write(organizationId: string): Promise<void> {
    const idempotencyKey = pickKey();
    const userIds = customers
      .filter((each) => each.organizationId === organizationId && !each.isGone && random(2) === 0)
      .map(({ userId }) => userId);
    const [sendAt, templateId] = [time.now + random(8 * HOUR), templates.get(organizationId) ?? ""];
    const isLater = random(3) === 0;
    const input: CreateMessage = {
      ...{ name: "News", channels: ["email"], respectsCap: random(4) > 0 },
      audience: random(3) === 0 && userIds.length > 0 ? { userIds } : { all: true },
      ...(random(2) === 0 && { templateId }),
      ...(isLater && { sendAt: new Date(sendAt).toISOString() }),
      ...(random(4) === 0 && { expiresAt: new Date(sendAt + HOUR + random(30 * HOUR)).toISOString() }),
      texts: [{ language: "en", subject: "News for {name}", text: "Hello {name}." }],
    };
    const draft = await callOrganization(organizationId, ({ messages }) =>
      messages.create({ ...input, idempotencyKey }),
    );
    if (draft === null || random(10) === 0) return;
    const sentMessage = await callOrganization(organizationId, ({ messages }) =>
      messages.send(draft.id, { idempotencyKey: `${idempotencyKey}-sent` }),
    );
    if (sentMessage === null) return;
    acknowledged.messages.add(draft.id);
    const customerToLeave =
      random(3) === 0 ? pickFreeCustomer((each) => each.organizationId === organizationId) : undefined;
    if (customerToLeave !== undefined) {
      customerToLeave.isBusy = true;
      await time.pass(random(10 * SECOND));
      await removeCustomer(customerToLeave, random(2) === 0);
    }
    if (random(4) > 0) return;
    await time.pass(random(random(2) === 0 ? 20 * SECOND : 3 * HOUR));
    const canceled = await callOrganization(organizationId, ({ messages }) =>
      messages.cancel(draft.id, { idempotencyKey: `${idempotencyKey}-canceled` }),
    );
    if (canceled !== null) acknowledged.canceledMessages.set(draft.id, time.now);
  }

  /** Starts or ends quiet hours, and changes the frequency cap. */
  async function changeSettings(organizationId: string): Promise<void> {
    const hour = random(24);
    const formatHour = (from: number) => `${String(from % 24).padStart(2, "0")}:00`;
    const quietHours =
      random(2) === 0 ? null : { from: formatHour(hour), to: formatHour(hour + 1 + random(6)) };
    const cap = random(3) === 0 ? null : { perDays: 1, messages: 1 + random(3) };
    await callOrganization(organizationId, ({ messageSettings }) =>
      messageSettings.update({ quietHours, cap }),
    );
  }

  async function importConsent({ organizationId, email }: Customer): Promise<void> {
    const consentAt = new Date(time.now).toISOString();
    const row = { email, emailConsent: "SUBSCRIBED" as const, consentAt, consentText: consent };
    await callOrganization(organizationId, ({ users }) => users.import([row]));
  }

  async function doSomething(): Promise<void> {
    const organizationId = pick(ORGANIZATIONS) ?? "";
    const luck = random(100);
    if (luck < 6) return addCustomer(organizationId);
    if (luck < 8) return importCustomers(organizationId);
    if (luck < 11) {
      await signUp(organizationId, pickAddress());
      return;
    }
    if (luck < 16) return write(organizationId);
    if (luck < 17) return changeSettings(organizationId);
    const customer = pickFreeCustomer();
    if (customer === undefined) return;
    customer.isBusy = true;
    if (luck < 62) await notify(customer);
    else if (luck < 70) await changeAddress(customer);
    else if (luck < 72) await removeCustomer(customer, random(2) === 0);
    else if (luck < 74) await revoke(customer);
    else if (luck < 81) await follow(customer);
    else if (luck < 83) await unsubscribe(customer);
    else if (luck < 87) await bounceMail(customer);
    else if (luck < 89) await importConsent(customer);
    else if (luck < 96) await signUp(customer.organizationId, customer.email);
    else pick([...alive])?.die();
    customer.isBusy = false;
  }

  const host = new LoyaltyService({ storage: world.storage, clock: time.clock });
  for (const id of ORGANIZATIONS) {
    const template = await host.organization(id).templates.create({
      ...{ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 },
    });
    templates.set(id, template.id);
  }
  const underWay = new Set<Promise<void>>();
  const begin = (work: Promise<void>) => {
    const doing = work
      .catch((error: unknown) => void errors.push(String(error)))
      .finally(() => underWay.delete(doing));
    underWay.add(doing);
  };
  for (let count = 0; count < trial.customers; count += 1)
    begin((count % 4 < 2 ? addCustomer : importCustomers)(ORGANIZATIONS[count % ORGANIZATIONS.length] ?? ""));
  await time.leapTo(time.now + MINUTE, waitUntilQuiet);
  world.isInTrouble = true;
  for (let change = 0; change < changes; change += 1) {
    begin(doSomething());
    if (random(changes) === 0) post.isDownUntil = time.now + random(60 * HOUR);
    const luck = random(20);
    const pause = luck === 0 ? random(6 * HOUR) : luck < 4 ? random(5 * MINUTE) : random(5 * SECOND);
    await time.leapTo(time.now + pause, waitUntilQuiet);
  }
  // From now on nothing fails, and everything that waits is due before it expires.
  world.isInTrouble = false;
  post.isInTrouble = false;
  post.isDownUntil = 0;
  await time.leapTo(time.now + 51 * HOUR, waitUntilQuiet);
  if (underWay.size > 0) errors.push(`${underWay.size} calls were never answered`);

  const { entries } = ledger;
  const { sent } = post;
  const scene = { storage: trial.storage, now: time.now, retentionDays: RETENTION_DAYS };
  const finalScene = { ...scene, entries, sent, customers, acknowledged, died };
  const wrong = [...(await findFaults(finalScene)), ...(await findMessageFaults(finalScene, host))];
  const closing = Promise.all([...alive].map((process) => process.close()));
  await time.leapTo(time.now + MINUTE, waitUntilQuiet);
  await closing;

  const ends: Record<string, number> = {};
  for (const { isErased, delivery } of entries.values()) {
    const { status, reason } = delivery;
    const end = isErased ? "erased" : reason === null ? status : `${status} ${reason}`;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  const acceptedMails = sent.filter(({ takenAt }) => takenAt !== null);
  return {
    ...{ mails: entries.size, attempts: sent.length, deaths: died.length, ends },
    doubles: acceptedMails.length - new Set(acceptedMails.map(({ id }) => id)).size,
    erased: customers.filter(({ isErased }) => isErased).flatMap(({ addresses }) => addresses),
    wrong: [...ledger.wrong, ...wrong, ...errors],
  };
}
