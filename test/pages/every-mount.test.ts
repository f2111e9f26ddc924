import { createPages } from "loyalty-kit/pages";
import { expect, it } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { buildLinkToken } from "../../src/messages/mail-links.js";
import { mailJobs } from "../../src/storage/mail.js";
import { testOnEveryMount } from "../http/every-mount.js";

testOnEveryMount(
  (http) => {
    it("a mail program unsubscribes with one click, in either form that it may send", async () => {
      const { acme } = await http.createOrganization();
      const { id } = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
      const { userId } = await acme.passes.create(id, { user: { email: "ada@example.com" }, notify: true });
      const [queue, user] = [
        await runStep(http.storage.reader(acme.id).findQueue(mailJobs)),
        await runStep(http.storage.reader(acme.id).findUser(userId)),
      ];
      if (queue === null || user === null) throw new Error("nothing was mailed");
      const parts = new FormData();
      parts.set("List-Unsubscribe", "One-Click");
      const bodies = {
        email: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
        wallet: parts,
      } as const;
      for (const channel of ["email", "wallet"] as const) {
        const url = `${http.served.baseUrl}/m/u/${buildLinkToken(queue, channel, user)}`;
        expect((await http.served.fetch(url, {})).status).toBe(200);
        const head = await http.served.fetch(url, { method: "HEAD" });
        expect([head.status, await head.text()]).toEqual([200, ""]);
        expect((await acme.subscriptions.get(userId))[channel].status).toBe("NONE");
        const init = { method: "POST", body: bodies[channel], redirect: "manual" } as const;
        const answer = await http.served.fetch(url, init);
        expect([answer.status, await answer.text(), answer.headers.get("cache-control")]).toEqual([
          200,
          "",
          "no-store",
        ]);
        expect((await acme.subscriptions.get(userId))[channel].status).toBe("UNSUBSCRIBED");
      }
      expect((await http.served.fetch(`${http.served.baseUrl}/m/u/x`, { method: "POST" })).status).toBe(404);
    });
  },
  { extensions: (loyalty) => [createPages(loyalty)] },
);
