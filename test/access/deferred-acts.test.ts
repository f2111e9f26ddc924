import { createHash } from "node:crypto";
import { type Organization, type StorageAdapter, scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { openSending } from "../messages/sending/sending-scene.js";
import { createPhone } from "../wallets/some-shop.js";

const HOUR = 3_600_000;
/** Lifetime of a token in milliseconds: acts with a shorter wait end before the token expires. */
const LIFETIME = 60_000;
const URL = "https://hooks.example.com/loyalty";

/** A shop in which a test can hold one transaction. */
async function openShop(storage: StorageAdapter) {
  let remainingTransactions = Number.POSITIVE_INFINITY;
  let [signalReached, go] = [() => {}, () => {}];
  let isOpen = Promise.resolve();
  const transaction = storage.transaction.bind(storage);
  storage.transaction = async (organizationId, work, options) => {
    remainingTransactions -= 1;
    if (remainingTransactions === 0) {
      signalReached();
      await isOpen;
    }
    return transaction(organizationId, work, options);
  };
  /** Begins an act of several transactions and holds the one with this number. @returns a function that releases it. */
  const stopAtTransaction = async (begin: () => Promise<unknown>, number: number) => {
    const isReached = new Promise<void>((resolve) => {
      signalReached = resolve;
    });
    isOpen = new Promise((resolve) => {
      go = resolve;
    });
    remainingTransactions = number;
    const whenDone = isDone(begin());
    // The caller may get its response earlier. Its next call must not count as the transaction that waits.
    await isReached;
    return () => {
      go();
      return whenDone;
    };
  };
  const shop = await openSending({ storage });
  const addUsers = (length: number) =>
    shop.acme.users.import(Array.from({ length }, (_, at) => ({ email: `${at}@example.com` })));
  return { ...shop, stopAtTransaction, addUsers };
}

type Shop = Awaited<ReturnType<typeof openShop>>;

/** An act that a caller begins and that continues later. */
interface Act {
  /** @returns a function that releases the act and resolves to whether it finished. */
  begin(caller: Organization, shop: Shop): Promise<() => Promise<boolean>>;
  /**
   * Whether the act finishes without the caller's rights, as docs/security.md says. `row`: it finishes as long as the row of its
   * creator grants the rights, regardless of what happens to a session.
   */
  readonly goesOn: boolean | "row";
  /** Whether the act covers too many customers to test more than the usual losses. */
  readonly isLong?: true;
}

const isDone = (promise: Promise<unknown>) =>
  promise.then(
    () => true,
    () => false,
  );

const everyoneFilter = { operator: "NOT" as const, conditions: [{ slug: "none" }] };

const buildMessage = (templateId: string) => ({
  message: {
    ...{ channels: ["email" as const], templateId },
    texts: [{ language: "en", subject: "Welcome", text: "Hello.", wallet: "Hello" }],
  },
});

const acts: Readonly<Record<string, Act>> = {
  "a scheduled message": {
    goesOn: true,
    async begin(caller, { draft, subscriber, clock, mail, sent }) {
      await subscriber("ada");
      const { id } = await draft({ sendAt: new Date(clock.now + HOUR).toISOString() });
      await caller.messages.send(id);
      return async () => {
        clock.move(HOUR);
        await mail.runOnce();
        return sent.length === 1;
      };
    },
  },
  "the email with a new card": {
    goesOn: true,
    async begin(caller, { template, mail, sent }) {
      await caller.passes.create(template.id, { user: { email: "ada@example.com" }, notify: true });
      return async () => {
        await mail.runOnce();
        return sent.length === 1;
      };
    },
  },
  "a webhook": {
    goesOn: true,
    async begin(caller, { acme, loyalty }) {
      const { webhookEndpoint } = await caller.webhooks.create({ url: URL });
      return async () => {
        await acme.users.create({ email: "ada@example.com" });
        const endpointRef = { organizationId: "acme", endpointId: webhookEndpoint.id };
        const { jobs } = await serviceInternals(loyalty).webhookQueue.claimNext(endpointRef, 10);
        return jobs.length > 0;
      };
    },
  },
  "a test of a message": {
    goesOn: true,
    async begin(caller, { acme, draft, mail, sent }) {
      const { id } = await acme.users.create({ email: "ada@example.com" });
      await caller.messages.test((await draft()).id, { userId: id });
      return async () => {
        await mail.runOnce();
        return sent.length === 1;
      };
    },
  },
  "an email that an automation has created": {
    goesOn: true,
    async begin(caller, { subscriber, loyalty, mail, sent, template }) {
      await caller.automations.create({
        name: "Welcome",
        on: { event: "user.created" },
        do: [buildMessage(template.id)],
      });
      await subscriber("ada");
      await loyalty.runAutomations();
      return async () => {
        await mail.runOnce();
        return sent.length === 1;
      };
    },
  },
  "a waiting automation run": {
    goesOn: "row",
    async begin(caller, { acme, loyalty, clock }) {
      await acme.tags.create({ name: "New" });
      await caller.automations.create({
        ...{ name: "Welcome", on: { event: "user.created" }, do: [{ assignTag: "new" }], after: 1 },
      });
      const { id } = await acme.users.create({ email: "ada@example.com" });
      await loyalty.runAutomations();
      return async () => {
        clock.move(24 * HOUR);
        await loyalty.runAutomations();
        return (await acme.tags.ofUser(id)).length === 1;
      };
    },
  },
  "a wallet update": {
    goesOn: true,
    async begin(caller, { acme, loyalty, template }) {
      const backend = serviceInternals(loyalty).createWalletBackend(0);
      backend.attachLinker(() => ({ apple: "https://shop.example/pass", google: null }));
      const { id } = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
      await acme.passes.walletLinks(id);
      await backend.devices.register("acme", createPhone(id));
      for (const { delivery } of await backend.claim("acme", "apple", 10))
        throw new Error(`${delivery.passId} has changed before`);
      await caller.stamps.add(id);
      return async () => {
        while (await backend.follow("acme"));
        return (await backend.claim("acme", "apple", 10)).length === 1;
      };
    },
  },
  "taking a tag that is deleted from its users": {
    isLong: true,
    goesOn: true,
    async begin(caller, { acme, addUsers, stopAtTransaction, loyalty }) {
      await addUsers(1_001);
      await acme.tags.create({ name: "New" });
      await acme.tags.assignUsers("new", { filter: everyoneFilter });
      const finish = await stopAtTransaction(() => caller.tags.delete("new"), 2);
      return async () => {
        await finish();
        await loyalty.refreshSegments();
        const { content } = await acme.events.list({ types: ["user_tag.deleted"] });
        return content.length === 1;
      };
    },
  },
  "an invitation": {
    goesOn: true,
    async begin(caller, { loyalty }) {
      const { link } = await caller.people.add({ email: "bob@shop.example", role: "owner" });
      return async () =>
        (await serviceInternals(loyalty).signIns.startSession(link.path.split("/").at(-1) ?? "", {
          device: "Browser",
          isLong: false,
        })) !== null;
    },
  },
  "a token that the caller has created": {
    goesOn: true,
    async begin(caller, { loyalty }) {
      const { token } = await caller.apiTokens.create({ name: "Till", scopes: ["user:read"] });
      return async () => (await loyalty.verifyApiToken(token)) !== null;
    },
  },
  "tagging thousands": {
    isLong: true,
    goesOn: false,
    async begin(caller, { acme, addUsers, stopAtTransaction }) {
      await addUsers(2_501);
      await acme.tags.create({ name: "New" });
      return stopAtTransaction(() => caller.tags.assignUsers("new", { filter: everyoneFilter }), 2);
    },
  },
  "a webhook replay": {
    isLong: true,
    goesOn: false,
    async begin(caller, { acme, clock, addUsers, stopAtTransaction }) {
      const { webhookEndpoint } = await acme.webhooks.create({ url: URL });
      const startedAt = new Date(clock.now).toISOString();
      await addUsers(501);
      clock.move(1);
      const until = new Date(clock.now).toISOString();
      return stopAtTransaction(
        () => caller.webhooks.replay(webhookEndpoint.id, { since: startedAt, until }),
        2,
      );
    },
  },
  "an automation": {
    goesOn: "row",
    async begin(caller, { acme, loyalty }) {
      await acme.tags.create({ name: "New" });
      await caller.automations.create({
        name: "Welcome",
        on: { event: "user.created" },
        do: [{ assignTag: "new" }],
      });
      return async () => {
        const { id } = await acme.users.create({ email: "ada@example.com" });
        await loyalty.runAutomations();
        return (await acme.tags.ofUser(id)).length === 1;
      };
    },
  },
  "an import": {
    goesOn: false,
    async begin(caller) {
      let resume = () => {};
      const waits = new Promise<void>((resolve) => {
        resume = resolve;
      });
      let signalBegin = () => {};
      const isBegun = new Promise<void>((resolve) => {
        signalBegin = resolve;
      });
      async function* rows() {
        yield { email: "ada@example.com" };
        signalBegin();
        await waits;
        yield { email: "bob@example.com" };
      }
      const importPromise = isDone(caller.users.import(rows()));
      await isBegun;
      return async () => {
        resume();
        return importPromise;
      };
    },
  },
  "an export": {
    goesOn: false,
    async begin(caller) {
      const archive = caller.exports.everything();
      await archive.next();
      return () =>
        isDone(
          (async () => {
            for await (const _ of archive);
          })(),
        );
    },
  },
  "a message that is being sent": {
    goesOn: true,
    async begin(caller, { draft, subscriber, messages, mail, sent }) {
      for (const name of ["ada", "bob"]) await subscriber(name);
      const { id } = await draft();
      await caller.messages.send(id);
      await messages.advance("acme");
      return async () => {
        await mail.runOnce();
        await mail.runOnce();
        return sent.length === 2;
      };
    },
  },
  "a message on cards": {
    goesOn: true,
    async begin(caller, { acme, loyalty, clock, draft, template, advance }) {
      const backend = serviceInternals(loyalty).createWalletBackend(0);
      backend.attachLinker(() => ({ apple: "https://shop.example/pass", google: null }));
      const { id } = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
      await acme.passes.walletLinks(id);
      await backend.devices.register("acme", createPhone(id));
      await acme.messageSettings.update({ walletByDefault: true });
      const message = await draft({
        channels: ["wallet"],
        sendAt: new Date(clock.now + HOUR).toISOString(),
      });
      await caller.messages.send(message.id);
      return async () => {
        clock.move(HOUR);
        await advance();
        return (await backend.claim("acme", "apple", 10)).length === 1;
      };
    },
  },
  "merging a tag that many users have": {
    isLong: true,
    goesOn: true,
    async begin(caller, { acme, addUsers, loyalty }) {
      await addUsers(250);
      for (const name of ["Old", "New"]) await acme.tags.create({ name });
      await acme.tags.assignUsers("old", { filter: everyoneFilter });
      await caller.tags.merge("old", { into: "new" });
      return async () => {
        await loyalty.refreshSegments();
        const { content } = await acme.events.list({ types: ["user_tag.deleted"] });
        return content.length === 1;
      };
    },
  },
  "an import of cards": {
    isLong: true,
    goesOn: false,
    async begin(caller, { template, stopAtTransaction }) {
      const passes = [{ templateId: template.id, stamps: 1 }];
      const rows = Array.from({ length: 501 }, (_, at) => ({ email: `${at}@example.com`, passes }));
      return stopAtTransaction(() => caller.passes.import(rows), 2);
    },
  },
  "erasing a customer whose events have been found": {
    goesOn: false,
    async begin(caller, { acme, stopAtTransaction }) {
      const { id } = await acme.users.create({ email: "ada@example.com" });
      return stopAtTransaction(() => caller.users.erase(id), 1);
    },
  },
  "reading a dossier": {
    goesOn: false,
    async begin(caller, { acme, stopAtTransaction }) {
      const { id } = await acme.users.create({ email: "ada@example.com" });
      return stopAtTransaction(() => caller.users.dossier(id), 1);
    },
  },
  "an export of customers and their tags": {
    goesOn: false,
    async begin(caller, { addUsers }) {
      await addUsers(501);
      const list = caller.users.export();
      await list.next();
      return () =>
        isDone(
          (async () => {
            while (!(await list.next()).done);
          })(),
        );
    },
  },
  "an automation that sends email": {
    goesOn: "row",
    async begin(caller, { subscriber, loyalty, mail, sent, template }) {
      await caller.automations.create({
        ...{ name: "Welcome", on: { event: "user.created" } },
        do: [buildMessage(template.id)],
      });
      return async () => {
        await subscriber("ada");
        await loyalty.runAutomations();
        await mail.runOnce();
        return sent.length === 1;
      };
    },
  },
  "an automation triggered by entering a segment": {
    goesOn: "row",
    async begin(caller, { acme, loyalty }) {
      for (const name of ["New", "VIP"]) await acme.tags.create({ name });
      const filter = { operator: "AND" as const, conditions: [{ slug: "vip" }] };
      await acme.segments.create({ name: "Best", filter, emitsEvents: true });
      await caller.automations.create({
        ...{ name: "Best", on: { segmentEntered: "best" }, do: [{ assignTag: "new" }] },
      });
      return async () => {
        const { id } = await acme.users.create({ email: "ada@example.com" });
        await acme.tags.assign(id, "vip");
        await loyalty.refreshSegments();
        await loyalty.runAutomations();
        return (await acme.tags.ofUser(id)).length === 2;
      };
    },
  },
  "an automation triggered by a date": {
    goesOn: "row",
    async begin(caller, { acme, loyalty, clock }) {
      await acme.tags.create({ name: "New" });
      const birthday = new Date(clock.now + 48 * HOUR).toISOString().slice(0, 10);
      const { id } = await acme.users.create({ email: "ada@example.com", metadata: { birthday } });
      await caller.automations.create({
        ...{ name: "Birthday", do: [{ assignTag: "new" }] },
        on: { date: { metadata: ["birthday"], daysBefore: 0, at: "09:00" } },
      });
      await loyalty.runAutomations();
      return async () => {
        for (let day = 0; day < 4; day += 1) {
          clock.move(24 * HOUR);
          await loyalty.runAutomations();
        }
        return (await acme.tags.ofUser(id)).length === 1;
      };
    },
  },
  "an automation that another caller has renamed": {
    goesOn: "row",
    async begin(caller, { acme, loyalty }) {
      await acme.tags.create({ name: "New" });
      const { id: automationId } = await caller.automations.create({
        ...{ name: "Welcome", on: { event: "user.created" }, do: [{ assignTag: "new" }] },
      });
      return async () => {
        await acme.automations.update(automationId, { name: "Hello" });
        const { id } = await acme.users.create({ email: "ada@example.com" });
        await loyalty.runAutomations();
        return (await acme.tags.ofUser(id)).length === 1;
      };
    },
  },
};

const usualLosses = ["kept", "removed", "demoted", "revoked"] as const;
const losses = [...usualLosses, "signed out", "expired", "grant ended", "app removed"] as const;

type Loss = (typeof losses)[number];

/** Creates a caller and the way in which it loses its rights. */
async function createCaller(loss: Loss, { acme, loyalty, clock }: Shop) {
  const { people, apiTokens, apps, grants } = acme;
  switch (loss) {
    case "revoked":
    case "expired": {
      const expiresAt = new Date(clock.now + LIFETIME).toISOString();
      const { apiToken } = await apiTokens.create({ name: "Office", scopes: [...scopes], expiresAt });
      return {
        by: loyalty.organization("acme", { scopes, actor: { kind: "token", id: apiToken.id } }),
        loseRights: async () =>
          loss === "expired" ? void clock.move(LIFETIME) : void (await apiTokens.delete(apiToken.id)),
      };
    }
    case "grant ended":
    case "app removed": {
      const redirectUri = "https://app.example/callback";
      const { app } = await apps.create({ name: "Till", redirectUris: [redirectUri], scopes: [...scopes] });
      const codeVerifier = "a-verifier-that-has-at-least-43-characters-of-those";
      const codeChallenge = createHash("sha256").update(codeVerifier).digest("base64url");
      const grantInput = { appId: app.id, subject: "grace", scopes: [...scopes], redirectUri, codeChallenge };
      const code = await grants.allow(grantInput);
      await serviceInternals(loyalty).appTokens.redeem(app, { code, redirectUri, codeVerifier });
      const session = (await grants.list())[0]?.id ?? "";
      return {
        by: loyalty.organization("acme", { scopes, actor: { kind: "app", id: app.id }, session }),
        loseRights: () => (loss === "grant ended" ? grants.delete(session) : apps.delete(app.id)),
      };
    }
    default: {
      const { person, link } = await people.add({ email: "olga@shop.example", role: "owner" });
      const { signIns } = serviceInternals(loyalty);
      const signInSession = await signIns.startSession(link.path.split("/").at(-1) ?? "", {
        device: "Browser",
        isLong: true,
      });
      const session = (signInSession && (await signIns.findSignedInPerson(signInSession.token)))?.sessionId;
      if (session === undefined) throw new Error("nobody is signed in");
      return {
        by: loyalty.organization("acme", { scopes, actor: { kind: "console", id: person.id }, session }),
        async loseRights() {
          if (loss === "removed") await people.delete(person.id);
          if (loss === "demoted") await people.update(person.id, { role: "till" });
          if (loss === "signed out") await people.endSessions(person.id);
        },
      };
    }
  }
}

/** On Postgres the held slice has locked the organization, so the caller can't be removed before the slice ends. */
const lockedOnPostgres = "taking a tag that is deleted from its users";

const listActs = (adapter: string) =>
  Object.keys(acts).filter((name) => adapter !== "postgres" || name !== lockedOnPostgres);

describe.each(everyAdapter)("an act that a caller has begun, on $name", ({ name: adapter, open }) => {
  it.each(listActs(adapter))("continues or ends with the caller's rights as documented: %s", async (name) => {
    const act = acts[name];
    if (act === undefined) throw new Error(`nothing is known of ${name}`);
    for (const loss of act.isLong ? usualLosses : losses) {
      const shop = await openShop(await open());
      const { by: caller, loseRights } = await createCaller(loss, shop);
      const finish = await act.begin(caller, shop);
      await loseRights();
      const goesOn = act.goesOn === "row" ? loss === "signed out" : act.goesOn;
      expect([loss, await finish()]).toEqual([loss, loss === "kept" || goesOn]);
    }
  });
});
