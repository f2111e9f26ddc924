import { LoyaltyService } from "loyalty-kit";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { openAcme } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { hostActor } from "../kit/host-actor.js";
import { getErrorDetail, getRefusedFields } from "../kit/refusal.js";
import { otherProgram } from "../sqlite/open-storage.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";

const codeChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

describe.each(everyAdapter)("the audit trail on $name", ({ open }) => {
  it("records each administrative act with its actor, and nothing else", async () => {
    const { loyalty, clock } = openAcme({ storage: await open() });
    const actor = { kind: "console", subject: "anna" } as const;
    const acme = loyalty.organization("acme", { actor });
    const { token, apiToken } = await acme.apiTokens.create({ name: "Till", scopes: ["pass:read"] });
    await acme.apiTokens.delete(apiToken.id);
    const redirectUri = "https://app.example/back";
    const { app, clientSecret } = await acme.apps.create({
      name: "App",
      redirectUris: [redirectUri],
      scopes: ["user:read"],
    });
    await acme.apps.rotateSecret(app.id);
    await acme.grants.allow({
      appId: app.id,
      subject: "bob",
      scopes: ["user:read"],
      redirectUri,
      codeChallenge,
    });
    const [grant] = await acme.grants.list();
    await acme.grants.delete(grant?.id ?? "");
    await acme.apps.delete(app.id);
    const { webhookEndpoint } = await acme.webhooks.create({ url: "https://hooks.example/secret/path" });
    await acme.webhooks.update(webhookEndpoint.id, { description: "Newsletter" });
    await acme.webhooks.update(webhookEndpoint.id, { description: "Newsletter" });
    await acme.webhooks.rotateSecret(webhookEndpoint.id);
    await acme.webhooks.delete(webhookEndpoint.id);
    const user = await acme.users.create({ email: "ada@example.com", name: "Ada" });
    for await (const trailExport of acme.users.export()) expect(trailExport.id).toBe(user.id);
    await acme.users.dossier(user.id);
    await acme.users.erase(user.id);
    const { content } = await acme.audit.list();
    expect(content.map(({ action, target }) => [action, target])).toEqual([
      ["api_token.created", apiToken.id],
      ["api_token.revoked", apiToken.id],
      ["app.created", app.id],
      ["app.secret_rotated", app.id],
      ["grant.created", grant?.id],
      ["grant.ended", grant?.id],
      ["app.deleted", app.id],
      ["webhook_endpoint.created", webhookEndpoint.id],
      ["webhook_endpoint.updated", webhookEndpoint.id],
      ["webhook_endpoint.secret_rotated", webhookEndpoint.id],
      ["webhook_endpoint.deleted", webhookEndpoint.id],
      ["users.exported", null],
      ["user.handed_out", user.id],
      ["user.erased", user.id],
    ]);
    expect(content[0]).toEqual({
      object: "audit_entry",
      sequence: 1,
      action: "api_token.created",
      target: apiToken.id,
      details: { name: "Till", scopes: ["pass:read"], expiresAt: null },
      actor: { ...hostActor, ...actor },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      createdAt: clock.timestamp,
    });
    expect(content[4]?.actor.subject).toBe("bob");
    const trailJson = JSON.stringify(content);
    for (const secret of [token, clientSecret, "secret/path", "ada@example.com", 'Ada"']) {
      expect(trailJson).not.toContain(secret);
    }
    const { hash = "" } = content.at(-1) ?? {};
    const head = { sequence: 14, hash };
    const expectedVerification = { object: "audit_verification", entries: 14, head, brokenAt: null };
    expect(await acme.audit.verify()).toEqual(expectedVerification);
    expect(await acme.audit.verify(head)).toEqual(expectedVerification);
  });

  it("records changes to automations, and bounces and complaints of mails without the address", async () => {
    const { acme } = openAcme({ storage: await open() });
    const tag = await acme.tags.create({ name: "VIP" });
    const { id } = await acme.automations.create({
      name: "Welcome",
      on: { event: "user.created" },
      do: [{ assignTag: tag.slug }],
    });
    await acme.automations.update(id, { isEnabled: false });
    await acme.automations.update(id, { isEnabled: false });
    await acme.automations.delete(id);
    const user = await acme.users.create({ email: "ada@example.com" });
    for (const email of ["ADA@example.com", "ada@example.com", "nobody@example.com"]) {
      for (const kind of ["soft", "hard"] as const)
        await acme.messageDeliveries.bounceAddress({ email, kind });
    }
    await acme.messageDeliveries.bounceAddress({ email: "ada@example.com", kind: "complaint" });
    const { content } = await acme.audit.list();
    expect(content.map(({ action, target, details }) => [action, target, details])).toEqual([
      ["automation.created", id, { name: "Welcome", isEnabled: true }],
      ["automation.updated", id, { name: "Welcome", isEnabled: false }],
      ["automation.deleted", id, { name: "Welcome", isEnabled: false }],
      ["address.bounced", user.id, { kind: "hard" }],
      ["address.bounced", user.id, { kind: "complaint" }],
    ]);
    expect((await acme.audit.verify()).brokenAt).toBeNull();
  });

  it("has no entry for a call that failed, and only one for calls with the same idempotency key", async () => {
    const { acme } = openAcme({ storage: await open() });
    const input = { name: "Till", scopes: ["pass:read" as const], idempotencyKey: "once" };
    await acme.apiTokens.create(input);
    await acme.apiTokens.create(input);
    await getErrorDetail(acme.apiTokens.delete("none"));
    await getErrorDetail(acme.webhooks.delete("none"));
    await getErrorDetail(acme.users.erase("nobody"));
    expect((await acme.audit.list()).content).toHaveLength(1);
  });

  it("is read in pages, and reports invalid query parameters", async () => {
    const { loyalty, acme } = openAcme({ storage: await open() });
    expect(await acme.audit.list()).toEqual({ content: [], next: "0" });
    expect(await acme.audit.verify()).toMatchObject({ entries: 0, head: null, brokenAt: null });
    for (const name of ["a", "b", "c"]) await acme.apiTokens.create({ name, scopes: ["pass:read"] });
    const first = await acme.audit.list({ limit: 2 });
    const second = await acme.audit.list({ after: first.next });
    expect([...first.content, ...second.content].map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(await acme.audit.list({ after: second.next })).toEqual({ content: [], next: "3" });
    const newest = await acme.audit.list({ newest: true, limit: 2 });
    expect(newest).toEqual({ content: [...first.content, ...second.content].slice(-2), next: "3" });
    expect((await acme.audit.list({ newest: true })).content).toHaveLength(3);
    expect(await loyalty.organization("nobody").audit.list({ newest: true })).toEqual({
      content: [],
      next: "0",
    });
    expect(await getRefusedFields(acme.audit.list({ newest: true, after: "1" }))).toEqual(["newest"]);
    expect(await getRefusedFields(acme.audit.list({ limit: 0, after: "-1" }))).toEqual(["after", "limit"]);
    expect(await getRefusedFields(acme.audit.verify({ sequence: 1 }))).toEqual(["hash"]);
    expect(await getRefusedFields(acme.audit.verify({ hash: "0".repeat(64) }))).toEqual(["sequence"]);
  });

  it("stays valid when a person named in it is erased", async () => {
    const storage = await open();
    const { loyalty, acme } = openAcme({ storage });
    const ada = await acme.users.create({ email: "ada@example.com", externalId: "employee-7" });
    const self = loyalty.organization("acme", { actor: { kind: "app", subject: "employee-7" } });
    await self.apiTokens.create({ name: "Till", scopes: ["pass:read"] });
    await self.users.erase(ada.id);
    expect((await acme.audit.list()).content.map(({ actor }) => actor.subject)).toEqual([null, null]);
    expect((await acme.audit.verify()).brokenAt).toBeNull();
    expect(JSON.stringify(await runStep(storage.reader("acme").listAudit(0, 10)))).not.toContain(
      "employee-7",
    );
    expect(JSON.stringify(await runStep(storage.reader("acme").listEvents(null, 0, 10)))).not.toContain(
      "employee-7",
    );
  });
});

describe("tampering with the trail", () => {
  /** Creates a database file with five audit entries of the subject "anna". */
  async function createFileWithTrail() {
    const file = createTemporaryFile();
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
    const acme = loyalty.organization("acme", { actor: { subject: "anna" } });
    for (const name of ["a", "b", "c", "d", "e"])
      await acme.apiTokens.create({ name, scopes: ["pass:read"] });
    const { head } = await acme.audit.verify();
    await loyalty.close();
    return { file, head: head ?? { sequence: 0, hash: "" } };
  }

  async function verifyTrail(file: string, head = {}) {
    const loyalty = new LoyaltyService({ storage: await sqliteStorage(file) });
    try {
      return (await loyalty.organization("acme").audit.verify(head)).brokenAt;
    } finally {
      await loyalty.close();
    }
  }

  it.each([
    ["a changed action", "update loyalty_audit set action = 'app.created' where sequence = 3", 3],
    ["a changed target", "update loyalty_audit set target = 'akt_other' where sequence = 2", 2],
    ["changed details", "update loyalty_audit set details = '{}' where sequence = 5", 5],
    ["a changed time", "update loyalty_audit set created_at = created_at + 1 where sequence = 1", 1],
    ["a changed actor", `update loyalty_audit set actor = '{"kind":"worker"}' where sequence = 4`, 4],
    ["a changed subject", "update loyalty_audit set subject = 'bob' where sequence = 4", 4],
    ["a changed hash", "update loyalty_audit set hash = previous_hash where sequence = 4", 4],
    ["a missing entry", "delete from loyalty_audit where sequence = 3", 4],
    ["a missing first entry", "delete from loyalty_audit where sequence = 1", 1],
  ])("is detected by %s", async (_name, statement, brokenAt) => {
    const { file } = await createFileWithTrail();
    expect(await verifyTrail(file)).toBeNull();
    const other = otherProgram(file);
    other.exec(statement);
    other.close();
    expect(await verifyTrail(file)).toBe(brokenAt);
  });

  it("is detected with an earlier head when the last entry is missing or was rewritten", async () => {
    const { file, head } = await createFileWithTrail();
    expect(await verifyTrail(file, head)).toBeNull();
    expect(await verifyTrail(file, { ...head, hash: "0".repeat(64) })).toBe(5);
    const other = otherProgram(file);
    other.exec("delete from loyalty_audit where sequence = 5");
    other.close();
    expect(await verifyTrail(file)).toBeNull();
    expect(await verifyTrail(file, head)).toBe(5);
  });
});
