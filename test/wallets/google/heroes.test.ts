import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it, onTestFinished } from "vitest";
import { createStampDrawer } from "../../../adapters/delivery/wallets/stamp-drawing/stamp-drawer.js";
import { decodePixels } from "../drawing/pixels.js";
import { openGoogle } from "./google-scene.js";

/** Starts a server on this machine. Its handler is set later, because what it serves contains the server's URL. */
async function startServer() {
  let handle: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 });
  const server = createServer(async (request, response) => {
    const { method = "GET", url = "/" } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
    const headers = { "content-type": request.headers["content-type"] ?? "" };
    const answer = await handle(new Request(`${origin}${url}`, { method, headers, body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    handleBy(fetch: (request: Request) => Promise<Response>) {
      handle = fetch;
    },
  };
}

it("Google fetches the drawn stamps from the server as they change, and accepts them", async () => {
  const { origin, handleBy } = await startServer();
  const publicUrl = `${origin}/loyalty`;
  const shop = await openGoogle(memoryStorage(), { publicUrl, stampRenderer: createStampDrawer() });
  const { google, acme, template, wallets, newPass, save, shown, errors } = shop;
  handleBy(shop.api.fetch);
  const fetchedPictures: { readonly url: string; readonly png: Uint8Array }[] = [];
  google.sendBy(async (request) => {
    const response = await fetch(request);
    const isHero = request.url.startsWith(`${publicUrl}/wallets/heroes/`);
    if (isHero)
      fetchedPictures.push({ url: request.url, png: new Uint8Array(await response.clone().arrayBuffer()) });
    return response;
  });

  const { id, url, objectId } = await newPass();
  await save(url);
  await acme.stamps.add(id, { count: 3 });
  await wallets.runOnce();
  await acme.templates.update(template.id, { design: { backgroundColor: "#102030" } });
  await wallets.runOnce();

  const pictures = fetchedPictures.map(({ png }) => decodePixels(png));
  expect(pictures.map(({ width, height }) => [width, height])).toEqual(Array(3).fill([1_032, 336]));
  expect(new Set(fetchedPictures.map(({ png }) => Buffer.from(png).toString("base64"))).size).toBe(3);
  const { heroImage }: { heroImage?: { sourceUri: { uri: string } } } = shown(objectId);
  expect(heroImage?.sourceUri.uri).toBe(fetchedPictures.at(-1)?.url);
  expect([...google.complaints, ...errors]).toEqual([]);
});
