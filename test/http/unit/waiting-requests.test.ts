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
  const begun: string[] = [];
  const server = createServer(
    admitFairly(({ url = "" }, response) => {
      begun.push(url);
      response.end();
    }),
  ).listen(0, "127.0.0.1");
  ends.push(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { begun, port, server };
}

it("where many connect at once, most requests whose clients are gone are not begun", async () => {
  const { begun, port } = await startServer();
  const gone = Array.from({ length: 40 }, () => sendAndEnd(port, buildHead({ path: "/gone" })));
  const answer = await exchangeBytes(port, buildHead({ path: "/waiting" }));
  await Promise.all(gone);
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(begun).toContain("/waiting");
  expect(begun.length).toBeLessThan(20);
});

it("where many connect at once, nobody waits for all requests of another caller", async () => {
  const { begun, port } = await startServer();
  const loud = Array.from({ length: 60 }, () =>
    exchangeBytes(port, buildHead({ path: "/loud", headers: ["Authorization: Bearer loud"] })),
  );
  const quiet = exchangeBytes(port, buildHead({ path: "/quiet", headers: ["Authorization: Bearer quiet"] }));
  await Promise.all([...loud, quiet]);
  expect(begun).toHaveLength(61);
  expect(begun.indexOf("/quiet")).toBeLessThan(20);
});

it("where many connect at once, few first requests are begun before the last connection is accepted", async () => {
  const { begun, port, server } = await startServer();
  const all = 200;
  let [accepted, begunBefore] = [0, 0];
  server.on("connection", () => {
    accepted += 1;
    if (accepted === all) begunBefore = begun.length;
    // Longer than first requests wait for those behind them, all together.
    for (const end = performance.now() + 1; performance.now() < end; );
  });
  await Promise.all(Array.from({ length: all }, () => exchangeBytes(port, buildHead({ path: "/" }))));
  expect(begun).toHaveLength(all);
  expect(begunBefore).toBeLessThan(all / 4);
});

it("while connections wait to be accepted, later requests of others wait as well", async () => {
  const { begun, port, server } = await startServer();
  const open = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"));
  ends.push(() => {
    for (const socket of open) socket.destroy();
  });
  const getLater = (socket: Socket) => {
    socket.write("GET /later HTTP/1.1\r\nHost: api.example\r\n\r\n");
    return once(socket, "data");
  };
  await Promise.all(open.map(getLater));
  let accepted = 0;
  let begunMeanwhile = 0;
  const asked: Promise<unknown>[] = [];
  server.on("connection", () => {
    accepted += 1;
    if (accepted === 10) {
      begun.length = 0;
      asked.push(...open.map(getLater));
    }
    if (accepted === 30) begunMeanwhile = begun.length;
    for (const end = performance.now() + 1; performance.now() < end; );
  });
  await Promise.all(Array.from({ length: 120 }, () => exchangeBytes(port, buildHead({ path: "/first" }))));
  await Promise.all(asked);
  expect(begunMeanwhile).toBeLessThan(10);
  expect(begun.filter((path) => path === "/later")).toHaveLength(20);
});

it("where connections keep coming, first requests are begun all the same", async () => {
  const { begun, port } = await startServer();
  const sent: Promise<string>[] = [];
  let turns = 0;
  while (!begun.includes("/waiting") && turns < 5_000) {
    const path = turns === 10 ? "/waiting" : "/more";
    sent.push(exchangeBytes(port, buildHead({ path })), exchangeBytes(port, buildHead({ path: "/more" })));
    turns += 1;
    await turned();
  }
  await Promise.all(sent);
  expect(turns).toBeLessThan(5_000);
});

it("where connections keep coming, a later request goes before the first ones that wait", async () => {
  const { begun, port } = await startServer();
  const open = connect(port, "127.0.0.1");
  ends.push(() => open.destroy());
  open.write("GET /first HTTP/1.1\r\nHost: api.example\r\n\r\n");
  await once(open, "data");
  const sent: Promise<string>[] = [];
  for (let turns = 0; !begun.includes("/later") && turns < 5_000; turns += 1) {
    if (turns === 100) open.write("GET /later HTTP/1.1\r\nHost: api.example\r\n\r\n");
    sent.push(
      exchangeBytes(port, buildHead({ path: "/more" })),
      exchangeBytes(port, buildHead({ path: "/more" })),
    );
    await turned();
  }
  const [before, came] = [begun.indexOf("/later"), sent.length];
  await Promise.all(sent);
  expect(before).toBeGreaterThan(0);
  expect(before).toBeLessThan(came / 2);
});

it("the request of one who connects alone is begun as it comes", async () => {
  const { begun, port, server } = await startServer();
  let begunAtOnce = 0;
  server.on("request", () => {
    begunAtOnce = begun.length;
  });
  await exchangeBytes(port, buildHead({ path: "/alone" }));
  expect(begunAtOnce).toBe(1);
});

it("the later requests of a connection are begun as they come", async () => {
  const { begun, port } = await startServer();
  const socket = connect(port, "127.0.0.1");
  ends.push(() => socket.destroy());
  for (const path of ["/first", "/second", "/third"]) {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: api.example\r\n\r\n`);
    await once(socket, "data");
  }
  expect(begun).toEqual(["/first", "/second", "/third"]);
});
