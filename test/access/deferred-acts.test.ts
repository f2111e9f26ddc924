import { type Organization, scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { openSending } from "../messages/sending/sending-scene.js";

const HOUR = 3_600_000;
const URL = "https://hooks.example.com/loyalty";

type Shop = Awaited<ReturnType<typeof openSending>>;

/** What a caller begins, and what becomes of it later. */
interface Act {
  /** @returns a function that lets the act go on, and whether it then did. */
  begin(by: Organization, shop: Shop): Promise<() => Promise<boolean>>;
  /** Whether the act goes on without the caller's rights, as docs/security.md says. */
  readonly goesOn: boolean;
}

const isDone = (promise: Promise<unknown>) =>
  promise.then(
    () => true,
    () => false,
  );

const acts: Readonly<Record<string, Act>> = {
  "a scheduled message": {
    goesOn: true,
    async begin(by, { draft, subscriber, clock, mail, sent }) {
      await subscriber("ada");
      const { id } = await draft({ sendAt: new Date(clock.now + HOUR).toISOString() });
      await by.messages.send(id);
      return async () => {
        clock.move(HOUR);
        await mail.runOnce();
        return sent.length === 1;
      };
    },
  },
  "a mail of a card": {
    goesOn: true,
    async begin(by, { template, mail, sent }) {
      await by.passes.create(template.id, { user: { email: "ada@example.com" }, notify: true });
      return async () => {
        await mail.runOnce();
        return sent.length === 1;
      };
    },
  },
  "a webhook": {
    goesOn: true,
    async begin(by, { acme, loyalty }) {
      const { webhookEndpoint } = await by.webhooks.create({ url: URL });
      return async () => {
        await acme.users.create({ email: "ada@example.com" });
        const place = { organizationId: "acme", endpointId: webhookEndpoint.id };
        const { jobs } = await loyalty.webhookQueue.claimNext(place, 10);
        return jobs.length > 0;
      };
    },
  },
  "an automation": {
    goesOn: false,
    async begin(by, { acme, loyalty }) {
      await acme.tags.create({ name: "New" });
      await by.automations.create({
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
    async begin(by) {
      let go = () => {};
      const waits = new Promise<void>((resolve) => {
        go = resolve;
      });
      let begun = () => {};
      const isBegun = new Promise<void>((resolve) => {
        begun = resolve;
      });
      async function* rows() {
        yield { email: "ada@example.com" };
        begun();
        await waits;
        yield { email: "bob@example.com" };
      }
      const imported = isDone(by.users.import(rows()));
      await isBegun;
      return async () => {
        go();
        return imported;
      };
    },
  },
  "an export": {
    goesOn: false,
    async begin(by) {
      const archive = by.exports.everything();
      await archive.next();
      return () =>
        isDone(
          (async () => {
            for await (const _ of archive);
          })(),
        );
    },
  },
};

const losses = ["kept", "removed", "demoted", "revoked"] as const;

describe.each(everyAdapter)("what a caller has begun, on $name", ({ open }) => {
  it.each(Object.keys(acts))(
    "goes on or ends with the caller's rights as the documents say: %s",
    async (name) => {
      const act = acts[name];
      if (act === undefined) throw new Error(`nothing is known of ${name}`);
      for (const loss of losses) {
        const shop = await openSending({ storage: await open() });
        const { acme, loyalty } = shop;
        const { person } = await acme.people.add({ email: "olga@shop.example", role: "owner" });
        const { apiToken } = await acme.apiTokens.create({ name: "Office", scopes: [...scopes] });
        const id = loss === "revoked" ? apiToken.id : person.id;
        const kind = loss === "revoked" ? "token" : "console";
        const finish = await act.begin(loyalty.organization("acme", { scopes, actor: { kind, id } }), shop);
        if (loss === "removed") await acme.people.delete(id);
        if (loss === "demoted") await acme.people.update(id, { role: "till" });
        if (loss === "revoked") await acme.apiTokens.delete(id);
        expect([loss, await finish()]).toEqual([loss, loss === "kept" || act.goesOn]);
      }
    },
  );
});
