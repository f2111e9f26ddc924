import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { LoyaltyService, scopes } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it, onTestFinished } from "vitest";
import { openBrowser, urlOf, visit } from "../console/shop.js";
import { collected } from "../kit/collected.js";

const root = join(import.meta.dirname, "../..");

/** The client as a page loads it. */
async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { createClient, isLoyaltyError } from "./adapters/client/index.js";',
      resolveDir: root,
    },
    ...{ bundle: true, format: "esm", target: "es2022", write: false, mainFields: [] },
    platform: "neutral",
  });
  return outputFiles[0]?.text ?? "";
}

/** A page with the client beside the API, and what it was asked: the first POST does its work, and then gets a 503. */
async function openPage() {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const acme = loyalty.organization("acme");
  const { token } = await acme.apiTokens.create({ name: "page", scopes });
  const api = nodeListener(createHttpApi(loyalty, { authenticate: apiTokens(loyalty) }));
  const client = await bundled();
  let isLost = true;
  const server = createServer((request, response) => {
    if (request.url === "/client.js") {
      response.writeHead(200, { "content-type": "text/javascript" }).end(client);
    } else if (request.url === "/") {
      response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>Shop</title>");
    } else {
      if (request.method === "POST" && isLost) {
        isLost = false;
        const { writeHead } = response;
        response.writeHead = () => writeHead.call(response, 503, { "retry-after": "0" });
      }
      void api(request, response);
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const browser = await openBrowser();
  const { page, complaints } = await visit(browser);
  onTestFinished(async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
    await loyalty.close();
  });
  await page.goto(urlOf(server));
  const run = (script: string): Promise<unknown> =>
    page.evaluate(`(async () => {
      const { createClient, isLoyaltyError } = await import("/client.js");
      const acme = createClient({ url: location.origin, token: ${JSON.stringify(token)} });
      ${script}
    })()`);
  return { acme, run, complaints };
}

it("a page in a browser has the library's own interface, its errors, its lists as they come, and does nothing twice", async () => {
  const { acme, run, complaints } = await openPage();
  const made = await run(`return acme.users.create({ email: "ada@example.com" });`);
  const users = await collected(acme.users.list());
  expect(users).toEqual([made]);

  for (let at = 0; at < 300; at += 1) await acme.users.create({ email: `c${at}@example.com` });
  expect(
    await run(`
      const emails = [];
      for await (const { email } of acme.users.list()) {
        emails.push(email);
        if (emails.length === 5) break;
      }
      let all = 0;
      for await (const _ of acme.users.list()) all += 1;
      return [emails, all];`),
  ).toEqual([
    ["ada@example.com", "c0@example.com", "c1@example.com", "c2@example.com", "c3@example.com"],
    301,
  ]);

  expect(
    await run(`return acme.users.create({ email: "no email" }).catch((error) => [
      isLoyaltyError(error, "validation_failed"), Object.keys(error.detail.fields), error.status]);`),
  ).toEqual([true, ["email"], 422]);
  expect(complaints).toEqual([]);
});
