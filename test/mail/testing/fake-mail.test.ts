import { createServer } from "node:http";
import { createFakeMail, type ReceivedMail, smtpFaults } from "loyalty-kit/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMail, getSendError, open } from "../smtp/smtp-scene.js";

/** Starts a web server that records its requests. */
async function openWeb(status = 200) {
  const requests: {
    method: string;
    url: string;
    cookie: string | undefined;
    type: string | undefined;
    body: string;
  }[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => {
      body += chunk;
    });
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      requests.push({ method, url, cookie: headers.cookie, type: headers["content-type"], body });
      response.writeHead(status, { "set-cookie": "a=b", location: "/elsewhere" }).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  return { requests, origin: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` };
}

const getOnlyMail = ([first]: readonly ReceivedMail[]): ReceivedMail => {
  if (first === undefined) throw new Error("no mail came");
  return first;
};

describe("the mail server for tests", () => {
  it("separates the mails by address, and reports each of them", async () => {
    const { fake, transport } = await open();
    const lines: string[] = [];
    fake.onMail = ({ envelope }) => lines.push(envelope.to);
    const all = fake.received(2);
    await transport.send(createMail());
    const bob = {
      to: "Bob@customers.example",
      envelope: { from: "shop@shop.example", to: "Bob@customers.example" },
    };
    await transport.send(createMail(bob));
    await all;
    expect(fake.mailbox("bob@customers.example")).toHaveLength(1);
    expect(lines).toEqual(["ada@customers.example", "Bob@customers.example"]);
  });

  it("fails every mail to an address until the fault is removed", async () => {
    const { fake, transport } = await open();
    fake.fail("ADA@customers.example", smtpFaults.noSuchMailbox);
    await getSendError(transport.send(createMail()));
    await getSendError(transport.send(createMail()));
    fake.fail("ada@customers.example", null);
    await transport.send(createMail());
    expect(fake.mails).toHaveLength(1);
  });

  it("fails the next mails in the order of its script", async () => {
    const { fake, transport } = await open();
    fake.script(null, smtpFaults.spam, null);
    await transport.send(createMail());
    expect(await getSendError(transport.send(createMail()))).toMatchObject({ code: 554 });
    await transport.send(createMail());
    expect(fake.mails).toHaveLength(2);
  });

  it("unsubscribes by one POST without cookies, and follows no redirect", async () => {
    const { fake, transport } = await open();
    const { requests, origin } = await openWeb(302);
    const headers = {
      "List-Unsubscribe": `<mailto:out@shop.example>, <${origin}/m/u/abc>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    };
    await transport.send(createMail({ headers }));
    const got = getOnlyMail(fake.mails);
    expect(await fake.unsubscribe(got)).toEqual({ method: "POST", url: `${origin}/m/u/abc`, status: 302 });
    await fake.unsubscribe(got);
    const post = { method: "POST", url: "/m/u/abc", cookie: undefined, body: "List-Unsubscribe=One-Click" };
    expect(requests).toEqual([expect.objectContaining(post), expect.objectContaining(post)]);
    expect(requests[0]?.type).toBe("application/x-www-form-urlencoded");
  });

  it("does not unsubscribe from a mail that does not offer it", async () => {
    const { fake, transport } = await open();
    await transport.send(createMail());
    await transport.send(createMail({ headers: { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" } }));
    for (const got of fake.mails) await expect(fake.unsubscribe(got)).rejects.toThrow(/List-Unsubscribe/);
  });

  it("does not unsubscribe from a mail whose signature doesn't cover the unsubscribe headers", async () => {
    const { fake, transport } = await open();
    const offer = {
      "List-Unsubscribe": "<https://shop.example/m/u/abc>",
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    };
    const createSignature = (names: string) =>
      `v=1; a=rsa-sha256; d=shop.example; s=s1; h=${names}; bh=x; b=x`;
    await transport.send(
      createMail({ headers: { ...offer, "DKIM-Signature": createSignature("From:List-Unsubscribe") } }),
    );
    await expect(fake.unsubscribe(getOnlyMail(fake.mails))).rejects.toThrow(/cover List-Unsubscribe-Post/);
  });

  it("scans each link of the text and the HTML by HEAD and GET", async () => {
    const { fake, transport } = await open();
    const { requests, origin } = await openWeb();
    const html = `<a href="${origin}/c/abc?m=1&amp;x=2">card</a> <a href='mailto:a@b.example'>mail</a>`;
    await transport.send(createMail({ text: `See ${origin}/c/abc?m=1&x=2 and ${origin}/other\n`, html }));
    const answers = await fake.scan(getOnlyMail(fake.mails));
    expect(answers.map(({ method, url }) => [method, url.replace(origin, "")])).toEqual([
      ["HEAD", "/c/abc?m=1&x=2"],
      ["GET", "/c/abc?m=1&x=2"],
      ["HEAD", "/other"],
      ["GET", "/other"],
    ]);
    expect(requests).toHaveLength(4);
    expect(answers.every(({ status }) => status === 200)).toBe(true);
  });

  it("closes while a scripted fault is pending", async () => {
    const fake = await createFakeMail();
    fake.script(smtpFaults.silentEnd);
    await fake.close();
  });
});
