import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFakeMail, type FakeMail, type FakeMailOptions, smtpFaults } from "loyalty-kit/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { emptyFolder, serve } from "./command.js";
import { newDatabase } from "./new-database.js";
import { ran } from "./ran.js";

const folder = emptyFolder();
const fileOf = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const password = "s3cret/pass@word";
const passwordFile = fileOf("password.txt", `${password}\n`);
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const dkimKey = fileOf("dkim.pem", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
const publicUrl = "http://127.0.0.1:9";

/** A mail server that goes with the test. */
async function fakeMail(options: FakeMailOptions = {}): Promise<FakeMail> {
  const server = await createFakeMail(options);
  onTestFinished(() => server.close());
  return server;
}

/** The URL of a mail server without the password. */
const withoutPassword = ({ url }: FakeMail) => url.replace(/:[^:@]*@/, "@");

type Flags = Readonly<Record<string, string>>;

const argsOf = (flags: Flags) => Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
const check = (flags: Flags) => ran(["mail", "check", ...argsOf(flags)]);

const good = {
  "public-url": "https://shop.example",
  "mail-from": "Café <cards@shop.example>",
  "mail-dkim-key": dkimKey,
  "mail-dkim-selector": "loyalty2026",
};

describe("loyalty-kit mail check", () => {
  it("says that all is well, and sends a mail only where one is asked for", async () => {
    const server = await fakeMail({ user: { name: "cafe", password } });
    const flags = { ...good, "smtp-url": withoutPassword(server), "smtp-password-file": passwordFile };
    expect(await check(flags)).toEqual({ code: 0, stdout: "no problems found\n", stderr: "" });
    expect(server.mails).toEqual([]);
    const sent = await check({ ...flags, to: "ada@example.com" });
    expect(sent).toMatchObject({ code: 0, stderr: "" });
    expect(sent.stdout).toMatch(
      /^no problems found\nthe mail server accepted the test email to ada@example\.com: 250 /,
    );
    const [mail] = server.mailbox("ada@example.com");
    expect(mail).toMatchObject({ from: { name: "Café", address: "cards@shop.example" }, user: "cafe" });
    expect(mail?.raw.toString()).toContain("DKIM-Signature: v=1; a=rsa-sha256; ");
  });

  it("says what is wrong in words, fails, and tells no password", async () => {
    const server = await fakeMail({ user: { name: "cafe", password: "another" } });
    const { "mail-dkim-key": _, "mail-dkim-selector": __, ...unsigned } = good;
    const flags = { ...unsigned, "smtp-url": withoutPassword(server), "smtp-password-file": passwordFile };
    const answer = await check({ ...flags, to: "ada@example.com" });
    expect(answer.code).toBe(1);
    expect(answer.stdout).toMatch(/^warning: emails aren't signed with DKIM here/);
    expect(answer.stdout).toMatch(/^error: the mail server localhost:\d+ rejected the user and password/m);
    expect(answer.stderr).toBe("loyalty-kit: found 1 error\n");
    expect(answer.stdout + answer.stderr).not.toContain("s3cret");
    expect(server.mails).toEqual([]);
  });

  it("says that the mail was refused, and by what", async () => {
    const server = await fakeMail();
    server.fail("gone@example.com", smtpFaults.noSuchMailbox);
    const answer = await check({ ...good, "smtp-url": server.url, to: "gone@example.com" });
    expect(answer).toMatchObject({ code: 1, stdout: "no problems found\n" });
    expect(answer.stderr).toContain("the email was rejected because of its address (550)");
    expect(answer.stderr).toContain("5.1.1 no such user here");
  });

  it.each<[string, Flags, string]>([
    ["nothing", {}, "no mail server is configured"],
    ["a public URL alone", { "public-url": "https://shop.example" }, "no mail server is configured"],
    ["no sender", { "smtp-url": "smtp://127.0.0.1:9" }, "sending email also requires --mail-from"],
    [
      "no public URL",
      { "smtp-url": "smtp://127.0.0.1:9", "mail-from": "a@shop.example" },
      "sending email also requires --public-url",
    ],
    [
      "a key without a selector",
      { ...good, "smtp-url": "smtp://127.0.0.1:9", "mail-dkim-selector": "" },
      "the DKIM selector must be a name",
    ],
    [
      "a sender that is none",
      { ...good, "smtp-url": "smtp://127.0.0.1:9", "mail-from": "Café" },
      "must be an address",
    ],
    [
      "an address that is none",
      { ...good, "smtp-url": "smtp://127.0.0.1:9", to: "ada" },
      "--to must be an address",
    ],
    [
      "another scheme",
      { ...good, "smtp-url": "http://shop.example" },
      "the SMTP URL must start with smtps:// or smtp://",
    ],
    [
      "a missing file of the password",
      { ...good, "smtp-url": "smtp://u@127.0.0.1:9", "smtp-password-file": "none" },
      "the mail server password file can't be read: it doesn't exist",
    ],
    [
      "no rate",
      { ...good, "smtp-url": "smtp://127.0.0.1:9", "mail-rate": "off" },
      "Use the form <emails>/<seconds>, such as 10/1.",
    ],
  ])("takes %s for wrong usage", async (_, flags, message) => {
    const answer = await check(flags);
    expect(answer.code).toBe(2);
    expect(answer.stderr).toContain(message);
  });

  it("tells no password of a URL that is none", async () => {
    for (const url of [
      "cafe:s3cret@mail.example",
      "smtp://cafe:s3c ret@mail.example/x",
      "smtp:cafe:s3cret@x",
    ]) {
      const { code, stdout, stderr } = await check({ ...good, "smtp-url": url });
      expect(code, url).toBeGreaterThan(0);
      expect(stdout + stderr, url).not.toMatch(/s3c|ret@/);
    }
  });
});

/** A server that mails, with the pages of its customers and a token of its organization. */
async function served(flags: Flags, ...more: readonly string[]) {
  const database = await newDatabase();
  const make = ["token", "create", "--database", database, "--organization", "acme", "--name", "till"];
  const { stdout: token } = await ran([...make, "--scopes", "all"]);
  const server = await serve(["--database", database, "--public-url", publicUrl, ...argsOf(flags), ...more]);
  const { url } = server;
  const answered = async (path: string, body?: object, method = body === undefined ? "GET" : "POST") => {
    const headers = { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${url}${path}`, init);
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? null : JSON.parse(text) };
  };
  const template = (await answered("/v1/templates", { name: "Coffee", type: "STAMP_CARD", maxStamps: 5 }))
    .body;
  const send = (path: string, fields: Flags) =>
    fetch(`${url}${path}`, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
  return { ...server, database, answered, template, send };
}

describe("loyalty-kit serve with a mail server", () => {
  it("mails who joins the card, whose page confirms the address, and lets them out of all mails", async () => {
    const server = await fakeMail({ user: { name: "cafe", password } });
    const flags = { ...good, "smtp-url": withoutPassword(server), "smtp-password-file": passwordFile };
    const { "public-url": _, ...mail } = flags;
    const { url, template, answered, send, process, ended } = await served(mail);
    const joined = await send(`/join/${template.id}`, {
      ...{ name: "Ada", email: "ada@example.com", consent: "yes", news: "on" },
    });
    expect(joined.status).toBe(303);
    await server.received(1);
    const [first] = server.mails;
    expect(first).toMatchObject({ envelope: { to: "ada@example.com" }, from: { name: "Café" } });
    expect(first?.links.length).toBe(1);
    const link = (first?.links[0] ?? "").replace(publicUrl, "");
    expect(link).toMatch(/^\/c\/\w+\?m=[\w-]+$/);

    const users = await answered("/v1/contacts?search=ada@");
    const { id } = users.body.content[0];
    const subscription = async () => (await answered(`/v1/users/${id}/subscription`)).body;
    expect(await subscription()).toMatchObject({ email: { status: "PENDING" }, emailConfirmedAt: null });
    // As a gateway looks through the mail.
    await fetch(`${url}${link}`, { method: "HEAD" });
    const page = await (await fetch(`${url}${link}`)).text();
    expect(page).toContain("0 of 5 stamps");
    expect(await subscription()).toMatchObject({ email: { status: "PENDING" }, emailConfirmedAt: null });

    const [, action = ""] = /action="(\/m\/c\/[^"]+)"/.exec(page) ?? [];
    expect((await send(action, { answer: "confirm" })).status).toBe(200);
    expect(await subscription()).toMatchObject({
      email: { status: "SUBSCRIBED", source: "join" },
      emailConfirmedAt: expect.any(String),
    });
    const passId = (await answered(`/v1/users/${id}/passes`)).body[0].id;
    const deliveries = await answered(`/v1/walletpasses/${passId}/deliveries`);
    expect(deliveries.body.content).toMatchObject([{ kind: "pass", status: "ACCEPTED", channel: "email" }]);

    expect((await send(action, { answer: "refuse" })).status).toBe(200);
    expect(await subscription()).toMatchObject({ suppressed: { reason: "complained" } });
    const refused = await answered(`/v1/walletpasses/${passId}/notify`, {});
    expect(refused).toMatchObject({ status: 409, body: { code: "address_suppressed" } });
    process.kill("SIGTERM");
    const { code, stdout, stderr } = await ended;
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain("s3cret");
    expect(stderr).toContain("emails are sent through localhost:");
    expect(server.mails.length).toBe(1);
  });

  it("says in its log why mails wait, without the password, and sends them when the server is back", async () => {
    const server = await fakeMail({ user: { name: "cafe", password } });
    server.script(smtpFaults.signInRefused, smtpFaults.signInRefused);
    const { "public-url": _, ...mail } = { ...good, "smtp-url": server.url };
    const { answered, template, process, ended } = await served(mail);
    const made = await answered(`/v1/templates/${template.id}/walletpasses`, {
      ...{ user: { email: "ada@example.com" }, notify: true },
    });
    expect(made).toMatchObject({ status: 201, body: { notification: { delivery: { status: "PENDING" } } } });
    await server.received(1);
    const { id } = Object(made.body);
    const sent = async () => (await answered(`/v1/walletpasses/${id}/deliveries`)).body.content[0].status;
    await expect.poll(sent).toBe("ACCEPTED");
    process.kill("SIGTERM");
    const { stdout, stderr } = await ended;
    expect(stderr).toContain("loyalty-kit: mail: error: ");
    expect(stderr.match(/^loyalty-kit: mail: the mail server is accepting emails again$/gm)).toHaveLength(1);
    expect(stdout + stderr).not.toMatch(/s3cret|pass%40word/);
  });

  it("leaves sending to another process with --no-mail", async () => {
    const server = await fakeMail();
    const { "public-url": _, ...mail } = good;
    const queueing = await served(mail, "--no-mail");
    const body = { user: { email: "ada@example.com" }, notify: true };
    const made = await queueing.answered(`/v1/templates/${queueing.template.id}/walletpasses`, body);
    expect(made.body.notification.delivery).toMatchObject({ status: "PENDING" });
    await serve(["--database", queueing.database, ...argsOf({ ...good, "smtp-url": server.url })]);
    await server.received(1);
    queueing.process.kill("SIGTERM");
    expect((await queueing.ended).stderr).toContain("emails are queued for another process to send");
  });

  it.each([
    ["no mail server", []],
    ["--no-mail alone", ["--no-mail"]],
  ])("refuses calls that mail with %s, and mails none who join", async (_, options) => {
    const { template, answered, send } = await served({}, ...options);
    const pass = await answered(`/v1/templates/${template.id}/walletpasses`, {
      user: { email: "ada@example.com" },
    });
    const refused = await answered(`/v1/walletpasses/${pass.body.id}/notify`, {});
    expect(refused).toMatchObject({ status: 409, body: { code: "mail_not_configured" } });
    const joined = await send(`/join/${template.id}`, {
      name: "Bob",
      email: "bob@example.com",
      consent: "yes",
    });
    expect(joined.status).toBe(303);
  });

  it.each<[string, readonly string[], string]>([
    ["no sender", ["--smtp-url", "smtp://127.0.0.1:9"], "sending email also requires --mail-from"],
    [
      "no public URL",
      ["--smtp-url", "smtp://127.0.0.1:9", "--mail-from", "a@shop.example"],
      "sending email also requires --public-url",
    ],
    [
      "a sender alone",
      ["--mail-from", "a@shop.example"],
      "--mail-from also requires --smtp-url or --no-mail",
    ],
    [
      "http on the network",
      [
        ...["--smtp-url", "smtp://127.0.0.1:9", "--mail-from", "a@shop.example"],
        ...["--public-url", "http://shop.example"],
      ],
      "the public URL must be https",
    ],
    [
      "half of DKIM",
      [
        ...["--smtp-url", "smtp://127.0.0.1:9", "--mail-from", "a@shop.example"],
        ...["--public-url", "https://shop.example", "--mail-dkim-key", dkimKey],
      ],
      "--mail-dkim-key also requires --mail-dkim-selector",
    ],
  ])("does not start with %s, and says so in a line", async (_, options, message) => {
    const { code, stderr } = await ran([
      "serve",
      "--database",
      join(folder, "none.db"),
      "--port",
      "0",
      ...options,
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr.trim().split("\n").at(-1)).toContain(message);
  });
});

describe("serve --demo without a mail server", () => {
  it("keeps mails in a mailbox that it tells of, from which the card opens", async () => {
    const server = await serve(["--demo", "--database", join(emptyFolder(), "loyalty.db")]);
    const [, mailbox = ""] = await server.written(/(http:\/\/\S+\/demo\/mailbox\/\w+)\n/);
    const [, token = ""] = /Bearer (\w+)'/.exec(server.output()) ?? [];
    const headers = { authorization: `Bearer ${token}` };
    const templates = await fetch(`${server.url}/v1/templates`, { headers });
    const [template]: { id: string }[] = JSON.parse(await templates.text());
    const form = new URLSearchParams({ name: "Ada", email: "ada@example.com", consent: "yes" });
    await fetch(`${server.url}/join/${template?.id}`, { method: "POST", body: form });
    const list = async () => (await fetch(mailbox)).text();
    await expect.poll(list).toContain("ada@example.com");
    const [path = ""] = /\/demo\/mailbox\/\w+\/mdl_[\w-]+/.exec(await list()) ?? [];
    const mail = await (await fetch(`${server.url}${path}/html`)).text();
    const [, card = ""] = /href="(\/c\/\w+\?m=[^"]+)"/.exec(mail) ?? [];
    expect(await (await fetch(`${server.url}${card}`)).text()).toContain("Confirm my email address");

    const session = await fetch(`${server.url}/console`, {
      ...{ method: "POST", redirect: "manual", body: new URLSearchParams({ token }) },
    });
    const cookie = session.headers.get("set-cookie")?.split(";")[0] ?? "";
    const console = await (await fetch(`${server.url}/console`, { headers: { cookie } })).text();
    expect(console).toContain(new URL(mailbox).pathname);
  });

  it("has a mailbox in no other server", async () => {
    const mailServer = await fakeMail();
    const folder = emptyFolder();
    const flags = { "mail-from": "cards@shop.example", "smtp-url": mailServer.url, "public-url": publicUrl };
    const servers = await Promise.all([
      serve(["--database", join(folder, "a.db")]),
      serve(["--demo", "--no-mail", "--database", join(folder, "b.db")]),
      serve(["--demo", "--database", join(folder, "c.db"), ...argsOf(flags)]),
    ]);
    for (const { url, output } of servers) {
      const answer = await fetch(`${url}/demo/mailbox/x`);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toBe(await (await fetch(`${url}/nowhere`)).text());
      expect(output()).not.toContain("/demo/mailbox");
    }
  });
});
