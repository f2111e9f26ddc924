import { execFileSync, spawnSync } from "node:child_process";
import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeMail, headerOf } from "loyalty-kit/testing";
import { expect, onTestFinished, test } from "vitest";
import { createSmtpTransport } from "../../../adapters/delivery/mail/smtp/transport.js";
import { findFreePort } from "../../kit/free-port.js";
import {
  createCertificates,
  createMail,
  createMessage,
  getSendError,
  unsubscribeToken,
} from "./smtp-scene.js";

/** Services of a Postfix that relays, each outside a chroot. */
const services = `
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
error unix - - n - - error
retry unix - - n - - error
discard unix - - n - - discard
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
`;

/** Starts a second instance of Debian's Postfix, which relays all mails to another server. Needs root. */
async function startPostfix(relayTo: string) {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-postfix-"));
  chmodSync(folder, 0o755);
  const pathTo = (name: string) => join(folder, name);
  for (const name of ["etc", "spool", "data"]) mkdirSync(pathTo(name));
  execFileSync("chown", ["postfix", pathTo("data")]);
  const { key, certificate, ca } = createCertificates();
  writeFileSync(pathTo("etc/tls.pem"), `${key}\n${certificate}\n`, { mode: 0o600 });
  const port = await findFreePort();
  const settings = {
    compatibility_level: "3.6",
    queue_directory: pathTo("spool"),
    data_directory: pathTo("data"),
    daemon_directory: "/usr/lib/postfix/sbin",
    mail_owner: "postfix",
    setgid_group: "postdrop",
    myhostname: "relay.example",
    mydestination: "",
    mynetworks: "127.0.0.0/8",
    inet_interfaces: "127.0.0.1",
    inet_protocols: "ipv4",
    relayhost: relayTo,
    smtp_dns_support_level: "disabled",
    smtpd_tls_chain_files: pathTo("etc/tls.pem"),
    smtpd_tls_security_level: "encrypt",
    smtpd_sender_restrictions: "check_sender_access inline:{ {stranger@shop.example = 550 5.7.1 not yours} }",
    smtpd_recipient_restrictions:
      "check_recipient_access inline:{ {gone@customers.example = 550 5.1.1 gone} }",
    maillog_file: pathTo("log"),
    maillog_file_prefixes: folder,
    alias_maps: "",
    alias_database: "",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(pathTo("etc/main.cf"), lines.join(""));
  writeFileSync(pathTo("etc/master.cf"), `${port} inet n - n - - smtpd${services}`);
  const runPostfix = (command: string) =>
    execFileSync("/usr/sbin/postfix", ["-c", pathTo("etc"), command], {
      stdio: ["ignore", "ignore", "inherit"],
    });
  onTestFinished(() => {
    runPostfix("stop");
    rmSync(folder, { recursive: true, force: true });
  });
  runPostfix("start");
  return { url: `smtp://localhost:${port}?tls=on`, ca };
}

/** A program that verifies signatures with Debian's dkimpy, using a DNS with only one key. */
const verifier = `
import base64, sys, dkim
record = b"v=DKIM1; k=rsa; p=" + sys.argv[2].encode()
known = sys.argv[1].encode() + b"."
print(dkim.verify(sys.stdin.buffer.read(), dnsfunc=lambda name, timeout=5: record if name == known else None))
`;

function isSigned(raw: Buffer, name: string, privateKey: string): boolean {
  const key = createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");
  const run = spawnSync("/usr/bin/python3", ["-c", verifier, name, key], { input: raw, encoding: "utf8" });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout.trim() === "True";
}

test("a message's mail passes through Postfix, encrypted, and dkimpy verifies its signature behind it", async () => {
  const fake = await createFakeMail();
  const { url, ca } = await startPostfix(`[127.0.0.1]:${new URL(fake.url).port}`);
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const from = "shop@shop.example";
  const transport = createSmtpTransport({ smtp: { url, ca }, from, dkim: { selector: "s1", key } });
  onTestFinished(async () => {
    await transport.close();
    await fake.close();
  });

  expect(await transport.check()).toEqual([]);
  const outgoing = createMessage({ text: `.\n${"Grüße, ".repeat(300)}\n\n\nhttps://shop.example` });
  expect(await transport.send(outgoing)).toMatchObject({ code: 250 });
  await fake.received(1);

  const [got] = fake.mails;
  if (got === undefined) throw new Error("no mail came");
  expect(got).toMatchObject({
    messageId: outgoing.messageId,
    envelope: outgoing.envelope,
    subject: outgoing.subject,
  });
  for (const [name, value] of Object.entries(outgoing.headers)) expect(headerOf(got, name)).toBe(value);
  expect(headerOf(got, "Received")).toMatch(/ESMTPS/);
  const signed = (headerOf(got, "DKIM-Signature") ?? "").replace(/\s/g, "").toLowerCase();
  const names = /;h=([^;]*)/.exec(signed)?.[1]?.split(":");
  const ofList = ["list-id", "list-unsubscribe", "list-unsubscribe-post", "precedence"];
  expect(names).toEqual(expect.arrayContaining([...ofList, "from", "to", "subject", "message-id"]));
  const isSignatureValid = (raw: Buffer) => isSigned(raw, "s1._domainkey.shop.example", key);
  expect(isSignatureValid(got.raw)).toBe(true);
  for (const [was, is] of [
    [`shop.example/m/u/${unsubscribeToken}>`, `evil.example/m/u/${unsubscribeToken}>`],
    ["List-Unsubscribe=One-Click", "List-Unsubscribe=No"],
    ["Precedence: bulk", "Precedence: list"],
    [".messages.shop.example>", ".messages.evil.example>"],
  ] as const) {
    expect(got.raw.includes(was)).toBe(true);
    expect(isSignatureValid(Buffer.from(got.raw.toString("latin1").replace(was, is), "latin1"))).toBe(false);
  }

  const to = "gone@customers.example";
  const dead = await getSendError(transport.send(createMail({ to, envelope: { from, to } })));
  expect(dead).toMatchObject({ fault: "address", isPermanent: true, code: 550 });
  const stranger = { from: "stranger@shop.example", to: outgoing.to };
  const error = await getSendError(transport.send(createMail({ envelope: stranger })));
  // Postfix reports a refused sender at RCPT, so it can't be distinguished from a refused recipient.
  expect(error).toMatchObject({ fault: "message", isPermanent: true, code: 550 });
});
