import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { createMailboxPages, DemoMailbox } from "../../adapters/apps/cli/server/demo-mailbox.js";
import { createOutgoingMail } from "./demo-mails.js";

const key = "abcdefghijklmnopqrstuvwx";

/** Opens a mailbox with its pages, and returns a function that requests them. */
function openMailbox(rewriteLinks = true) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  const mailbox = new DemoMailbox();
  const pages = createMailboxPages(mailbox, { key, publicUrl: () => "http://127.0.0.1:3000", rewriteLinks });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), extensions: [pages] });
  const getPage = async (path: string, method = "GET") => {
    const response = await api.fetch(new Request(`http://127.0.0.1:3000/demo/mailbox/${path}`, { method }));
    const policy = response.headers.get("content-security-policy") ?? "";
    return { status: response.status, text: await response.text(), policy, headers: response.headers };
  };
  return { mailbox, getPage };
}

describe("the demo mailbox", () => {
  it("lists the mails, newest first, or only those to one address", async () => {
    const { mailbox, getPage } = openMailbox();
    await mailbox.send(createOutgoingMail({ id: "mdl_1", subject: "First" }));
    await mailbox.send(createOutgoingMail({ id: "mdl_2", subject: "Second", to: "bob+1@example.com" }));
    const { text } = await getPage(key);
    expect(text.match(/First|Second/g)).toEqual(["Second", "First"]);
    expect(text).toContain("This demo doesn’t send emails.");
    const [, link = ""] = /mailbox\/\w+(\?to=bob[^"]+)"/.exec(text) ?? [];
    const bobs = await getPage(`${key}${link}`);
    expect(bobs.text).toContain("Emails to bob+1@example.com");
    expect(bobs.text).not.toContain("First");
  });

  it("responds with 404 to a wrong key or an unknown mail, and with 405 to a POST", async () => {
    const { mailbox, getPage } = openMailbox();
    await mailbox.send(createOutgoingMail());
    for (const path of [`${key.slice(1)}x`, "x", "", `${key}x`, `${key.slice(1)}x/mdl_1`, `x/mdl_1/html`]) {
      expect((await getPage(path)).status, path).toBe(404);
    }
    expect((await getPage(key, "POST")).status).toBe(405);
    expect((await getPage(`${key}/mdl_2`)).status).toBe(404);
    expect((await getPage(`${key}/mdl_1/raw`)).status).toBe(404);
  });

  it("shows a mail in a frame that runs no scripts, submits no forms and loads nothing from other sites", async () => {
    const { mailbox, getPage } = openMailbox();
    const subject = `"><script>alert(1)</script>`;
    await mailbox.send(
      createOutgoingMail({ subject, text: "<b>plain</b>", from: { name: subject, address: "a@b.example" } }),
    );
    const page = await getPage(`${key}/mdl_1`);
    expect(page.text).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
    expect(page.text).not.toContain("<script>alert");
    expect(page.text).toContain("&lt;b&gt;plain&lt;/b&gt;");
    expect(page.policy).toContain("frame-src 'self'");
    const frame = await getPage(`${key}/mdl_1/html`);
    expect(frame.policy.split("; ")).toEqual([
      "sandbox allow-popups allow-popups-to-escape-sandbox",
      "default-src 'none'",
      "style-src 'unsafe-inline'",
      "img-src 'self' data: http://127.0.0.1:3000",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ]);
    expect(frame.headers.get("referrer-policy")).toBe("no-referrer");
  });

  it("makes the links of a mail relative to the mailbox's address, unless the demo has a public URL", async () => {
    const mailbox = openMailbox();
    await mailbox.mailbox.send(createOutgoingMail());
    expect((await mailbox.getPage(`${key}/mdl_1/html`)).text).toContain('<a href="/c/abc?m=1">');
    const otherMailbox = openMailbox(false);
    await otherMailbox.mailbox.send(createOutgoingMail());
    expect((await otherMailbox.getPage(`${key}/mdl_1/html`)).text).toContain(
      '<a href="http://127.0.0.1:3000/c/abc?m=1">',
    );
  });

  it("replaces a mail that is sent again with the same id", async () => {
    const { mailbox } = openMailbox();
    await mailbox.send(createOutgoingMail({ subject: "Before" }));
    await mailbox.send(createOutgoingMail({ subject: "After" }));
    expect(mailbox.list(null).map(({ subject }) => subject)).toEqual(["After"]);
  });

  it("stores at most 200 mails and four million characters, and drops the oldest", async () => {
    const { mailbox } = openMailbox();
    for (let at = 0; at < 201; at += 1) await mailbox.send(createOutgoingMail({ id: `mdl_${at}` }));
    expect(mailbox.list(null).length).toBe(200);
    expect(mailbox.find("mdl_0")).toBeNull();
    await mailbox.send(createOutgoingMail({ id: "mdl_large", html: "x".repeat(3_990_000) }));
    expect(mailbox.list(null).length).toBeLessThan(100);
    expect(mailbox.list(null)[0]?.id).toBe("mdl_large");
    await mailbox.send(createOutgoingMail({ id: "mdl_larger", html: "x".repeat(4_000_001) }));
    expect(mailbox.list(null)).toEqual([]);
  });
});
