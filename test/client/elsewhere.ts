import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { LoyaltyService, scopes } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeListener } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { urlOf } from "../console/shop.js";
import { addCleanup } from "../kit/cleanup.js";

const USERS = 300;

/** Bundles the client into one file without any Node module. */
export async function bundleClient(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: 'export { createClient, isLoyaltyError } from "./adapters/http/client/index.js";',
      resolveDir: join(import.meta.dirname, "../.."),
    },
    ...{ bundle: true, format: "esm", target: "es2022", write: false, mainFields: [] },
    platform: "neutral",
  });
  return outputFiles[0]?.text ?? "";
}

/** Serves an organization with customers, and a page with the client at `/`. The first POST works but gets a 503. */
export async function startServer() {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const acme = loyalty.organization("acme");
  for (let at = 0; at < USERS; at += 1) await acme.users.create({ email: `c${at}@example.com` });
  const { token } = await acme.apiTokens.create({ name: "elsewhere", scopes });
  const api = nodeListener(createHttpApi(loyalty, { authenticate: apiTokens(loyalty) }));
  const client = await bundleClient();
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
  addCleanup(async () => {
    server.closeAllConnections();
    server.close();
    await loyalty.close();
  });
  return { url: urlOf(server), token };
}

/** Builds the body of an async function that uses the client. `createClient` and `isLoyaltyError` must be in scope. */
export function buildProgram({ url, token }: Awaited<ReturnType<typeof startServer>>): string {
  return `
    const acme = createClient({ url: ${JSON.stringify(url)}, token: ${JSON.stringify(token)} });
    const { email } = await acme.users.create({ email: "ada@example.com" });
    const first = [];
    for await (const user of acme.users.list()) {
      first.push(user.email);
      if (first.length === 3) break;
    }
    let all = 0;
    for await (const _ of acme.users.list()) all += 1;
    const refused = await acme.users.create({ email: "no email" }).catch((error) => [
      isLoyaltyError(error, "validation_failed"), Object.keys(error.detail.fields), error.status]);
    return { email, first, all, refused };`;
}

/** The expected outcome: the library's results and errors, complete lists, and no user created twice. */
export const expectedOutcome = {
  email: "ada@example.com",
  first: ["c0@example.com", "c1@example.com", "c2@example.com"],
  all: USERS + 1,
  refused: [true, ["email"], 422],
};
