import { LoyaltyService, SecretKeyError, type StorageAdapter } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { tables } from "../../adapters/storage/kysely/sql/tables.js";
import { SuiteOrganization } from "../../adapters/testing/storage-suite/kit/organization.js";
import { runStep } from "../../src/base/concurrency/step.js";
import { SecretKeys } from "../../src/base/secrets/secret-keys.js";
import { serviceInternals } from "../../src/internals.js";
import { RowSecrets } from "../../src/kernel/row-secrets.js";
import { mailQueueRecord } from "../../src/storage/mail.js";
import type { Column, Columns } from "../../src/storage/record.js";
import { walletCardRecord } from "../../src/storage/wallets.js";
import { webhookEndpointRecord } from "../../src/storage/webhooks.js";
import { everyAdapter } from "../kit/every-adapter.js";

const [first, second, third] = ["first", "second", "third"].map((name) => name.padEnd(32, "*"));
const URL_OF_ENDPOINT = "https://receiver.example/";

/** Opens a service with the wallets that passes need for links. */
function openService(storage: StorageAdapter, secretKeys: readonly (string | undefined)[] = []) {
  const keys = secretKeys.filter((key) => key !== undefined);
  const loyalty = new LoyaltyService({ storage, secretKeys: keys });
  const backend = serviceInternals(loyalty).createWalletBackend(0);
  backend.attachLinker(({ linkToken }) => ({ apple: `https://a.example/${linkToken}`, google: null }));
  return { loyalty, backend, acme: loyalty.organization("acme") };
}

async function createSecrets({ acme }: ReturnType<typeof openService>) {
  const { secret, webhookEndpoint } = await acme.webhooks.create({ url: URL_OF_ENDPOINT });
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  const pass = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
  const { apple } = await acme.passes.walletLinks(pass.id);
  return { secret, endpointId: webhookEndpoint.id, passId: pass.id, linkToken: String(apple).slice(18) };
}

/** Lists all secrets as they are stored. */
async function listStoredSecrets(storage: StorageAdapter) {
  const endpoints = await runStep(storage.all.webhookEndpointsAfter(null, 10));
  const cards = await runStep(storage.all.walletCardsAfter("", 10));
  return [
    ...endpoints.flatMap(({ endpoint }) => listSecrets(webhookEndpointRecord, endpoint)),
    ...cards.flatMap(({ card }) => listSecrets(walletCardRecord, card)),
  ];
}

/** Lists the secrets of a row: the columns that its record marks as sealed. */
function listSecrets({ columns }: { readonly columns: Columns }, row: object): string[] {
  return Object.entries(row).flatMap(([name, value]) =>
    (columns[name]?.traits.secretName ?? null) !== null && value !== null ? [String(value)] : [],
  );
}

it("secrets are only in the records of webhook endpoints, wallet cards and mail queues", () => {
  const sealed = Object.values(tables).filter(({ record: { columns } }) =>
    Object.values<Column>(columns).some(({ traits }) => traits.secretName !== null),
  );
  expect(sealed.map(({ record }) => record.name)).toEqual([
    webhookEndpointRecord.name,
    walletCardRecord.name,
    mailQueueRecord.name,
  ]);
});

describe.each(everyAdapter)("secrets at rest on $name", ({ open }) => {
  it("are sealed with a key, and work as if they weren't", async () => {
    const storage = await open();
    const service = openService(storage, [first]);
    const { loyalty, backend, acme } = service;
    const { secret, endpointId, passId, linkToken } = await createSecrets(service);
    const rotated = await acme.webhooks.rotateSecret(endpointId);
    const secrets = await listStoredSecrets(storage);
    expect(secrets).toHaveLength(4);
    for (const text of secrets) expect(text).toMatch(/^sealed\./);
    expect(String(secrets)).not.toContain("whsec_");

    await acme.users.create({ email: "eve@example.com" });
    const place = { organizationId: "acme", endpointId };
    const { jobs } = await serviceInternals(loyalty).webhookQueue.claimNext(place, 10);
    expect(jobs.at(-1)?.secrets).toEqual([rotated.secret, secret]);
    expect(await backend.open(passId, "linkToken", linkToken)).toMatchObject({ organizationId: "acme" });
    const token = (await backend.card(passId))?.card.authenticationToken ?? "";
    expect(await backend.findOwner(passId, token)).toBe("acme");
    expect(await backend.open(passId, "linkToken", secrets[3] ?? "")).toBeNull();
    expect((await acme.passes.walletLinks(passId)).apple).toContain(linkToken);
    const { apple } = await acme.passes.revokeWalletLinks(passId);
    expect(await backend.open(passId, "linkToken", linkToken)).toBeNull();
    expect(await backend.open(passId, "linkToken", String(apple).slice(18))).not.toBeNull();
    expect(String(await listStoredSecrets(storage))).not.toContain(String(apple).slice(18));
    await loyalty.close();
  });

  it("can move to another key while they are in use, also from no key", async () => {
    const storage = await open();
    const { secret, endpointId, passId, linkToken } = await createSecrets(openService(storage));
    expect(await listStoredSecrets(storage)).toContain(secret);
    const renewal = { webhookEndpoints: 1, walletCards: 1, mailQueues: 0 };
    expect(await openService(storage, [first]).loyalty.secrets.reseal()).toEqual(renewal);
    const byFirst = await listStoredSecrets(storage);
    expect(byFirst).not.toContain(secret);

    const both = openService(storage, [second, first]);
    await both.loyalty.secrets.check();
    expect(await both.loyalty.secrets.reseal()).toEqual(renewal);
    expect(await both.loyalty.secrets.reseal()).toEqual({
      webhookEndpoints: 0,
      walletCards: 0,
      mailQueues: 0,
    });

    const { loyalty, backend, acme } = openService(storage, [second]);
    await loyalty.secrets.check();
    await acme.users.create({ email: "eve@example.com" });
    const { jobs } = await serviceInternals(loyalty).webhookQueue.claimNext(
      { organizationId: "acme", endpointId },
      10,
    );
    expect(jobs[0]?.secrets).toEqual([secret]);
    expect(await backend.open(passId, "linkToken", linkToken)).not.toBeNull();
    await loyalty.close();
  });

  it("include the keys that sign links in mails, which are resealed with another key too", async () => {
    const storage = await open();
    const organizations = ["acme", "globex"].map((id) => new SuiteOrganization(storage, id));
    for (const organization of organizations) await organization.mailQueue({ linkKey: "key of links" });
    const listLinkKeys = async () =>
      (await runStep(storage.all.mailQueuesAfter("", 10))).map(({ queue }) => queue.linkKey);
    const renewed = { webhookEndpoints: 0, walletCards: 0, mailQueues: 2 };
    expect(await openService(storage, [first]).loyalty.secrets.reseal()).toEqual(renewed);
    const byFirst = await listLinkKeys();
    for (const key of byFirst) expect(key).toMatch(/^sealed\./);
    await expect(openService(storage, [second]).loyalty.secrets.check()).rejects.toThrow(SecretKeyError);
    await expect(openService(storage, [second]).loyalty.secrets.reseal()).rejects.toThrow(SecretKeyError);

    const { loyalty } = openService(storage, [second, first]);
    expect(await loyalty.secrets.reseal()).toEqual(renewed);
    expect(await loyalty.secrets.reseal()).toEqual({ ...renewed, mailQueues: 0 });
    const secrets = new RowSecrets([String(second)]);
    for (const { organizationId, queue } of await runStep(storage.all.mailQueuesAfter("", 10))) {
      expect(secrets.open(mailQueueRecord, organizationId, queue).linkKey).toBe("key of links");
      expect(() => secrets.open(mailQueueRecord, "initech", queue)).toThrow(SecretKeyError);
    }
    await loyalty.close();
  });

  it("can't be used without the key that they need, and the error says so", async () => {
    const storage = await open();
    const { endpointId, passId } = await createSecrets(openService(storage, [first]));
    for (const keys of [[], [third]]) {
      const { loyalty, backend, acme } = openService(storage, keys);
      await acme.users.create({ email: `${keys.length}@example.com` });
      const place = { organizationId: "acme", endpointId };
      for (const use of [
        () => loyalty.secrets.check(),
        () => loyalty.secrets.reseal(),
        () => serviceInternals(loyalty).webhookQueue.claimNext(place, 10),
        () => acme.webhooks.rotateSecret(endpointId),
        () => acme.passes.walletLinks(passId),
        () => backend.card(passId),
      ]) {
        const rejection = use();
        await expect(rejection).rejects.toThrow(SecretKeyError);
        await expect(rejection).rejects.toThrow(/sealed with another key .* LOYALTY_SECRET_KEYS/s);
      }
      // Calls that need no secret still work.
      expect(await acme.webhooks.list()).toHaveLength(1);
      expect((await acme.passes.get(passId)).id).toBe(passId);
    }
    await storage.close();
  });
});

describe("secret keys", () => {
  const place = ["webhook secret", "acme", "whe_1"] as const;

  it("have at least 32 bytes", () => {
    const storage = { transaction() {} } as unknown as StorageAdapter;
    expect(() => new LoyaltyService({ storage, secretKeys: ["short"] })).toThrow(RangeError);
  });

  it("open a sealed secret only in its own place, and unchanged", () => {
    const keys = new SecretKeys([String(first)]);
    const sealed = keys.seal(place, "whsec_abc");
    expect(keys.seal(place, "whsec_abc")).not.toBe(sealed);
    expect(keys.open(place, sealed)).toBe("whsec_abc");
    for (const other of [
      ["wallet link", "acme", "whe_1"],
      ["webhook secret", "globex", "whe_1"],
      ["webhook secret", "acme", "whe_2"],
    ] as const) {
      expect(() => keys.open(other, sealed)).toThrow(/has been altered since it was sealed/);
    }
    const alteredSecret = sealed.slice(0, -2) + (sealed.endsWith("AA") ? "BB" : "AA");
    expect(() => keys.open(place, alteredSecret)).toThrow(SecretKeyError);
    expect(() => keys.open(place, `${sealed.slice(0, 25)}AAAA`)).toThrow(SecretKeyError);
  });
});
