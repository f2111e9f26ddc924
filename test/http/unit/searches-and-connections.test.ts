import { once } from "node:events";
import { connect } from "node:net";
import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi, nodeServer } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, onTestFinished, test, vi } from "vitest";
import { yieldIfDue } from "../../../src/base/concurrency/event-loop.js";
import { interceptSnapshots } from "../../kit/intercept-calls.js";

const STEPS = 5;
const CONNECTIONS = 40;

test("a search doesn't continue in an iteration of the event loop in which a connection was accepted", async () => {
  let hasAccepted = false;
  const isYielded: boolean[] = [];
  let time = performance.now() + 200;
  const storage = interceptSnapshots(memoryStorage(), function* (method, proceed) {
    for (let step = 0; method === "listContacts" && step < STEPS; step += 1) {
      yield* yieldIfDue();
      isYielded.push(hasAccepted);
      time += 11;
    }
    return yield* proceed();
  });
  const loyalty = new LoyaltyService({ storage });
  const server = nodeServer(createHttpApi(loyalty, { authenticate: apiTokens(loyalty) }));
  server.on("connection", () => {
    hasAccepted = true;
    setImmediate(() => {
      hasAccepted = false;
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    vi.restoreAllMocks();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("it has no port");
  // All searches of the process share the scheduler, so time must not go back.
  vi.spyOn(performance, "now").mockImplementation(() => time);
  for (let at = 0; at < CONNECTIONS; at += 1) connect(address.port, "127.0.0.1").on("error", () => {});
  // The first connection is accepted.
  await once(server, "connection");
  await loyalty.organization("acme").contacts.list({ search: "a" });
  expect(isYielded).toEqual(Array(STEPS).fill(false));
});
