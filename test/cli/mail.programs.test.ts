import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFakeMail, type FakeMail, type FakeMailOptions, smtpFaults } from "loyalty-kit/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createEmptyFolder, startServer } from "./command.js";
import { createDatabase } from "./new-database.js";
import { runCommand } from "./run-command.js";

const folder = createEmptyFolder();
const writeFile = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const password = "s3cret/pass@word";
const passwordFile = writeFile("password.txt", `${password}\n`);
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const dkimKey = writeFile("dkim.pem", privateKey.export({ type: "pkcs8", format: "pem" }).toString());
const publicUrl = "http://127.0.0.1:9";

/** Starts a mail server, which is closed after the test. */
async function startFakeMail(options: FakeMailOptions = {}): Promise<FakeMail> {
  const server = await createFakeMail(options);
  onTestFinished(() => server.close());
  return server;
}

/** Returns the URL of a mail server without the password. */
const urlWithoutPassword = ({ url }: FakeMail) => url.replace(/:[^:@]*@/, "@");

type Flags = Readonly<Record<string, string>>;

const toArgs = (flags: Flags) => Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
const checkMail = (flags: Flags) => runCommand(["mail", "check", ...toArgs(flags)]);

const good = {
  "public-url": "https://shop.example",
  "mail-from": "Café <cards@shop.example>",
  "mail-dkim-key": dkimKey,
  "mail-dkim-selector": "loyalty2026",
};

describe("loyalty-kit mail check", () => {
  it("reports no problems, and sends a mail only if a recipient is given", async () => {
    const server = await startFakeMail({ user: { name: "cafe", password } });
    const flags = { ...good, "smtp-url": urlWithoutPassword(server), "smtp-password-file": passwordFile };
    expect(await checkMail(flags)).toEqual({ code: 0, stdout: "no problems found\n", stderr: "" });
    expect(server.mails).toEqual([]);
    const result = await checkMail({ ...flags, to: "ada@example.com" });
    expect(result).toMatchObject({ code: 0, stderr: "" });
    expect(result.stdout).toMatch(
      /^no problems found\nthe mail server accepted the test email to ada@example\.com: 250 /,
    );
    const [mail] = server.mailbox("ada@example.com");
    expect(mail).toMatchObject({ from: { name: "Café", address: "cards@shop.example" }, user: "cafe" });
    expect(mail?.raw.toString()).toContain("DKIM-Signature: v=1; a=rsa-sha256; ");
  });

  it("reports what is wrong, fails, and prints no password", async () => {
    const server = await startFakeMail({ user: { name: "cafe", password: "another" } });
    const { "mail-dkim-key": _, "mail-dkim-selector": __, ...unsignedFlags } = good;
    const flags = {
      ...unsignedFlags,
      "smtp-url": urlWithoutPassword(server),
      "smtp-password-file": passwordFile,
    };
    const result = await checkMail({ ...flags, to: "ada@example.com" });
    expect(result.code).toBe(1);
    expect(result.stdout).toMatch(/^warning: emails aren't signed with DKIM here/);
    expect(result.stdout).toMatch(/^error: the mail server localhost:\d+ rejected the user and password/m);
    expect(result.stderr).toBe("loyalty-kit: found 1 error\n");
    expect(result.stdout + result.stderr).not.toContain("s3cret");
    expect(server.mails).toEqual([]);
  });

  it("reports that the mail was rejected, and why", async () => {
    const server = await startFakeMail();
    server.fail("gone@example.com", smtpFaults.noSuchMailbox);
    const result = await checkMail({ ...good, "smtp-url": server.url, to: "gone@example.com" });
    expect(result).toMatchObject({ code: 1, stdout: "no problems found\n" });
    expect(result.stderr).toContain("the email was rejected because of its address (550)");
    expect(result.stderr).toContain("5.1.1 no such user here");
  });

  it.each<[string, Flags, string]>([
    ["nothing", {}, "no mail server is configured"],
    ["only a public URL", { "public-url": "https://shop.example" }, "no mail server is configured"],
    ["no sender", { "smtp-url": "smtp://127.0.0.1:9" }, "sending email also requires --mail-from"],
    [
      "no public URL",
      { "smtp-url": "smtp://127.0.0.1:9", "mail-from": "a@shop.example" },
      "sending email also requires --public-url",
    ],
    [
      "a DKIM key without a selector",
      { ...good, "smtp-url": "smtp://127.0.0.1:9", "mail-dkim-selector": "" },
      "the DKIM selector must be a name",
    ],
    [
      "a sender that isn't an address",
      { ...good, "smtp-url": "smtp://127.0.0.1:9", "mail-from": "Café" },
      "must be an address",
    ],
    [
      "a recipient that isn't an address",
      { ...good, "smtp-url": "smtp://127.0.0.1:9", to: "ada" },
      "--to must be an address",
    ],
    [
      "an SMTP URL with another scheme",
      { ...good, "smtp-url": "http://shop.example" },
      "the SMTP URL must start with smtps:// or smtp://",
    ],
    [
      "a missing password file",
      { ...good, "smtp-url": "smtp://u@127.0.0.1:9", "smtp-password-file": "none" },
      "the mail server password file can't be read: it doesn't exist",
    ],
    [
      "an invalid rate",
      { ...good, "smtp-url": "smtp://127.0.0.1:9", "mail-rate": "off" },
      "Use the form <emails>/<seconds>, such as 10/1.",
    ],
  ])("reports %s as a usage error", async (_, flags, message) => {
    const result = await checkMail(flags);
    expect(result.code).toBe(2);
    expect(result.stderr).toContain(message);
  });

  it("prints no password of an invalid URL", async () => {
    for (const url of [
      "cafe:s3cret@mail.example",
      "smtp://cafe:s3c ret@mail.example/x",
      "smtp:cafe:s3cret@x",
    ]) {
      const { code, stdout, stderr } = await checkMail({ ...good, "smtp-url": url });
      expect(code, url).toBeGreaterThan(0);
      expect(stdout + stderr, url).not.toMatch(/s3c|ret@/);
    }
  });
});

/** Starts a server with these mail settings, an API token and a template, and returns functions that call it. */
async function startMailServer(flags: Flags, ...more: readonly string[]) {
  const database = await createDatabase();
  const make = ["token", "create", "--database", database, "--organization", "acme", "--name", "till"];
  const { stdout: token } = await runCommand([...make, "--scopes", "all"]);
  const server = await startServer([
    "--database",
    database,
    "--public-url",
    publicUrl,
    ...toArgs(flags),
    ...more,
  ]);
  const { url } = server;
  const callApi = async (path: string, body?: object, method = body === undefined ? "GET" : "POST") => {
    const headers = { authorization: `Bearer ${token.trim()}`, "content-type": "application/json" };
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}${path}`, init);
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  };
  const template = (await callApi("/v1/templates", { name: "Coffee", type: "STAMP_CARD", maxStamps: 5 }))
    .body;
  const sendForm = (path: string, fields: Flags) =>
    fetch(`${url}${path}`, { method: "POST", body: new URLSearchParams(fields), redirect: "manual" });
  return { ...server, database, callApi, template, sendForm };
}

describe("loyalty-kit serve with a mail server", () => {
  it("mails a customer who signs up, confirms the address on the card, and suppresses it on refusal", async () => {
    const server = await startFakeMail({ user: { name: "cafe", password } });
    const flags = { ...good, "smtp-url": urlWithoutPassword(server), "smtp-password-file": passwordFile };
    const { "public-url": _, ...mail } = flags;
    const { url, template, callApi, sendForm, process, exit } = await startMailServer(mail);
    const signUpResponse = await sendForm(`/join/${template.id}`, {
      ...{ name: "Ada", contact: "ada@example.com", news: "on" },
    });
    expect(signUpResponse.status).toBe(303);
    await server.received(1);
    const [first] = server.mails;
    expect(first).toMatchObject({ envelope: { to: "ada@example.com" }, from: { name: "Café" } });
    expect(first?.links.length).toBe(1);
    const link = (first?.links[0] ?? "").replace(publicUrl, "");
    expect(link).toMatch(/^\/c\/\w+\?m=[\w-]+$/);

    const users = await callApi("/v1/contacts?search=ada@");
    const { id } = users.body.content[0];
    const getSubscription = async () => (await callApi(`/v1/users/${id}/subscription`)).body;
    expect(await getSubscription()).toMatchObject({ email: { status: "PENDING" }, emailConfirmedAt: null });
    // A mail gateway that scans links does this.
    await fetch(`${url}${link}`, { method: "HEAD" });
    const page = await (await fetch(`${url}${link}`)).text();
    expect(page).toContain("0 of 5 stamps");
    expect(await getSubscription()).toMatchObject({ email: { status: "PENDING" }, emailConfirmedAt: null });

    const [, action = ""] = /action="(\/m\/c\/[^"]+)"/.exec(page) ?? [];
    expect((await sendForm(action, { answer: "confirm" })).status).toBe(200);
    expect(await getSubscription()).toMatchObject({
      email: { status: "SUBSCRIBED", source: "join" },
      emailConfirmedAt: expect.any(String),
    });
    const passId = (await callApi(`/v1/users/${id}/passes`)).body[0].id;
    const deliveries = await callApi(`/v1/walletpasses/${passId}/deliveries`);
    expect(deliveries.body.content).toMatchObject([{ kind: "pass", status: "ACCEPTED", channel: "email" }]);

    expect((await sendForm(action, { answer: "refuse" })).status).toBe(200);
    expect(await getSubscription()).toMatchObject({ suppressed: { reason: "complained" } });
    const errorResponse = await callApi(`/v1/walletpasses/${passId}/notify`, {});
    expect(errorResponse).toMatchObject({ status: 409, body: { code: "address_suppressed" } });
    process.kill("SIGTERM");
    const { code, stdout, stderr } = await exit;
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain("s3cret");
    expect(stderr).toContain("emails are sent through localhost:");
    expect(server.mails.length).toBe(1);
  });

  it("logs why mails wait, without the password, and sends them when the mail server recovers", async () => {
    const server = await startFakeMail({ user: { name: "cafe", password } });
    server.script(smtpFaults.signInRefused, smtpFaults.signInRefused);
    const { "public-url": _, ...mail } = { ...good, "smtp-url": server.url };
    const { callApi, template, process, exit } = await startMailServer(mail);
    const passResponse = await callApi(`/v1/templates/${template.id}/walletpasses`, {
      ...{ user: { email: "ada@example.com" }, notify: true },
    });
    expect(passResponse).toMatchObject({
      status: 201,
      body: { notification: { delivery: { status: "PENDING" } } },
    });
    await server.received(1);
    const { id } = Object(passResponse.body);
    const getDeliveryStatus = async () =>
      (await callApi(`/v1/walletpasses/${id}/deliveries`)).body.content[0].status;
    await expect.poll(getDeliveryStatus).toBe("ACCEPTED");
    process.kill("SIGTERM");
    const { stdout, stderr } = await exit;
    expect(stderr).toContain("loyalty-kit: mail: error: ");
    expect(stderr.match(/^loyalty-kit: mail: the mail server is accepting emails again$/gm)).toHaveLength(1);
    expect(stdout + stderr).not.toMatch(/s3cret|pass%40word/);
  });

  it("leaves sending to another process with --no-mail", async () => {
    const server = await startFakeMail();
    const { "public-url": _, ...mail } = good;
    const queueServer = await startMailServer(mail, "--no-mail");
    const body = { user: { email: "ada@example.com" }, notify: true };
    const passResponse = await queueServer.callApi(
      `/v1/templates/${queueServer.template.id}/walletpasses`,
      body,
    );
    expect(passResponse.body.notification.delivery).toMatchObject({ status: "PENDING" });
    await startServer(["--database", queueServer.database, ...toArgs({ ...good, "smtp-url": server.url })]);
    await server.received(1);
    queueServer.process.kill("SIGTERM");
    expect((await queueServer.exit).stderr).toContain("emails are queued for another process to send");
  });

  it.each([
    ["no mail server", []],
    ["--no-mail alone", ["--no-mail"]],
  ])("rejects calls that send mail with %s, and accepts sign-ups without mailing", async (_, options) => {
    const { template, callApi, sendForm } = await startMailServer({}, ...options);
    const pass = await callApi(`/v1/templates/${template.id}/walletpasses`, {
      user: { email: "ada@example.com" },
    });
    const errorResponse = await callApi(`/v1/walletpasses/${pass.body.id}/notify`, {});
    expect(errorResponse).toMatchObject({ status: 409, body: { code: "mail_not_configured" } });
    const signUpResponse = await sendForm(`/join/${template.id}`, {
      contact: "bob@example.com",
    });
    expect(signUpResponse.status).toBe(303);
  });

  it.each<[string, readonly string[], string]>([
    ["no sender", ["--smtp-url", "smtp://127.0.0.1:9"], "sending email also requires --mail-from"],
    [
      "no public URL",
      ["--smtp-url", "smtp://127.0.0.1:9", "--mail-from", "a@shop.example"],
      "sending email also requires --public-url",
    ],
    ["only a sender", ["--mail-from", "a@shop.example"], "--mail-from also requires --smtp-url or --no-mail"],
    [
      "an http public URL that isn't local",
      [
        ...["--smtp-url", "smtp://127.0.0.1:9", "--mail-from", "a@shop.example"],
        ...["--public-url", "http://shop.example"],
      ],
      "the public URL must be https",
    ],
    [
      "a DKIM key without a selector",
      [
        ...["--smtp-url", "smtp://127.0.0.1:9", "--mail-from", "a@shop.example"],
        ...["--public-url", "https://shop.example", "--mail-dkim-key", dkimKey],
      ],
      "--mail-dkim-key also requires --mail-dkim-selector",
    ],
  ])("doesn't start with %s, and reports why in one line", async (_, options, message) => {
    const { code, stderr } = await runCommand([
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
  it("stores mails in a mailbox whose URL it prints, and whose mails link to the card", async () => {
    const server = await startServer(["--demo", "--database", join(createEmptyFolder(), "loyalty.db")]);
    const [, mailbox = ""] = await server.waitForOutput(/(http:\/\/\S+\/demo\/mailbox\/\w+)\n/);
    const [, token = ""] = /Bearer (\w+)'/.exec(server.output()) ?? [];
    const headers = { authorization: `Bearer ${token}` };
    const templates = await fetch(`${server.url}/v1/templates`, { headers });
    const [template]: { id: string }[] = JSON.parse(await templates.text());
    const form = new URLSearchParams({ name: "Ada", contact: "ada@example.com" });
    await fetch(`${server.url}/join/${template?.id}`, { method: "POST", body: form });
    const readMailbox = async () => (await fetch(mailbox)).text();
    await expect.poll(readMailbox).toContain("ada@example.com");
    const [path = ""] = /\/demo\/mailbox\/\w+\/mdl_[\w-]+/.exec(await readMailbox()) ?? [];
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

  it("is the only server with a mailbox", async () => {
    const mailServer = await startFakeMail();
    const folder = createEmptyFolder();
    const flags = { "mail-from": "cards@shop.example", "smtp-url": mailServer.url, "public-url": publicUrl };
    const servers = await Promise.all([
      startServer(["--database", join(folder, "a.db")]),
      startServer(["--demo", "--no-mail", "--database", join(folder, "b.db")]),
      startServer(["--demo", "--database", join(folder, "c.db"), ...toArgs(flags)]),
    ]);
    for (const { url, output } of servers) {
      const response = await fetch(`${url}/demo/mailbox/x`);
      expect(response.status).toBe(404);
      expect(await response.text()).toBe(await (await fetch(`${url}/nowhere`)).text());
      expect(output()).not.toContain("/demo/mailbox");
    }
  });
});
