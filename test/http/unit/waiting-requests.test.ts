import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setImmediate as turned } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { admitFairly } from "../../../adapters/http/fair-admission.js";
import { buildHead, exchangeBytes, sendAndEnd } from "../raw-socket.js";

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function startServer() {
  const startedCalls: string[] = [];
  const server = createServer(
    admitFairly(({ url = "" }, response) => {
      startedCalls.push(url);
      response.end();
    }),
  ).listen(0, "127.0.0.1");
  ends.push(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { startedCalls, port, server };
}

it("when many connect at the same time, most requests of disconnected clients are not started", async () => {
  const { startedCalls, port } = await startServer();
  const disconnectedRequests = Array.from({ length: 40 }, () =>
    sendAndEnd(port, buildHead({ path: "/gone" })),
  );
  const response = await exchangeBytes(port, buildHead({ path: "/waiting" }));
  await Promise.all(disconnectedRequests);
  expect(response).toMatch(/^HTTP\/1.1 200 /);
  expect(startedCalls).toContain("/waiting");
  expect(startedCalls.length).toBeLessThan(20);
});

it("when many connect at the same time, no caller waits for all requests of another", async () => {
  const { startedCalls, port } = await startServer();
  const loud = Array.from({ length: 60 }, () =>
    exchangeBytes(port, buildHead({ path: "/loud", headers: ["Authorization: Bearer loud"] })),
  );
  const quiet = exchangeBytes(port, buildHead({ path: "/quiet", headers: ["Authorization: Bearer quiet"] }));
  await Promise.all([...loud, quiet]);
  expect(startedCalls).toHaveLength(61);
  expect(startedCalls.indexOf("/quiet")).toBeLessThan(20);
});

it("when many connect at the same time, few first requests start before the last connection is accepted", async () => {
  const { startedCalls, port, server } = await startServer();
  const all = 200;
  let [acceptedCount, startedBefore] = [0, 0];
  server.on("connection", () => {
    acceptedCount += 1;
    if (acceptedCount === all) startedBefore = startedCalls.length;
    // Longer than first requests wait in total for the connections behind them.
    for (const end = performance.now() + 1; performance.now() < end; );
  });
  await Promise.all(Array.from({ length: all }, () => exchangeBytes(port, buildHead({ path: "/" }))));
  expect(startedCalls).toHaveLength(all);
  expect(startedBefore).toBeLessThan(all / 4);
});

it("while connections wait to be accepted, later requests of other connections wait as well", async () => {
  const { startedCalls, port, server } = await startServer();
  const open = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));
  ends.push(() => {
    for (const socket of open) socket.destroy();
  });
  const getLater = (socket: Socket) => {
    socket.write("GET /later HTTP/1.1\r\nHost: api.example\r\n\r\n");
    return once(socket, "data");
  };
  await Promise.all(open.map(getLater));
  let acceptedCount = 0;
  let startedMeanwhile = 0;
  const countLater = () => startedCalls.filter((path) => path === "/later").length;
  const requests: Promise<unknown>[] = [];
  server.on("connection", () => {
    acceptedCount += 1;
    if (acceptedCount === 10) {
      startedCalls.length = 0;
      requests.push(...open.map(getLater));
    }
    if (acceptedCount === 30) startedMeanwhile = countLater();
    for (const end = performance.now() + 1; performance.now() < end; );
  });
  await Promise.all(Array.from({ length: 120 }, () => exchangeBytes(port, buildHead({ path: "/first" }))));
  await Promise.all(requests);
  expect(startedMeanwhile).toBeLessThan(10);
  expect(countLater()).toBe(20);
});

it("while connections keep coming, first requests still start", async () => {
  const { startedCalls, port } = await startServer();
  const responses: Promise<string>[] = [];
  let iterations = 0;
  while (!startedCalls.includes("/waiting") && iterations < 5_000) {
    const path = iterations === 10 ? "/waiting" : "/more";
    responses.push(
      exchangeBytes(port, buildHead({ path })),
      exchangeBytes(port, buildHead({ path: "/more" })),
    );
    iterations += 1;
    await turned();
  }
  await Promise.all(responses);
  expect(iterations).toBeLessThan(5_000);
});

it("while connections keep coming, a later request starts before the first requests that wait", async () => {
  const { startedCalls, port } = await startServer();
  const open = connect(port, "127.0.0.1");
  ends.push(() => open.destroy());
  open.write("GET /first HTTP/1.1\r\nHost: api.example\r\n\r\n");
  await once(open, "data");
  const responses: Promise<string>[] = [];
  for (let iterations = 0; !startedCalls.includes("/later") && iterations < 5_000; iterations += 1) {
    if (iterations === 100) open.write("GET /later HTTP/1.1\r\nHost: api.example\r\n\r\n");
    responses.push(
      exchangeBytes(port, buildHead({ path: "/more" })),
      exchangeBytes(port, buildHead({ path: "/more" })),
    );
    await turned();
  }
  const [before, arrivedCount] = [startedCalls.indexOf("/later"), responses.length];
  await Promise.all(responses);
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(arrivedCount / 2);
});

it("the request of a single new connection starts immediately", async () => {
  const { startedCalls, port, server } = await startServer();
  let startedAtOnce = 0;
  server.on("request", () => {
    startedAtOnce = startedCalls.length;
  });
  await exchangeBytes(port, buildHead({ path: "/alone" }));
  expect(startedAtOnce).toBe(1);
});

it("the later requests of a connection start as they arrive", async () => {
  const { startedCalls, port } = await startServer();
  const socket = connect(port, "127.0.0.1");
  ends.push(() => socket.destroy());
  for (const path of ["/first", "/second", "/third"]) {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: api.example\r\n\r\n`);
    await once(socket, "data");
  }
  expect(startedCalls).toEqual(["/first", "/second", "/third"]);
});
