import { createMail, type OutgoingMail } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { recordCalls } from "../kit/intercept-calls.js";
import { openShop } from "./shop.js";

const publicUrl = "https://shop.example/loyalty";

/** Finds the links to the shop in a mail or a page, without the part before their paths. */
function findLinks(text: string): string[] {
  const found = text.matchAll(
    /(?:href|src|action)="(?:https:\/\/shop\.example)?\/loyalty([^"]*)"|https:\/\/shop\.example\/loyalty(\S+)/g,
  );
  return [...found].map(([, quoted, plain]) => (quoted ?? plain ?? "").replaceAll("&amp;", "&"));
}

it("a mail gateway changes nothing by requesting every link, and those of the linked pages, with GET and HEAD", async () => {
  const calls: string[] = [];
  const storage = recordCalls(memoryStorage(), calls);
  const { loyalty, acme, join, getCode, createToken, get, send } = await openShop({ storage });
  onTestFinished(
    serviceInternals(loyalty)
      .createWalletBackend(0)
      .attachLinker(({ passId }) => ({ apple: `https://a.example/${passId}`, google: null })),
  );
  const sentMails: OutgoingMail[] = [];
  const mail = createMail(loyalty, {
    publicUrl,
    from: "shop@shop.example",
    smtp: { send: async (outgoing) => void sentMails.push(outgoing) },
    deliver: false,
  });
  onTestFinished(() => mail.close());
  const { userId } = await acme.passes.lookup(
    getCode(await join({ name: "Ada", email: "ada@example.com", news: "on" })),
  );
  await mail.runOnce();
  const [{ html, text } = { html: "", text: "" }] = sentMails;
  const before = await acme.subscriptions.get(userId);
  expect(before.email.status).toBe("PENDING");
  calls.length = 0;
  const unsubscribing = [
    `/m/u/${await createToken(userId, "email")}`,
    `/m/u/${await createToken(userId, "wallet")}`,
  ];
  const open = [...findLinks(html), ...findLinks(text), ...unsubscribing];
  const visitedLinks = new Set<string>();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (visitedLinks.has(path)) continue;
    visitedLinks.add(path);
    expect([path, (await send(path, { method: "HEAD" })).status]).toEqual([path, 200]);
    const answer = await get(path);
    expect(answer.status).toBe(200);
    open.push(...findLinks(await answer.text()));
  }
  // The card, the form about the address, and both unsubscribe pages.
  expect([...visitedLinks].map((path) => path.replace(/(?<=\/m\/\w\/|=).*/, "")).sort()).toEqual([
    expect.stringMatching(/^\/c\/\w{12}\?m=$/),
    "/m/c/",
    "/m/u/",
    "/m/u/",
  ]);
  expect(calls).not.toContain("transaction");
  expect(await acme.subscriptions.get(userId)).toEqual(before);
  await send([...visitedLinks].find((path) => path.startsWith("/m/c/")) ?? "", {
    body: new URLSearchParams({ answer: "confirm" }),
  });
  expect(calls).toContain("transaction");
  expect((await acme.subscriptions.get(userId)).email.status).toBe("SUBSCRIBED");
});
