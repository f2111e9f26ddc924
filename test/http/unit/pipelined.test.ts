import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import { afterEach, expect, it, vi } from "vitest";
import { serializePipeline } from "../../../adapters/http/node-server.js";

const CONNECTIONS = 6;
const REQUESTS = 5;

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Starts a server. @returns a function that opens a connection and sends requests without waiting for responses. */
async function startServer(listener: RequestListener): Promise<(...paths: string[]) => Socket> {
  const server = createServer(serializePipeline(listener)).listen(0, "127.0.0.1");
  ends.push(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return (...paths) => {
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const socket = connect(port, "127.0.0.1", () => socket.write(requests.join("")));
    ends.push(() => socket.destroy());
    return socket.resume();
  };
}

it("requests that waited on their connections are handled one at a time, across all connections", async () => {
  let [responseCount, openCount, maxOpen] = [0, 0, 0];
  const ask = await startServer((request, response) => {
    if (request.url === "/first") {
      setTimeout(() => response.end(), 20);
      return;
    }
    openCount += 1;
    maxOpen = Math.max(maxOpen, openCount);
    setTimeout(() => {
      openCount -= 1;
      responseCount += 1;
      response.end();
    }, 2);
  });
  for (let at = 0; at < CONNECTIONS; at += 1) ask("/first", ...Array<string>(REQUESTS).fill("/then"));
  await expect.poll(() => responseCount).toBe(CONNECTIONS * REQUESTS);
  expect(maxOpen).toBe(1);
});

it("a request that waited and never finishes delays those of other connections only briefly", async () => {
  const requestedPaths: string[] = [];
  const ask = await startServer(({ url = "" }, response) => {
    requestedPaths.push(url);
    if (url !== "/endless") setTimeout(() => response.end(), 20);
  });
  for (let at = 0; at < 2; at += 1) ask("/first", "/endless");
  ask("/first", "/then");
  await expect.poll(() => requestedPaths).toContain("/then");
});

it("lists that waited don't leak listeners", async () => {
  const onWarning = vi.fn();
  process.on("warning", onWarning);
  ends.push(() => process.off("warning", onWarning));
  let responseCount = 0;
  const ask = await startServer((_, response) => {
    // As a server and a request handler do.
    for (let at = 0; at < 3; at += 1) response.once("close", () => {});
    setTimeout(() => pipeline(Readable.from(["a", "b"]), response, () => (responseCount += 1)), 20);
  });
  ask(...Array<string>(REQUESTS).fill("/list"));
  await expect.poll(() => responseCount).toBe(REQUESTS);
  expect(onWarning).not.toHaveBeenCalled();
});
