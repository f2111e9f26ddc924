import { afterEach, describe, expect, it } from "vitest";
import type { SendWebhook, WebhookRequest } from "../../adapters/delivery/webhooks/worker/attempt.js";
import { createEndpointWorker } from "../../adapters/delivery/webhooks/worker/webhook-worker.js";
import { ScriptedQueue } from "./scripted-queue.js";
import { VirtualTime } from "./simulation/virtual-time.js";

const SECOND = 1_000;

const sceneEnds: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of sceneEnds.splice(0)) await end();
});

type Answer = { readonly status: number; readonly ms: number };

/** @param answerOf returns how the receiver of a host responds, and after how many milliseconds. */
function openScene(answerOf: (host: string) => Answer, { attempts = 100, attemptsPerEndpoint = 4 } = {}) {
  const time = new VirtualTime(0);
  const queue = new ScriptedQueue(time);
  const sentRequests: { readonly host: string; readonly at: number }[] = [];
  const underWay = new Map<string, number>();
  const most = { ofOne: 0, inAll: 0 };

  function count(host: string, change: number): void {
    underWay.set(host, (underWay.get(host) ?? 0) + change);
    most.ofOne = Math.max(most.ofOne, ...underWay.values());
    most.inAll = Math.max(
      most.inAll,
      [...underWay.values()].reduce((sum, each) => sum + each, 0),
    );
  }

  const send: SendWebhook = async ({ url, signal }: WebhookRequest) => {
    const { host } = new URL(url);
    sentRequests.push({ host, at: time.now });
    count(host, 1);
    signal.addEventListener("abort", () => count(host, -1));
    const { status, ms } = answerOf(host);
    await time.pass(ms);
    if (!signal.aborted) count(host, -1);
    return { status, retryAfter: null, answer: "" };
  };

  const { clock } = time;
  const settings = { clock, after: time.after, send, timeout: 15 * SECOND, tracer: null };
  const worker = createEndpointWorker(queue, settings, { attempts, attemptsPerEndpoint, pollMs: SECOND });
  const passTime = (ms: number) => time.leapTo(time.now + ms, waitUntilQuiet);
  sceneEnds.push(async () => {
    const closing = worker.close();
    await passTime(60 * SECOND);
    await closing;
  });
  return {
    queue,
    time,
    sentRequests,
    most,
    worker,
    pass: passTime,
    listSent: (host: string) => sentRequests.filter((each) => each.host === `${host}.example`),
  };
}

/** Waits until everything that needs no timer has run. */
async function waitUntilQuiet(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const answerWell = () => ({ status: 204, ms: 10 });
const DEAD: Answer = { status: 200, ms: 3_600 * SECOND };

describe("a worker", () => {
  it("delivers events of this process immediately, and those of another process within a second", async () => {
    const { queue, pass, listSent: sentTo, time } = openScene(answerWell);
    await pass(5 * SECOND);
    queue.add("told", 1);
    const toldAt = time.now;
    await pass(100);
    expect(sentTo("told").map(({ at }) => at - toldAt)).toEqual([expect.closeTo(6, -1)]);
    queue.add("untold", 1, false);
    await pass(1_100);
    expect(sentTo("untold")).toHaveLength(1);
  });

  it("makes up to the configured number of attempts per endpoint and in total", async () => {
    const {
      queue,
      pass,
      most,
      queue: { recordedResults },
    } = openScene(answerWell, { attempts: 10, attemptsPerEndpoint: 3 });
    for (let at = 0; at < 8; at += 1) {
      queue.organizations.set(`host-${at}`, `organization-${at}`);
      queue.add(`host-${at}`, 50);
    }
    await pass(60 * SECOND);
    expect(recordedResults.flat()).toHaveLength(400);
    expect(most).toEqual({ ofOne: 3, inAll: 10 });
  });

  it("claims at most 64 deliveries of an endpoint at a time, even if it is quick", async () => {
    const { queue, pass } = openScene(answerWell);
    queue.add("quick", 5_000);
    await pass(120 * SECOND);
    expect(queue.recordedResults.flat()).toHaveLength(5_000);
    expect(queue.mostClaimed).toBeGreaterThan(8);
    expect(queue.mostClaimed).toBeLessThanOrEqual(64);
  });

  it("keeps dead endpoints from delaying others, regardless of their number", async () => {
    const {
      queue,
      pass,
      listSent: sentTo,
      time,
    } = openScene((host) => (host.startsWith("dead") ? DEAD : answerWell()), {
      attempts: 100,
    });
    // More than there are slots, one after the other.
    for (let at = 0; at < 300; at += 1) {
      queue.add(`dead-${at}`, 100);
      await pass(SECOND);
    }
    for (let at = 0; at < 20; at += 1) {
      queue.add("live", 10);
      const end = time.now + SECOND / 2;
      await pass(SECOND / 2);
      expect(sentTo("live")).toHaveLength(10 * (at + 1));
      expect(time.now).toBe(end);
    }
  });

  it("reserves slots for endpoints that have responded, even if unknown endpoints hang", async () => {
    const {
      queue,
      pass,
      listSent: sentTo,
    } = openScene((host) => (host.startsWith("dead") ? DEAD : answerWell()));
    queue.add("live", 1);
    await pass(SECOND);
    for (let at = 0; at < 200; at += 1) queue.add(`dead-${at}`, 1);
    await pass(SECOND);
    queue.add("live", 10);
    await pass(SECOND / 2);
    expect(sentTo("live")).toHaveLength(11);
  });

  it.each([100, 400, 1_000])("finds its work behind %i endpoints that get nothing", async (count) => {
    const { queue, pass, listSent: sentTo } = openScene(answerWell);
    queue.idle = Array.from({ length: count }, (_, at) => `idle-${at}`);
    await pass(SECOND);
    queue.add("live", 1);
    await pass(3 * SECOND);
    expect(sentTo("live")).toHaveLength(1);
  });

  it("delivers to an organization immediately, even if many endpoints of another one hang", async () => {
    const {
      queue,
      pass,
      listSent: sentTo,
      time,
    } = openScene((host) => (host.startsWith("dead") ? DEAD : answerWell()));
    for (let at = 0; at < 100; at += 1) {
      queue.organizations.set(`dead-${at}`, "hostile");
      queue.add(`dead-${at}`, 20);
    }
    await pass(100 * SECOND);
    const start = time.now;
    queue.organizations.set("quiet", "quiet");
    queue.add("quiet", 10);
    await pass(SECOND);
    expect(sentTo("quiet")).toHaveLength(10);
    expect((sentTo("quiet")[0]?.at ?? 0) - start).toBeLessThan(300);
  });

  it("delivers to a slow receiver at its own pace, even if many endpoints of another organization hang", async () => {
    const answerOf = (host: string) => (host.startsWith("dead") ? DEAD : { status: 200, ms: 1_200 });
    const { queue, pass, listSent: sentTo } = openScene(answerOf);
    for (let at = 0; at < 100; at += 1) {
      queue.organizations.set(`dead-${at}`, "hostile");
      queue.add(`dead-${at}`, 20);
    }
    await pass(100 * SECOND);
    queue.organizations.set("slow", "quiet");
    queue.add("slow", 10);
    await pass(15 * SECOND);
    expect(sentTo("slow")).toHaveLength(10);
  });

  it("treats an endpoint as troubled if another worker has found it so", async () => {
    const {
      queue,
      pass,
      most,
      listSent: sentTo,
    } = openScene((host) => (host === "new.example" ? answerWell() : DEAD), {
      attempts: 100,
    });
    for (let at = 0; at < 200; at += 1) {
      queue.organizations.set(`dead-${at}`, `organization-${at}`);
      queue.troubled.add(`dead-${at}`);
      queue.add(`dead-${at}`, 1);
    }
    queue.add("new", 1);
    await pass(SECOND);
    expect(sentTo("new")).toHaveLength(1);
    expect(most.inAll).toBeLessThanOrEqual(51);
  });

  it("makes one attempt at a time at a failing endpoint, until it succeeds", async () => {
    let status = 500;
    const { queue, pass, most } = openScene(() => ({ status, ms: 100 }));
    queue.add("host", 4);
    await pass(SECOND);
    most.ofOne = 0;
    queue.add("host", 20);
    await pass(10 * SECOND);
    expect(most.ofOne).toBe(1);
    status = 200;
    queue.add("host", 20);
    await pass(10 * SECOND);
    expect(most.ofOne).toBe(4);
  });

  it("sends no other claimed delivery after the receiver responded that it is gone", async () => {
    const { queue, pass, sentRequests } = openScene(() => ({ status: 410, ms: 10 }), {
      attemptsPerEndpoint: 1,
    });
    queue.claimNext = async () => ({
      jobs: sentRequests.length === 0 ? ScriptedQueue.createJobs("host", 20) : [],
      hasMore: false,
    });
    queue.add("host", 1);
    await pass(10 * SECOND);
    expect(sentRequests).toHaveLength(1);
  });

  it("records results that arrive during another recording together", async () => {
    const { queue, pass } = openScene(() => ({ status: 200, ms: 0 }));
    queue.add("host", 200);
    await pass(10 * SECOND);
    expect(queue.recordedResults.flat()).toHaveLength(200);
    expect(queue.recordedResults.length).toBeLessThan(60);
  });

  it("gives up an attempt after its timeout, even if the sender ignores the abort", async () => {
    const { queue, pass } = openScene(() => DEAD);
    queue.add("host", 1);
    await pass(16 * SECOND);
    expect(queue.recordedResults.flat()).toMatchObject([
      { result: { status: null, duration: 15 * SECOND, error: "no response within 15 seconds" } },
    ]);
  });

  it("fails an attempt whose secret can't sign, sends nothing, and serves others", async () => {
    const { queue, pass, listSent: sentTo } = openScene(answerWell);
    queue.secrets.set("unsigned", "not base64!");
    queue.add("unsigned", 1);
    queue.add("host", 1);
    await pass(5 * SECOND);
    expect(sentTo("unsigned")).toEqual([]);
    expect(sentTo("host")).toHaveLength(1);
    const attempts = queue.recordedResults.flat().filter(({ job }) => job.url === "https://unsigned.example");
    expect(attempts).toMatchObject([{ result: { status: null, error: expect.stringMatching("base64") } }]);
  });

  it("polls a failing storage less and less often, and continues when it is back", async () => {
    const { queue, pass, sentRequests } = openScene(answerWell);
    queue.isDown = true;
    queue.add("host", 10);
    await pass(300 * SECOND);
    expect(queue.looks).toBeLessThan(20);
    expect(queue.errors).toHaveLength(queue.looks);
    queue.isDown = false;
    await pass(31 * SECOND);
    expect(sentRequests).toHaveLength(10);
  });

  it("polls a storage that fails to write less and less often, and continues when it writes again", async () => {
    const { queue, pass, sentRequests } = openScene(answerWell);
    queue.isReadOnly = true;
    for (let at = 0; at < 300; at += 1) queue.add(`host-${at}`, 1);
    await pass(300 * SECOND);
    expect(queue.looks).toBeLessThan(20);
    expect(queue.errors.length).toBeLessThan(20 * 100);
    queue.isReadOnly = false;
    await pass(32 * SECOND);
    expect(sentRequests).toHaveLength(300);
  });

  it("pauses for many simultaneous failures only as long as for one", async () => {
    const { queue, pass, sentRequests } = openScene(answerWell);
    queue.isReadOnly = true;
    for (let at = 0; at < 50; at += 1) queue.add(`host-${at}`, 1);
    await pass(SECOND);
    expect(queue.errors.length).toBeGreaterThanOrEqual(50);
    queue.isReadOnly = false;
    await pass(3 * SECOND);
    expect(sentRequests).toHaveLength(50);
  });

  it("records results once another transaction unlocks the endpoint", async () => {
    const { queue, pass, listSent: sentTo } = openScene(() => ({ status: 200, ms: 500 }));
    for (const host of ["a", "b", "c", "d", "e"]) queue.add(host, 1);
    await pass(SECOND / 4);
    for (const host of ["a", "b", "c", "d", "e"]) queue.locked.add(host);
    await pass(5 * SECOND);
    queue.add("another", 1);
    await pass(SECOND);
    expect(queue.recordedResults.flat()).toMatchObject([{ job: { endpointId: "another" } }]);
    queue.locked.clear();
    await pass(5 * SECOND);
    expect(queue.recordedResults.flat()).toHaveLength(6);
    expect(sentTo("a")).toHaveLength(1);
    expect(queue.errors).toEqual([]);
  });

  it("records results even if the storage failed for a while", async () => {
    const { queue, pass, sentRequests } = openScene(() => ({ status: 200, ms: 500 }));
    queue.add("host", 1);
    await pass(SECOND / 4);
    queue.isDown = true;
    await pass(5 * SECOND);
    queue.isDown = false;
    await pass(20 * SECOND);
    expect(sentRequests).toHaveLength(1);
    expect(queue.recordedResults.flat()).toHaveLength(1);
  });

  it("closes when the attempts in progress are recorded, and starts none", async () => {
    const { queue, pass, worker, sentRequests } = openScene(() => ({ status: 200, ms: 500 }));
    queue.add("host", 100);
    await pass(600);
    expect(sentRequests).toHaveLength(5);
    let isClosed = false;
    const closing = worker.close().then(() => {
      isClosed = true;
    });
    await pass(300);
    expect(isClosed).toBe(false);
    await pass(300);
    await closing;
    expect(sentRequests).toHaveLength(5);
    expect(queue.recordedResults.flat()).toHaveLength(5);
  });
});
