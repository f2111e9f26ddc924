import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { MailRateLimiter } from "../../adapters/delivery/mail/rate.js";
import { attemptSend } from "../../adapters/delivery/mail/send-attempt.js";
import { MailSendError } from "../../adapters/delivery/mail/send-error.js";
import { runs } from "../properties/runs.js";
import { openWorker } from "./scripted-mails.js";

const TRANSPORT_DOWN = new MailSendError({ fault: "transport", code: 535, answer: "sign in" });

/** Returns the largest number of moments within any period of `ms` milliseconds. */
function countMostWithin(ms: number, moments: readonly number[]): number {
  const sorted = moments.toSorted((a, b) => a - b);
  return Math.max(0, ...sorted.map((start) => sorted.filter((at) => at >= start && at <= start + ms).length));
}

describe("the sending rate", () => {
  it("is never exceeded in any period, whenever the server sees a mail between its start and its end", async () => {
    const mail = fc.record({
      pause: fc.nat(700),
      takes: fc.nat(900),
      seen: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    const rates = fc.record({
      requests: fc.integer({ min: 1, max: 5 }),
      seconds: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(rates, fc.array(mail, { maxLength: 60 }), (rate, mails) => {
        let now = 0;
        const window = new MailRateLimiter(rate, () => now);
        const ends: number[] = [];
        const times: number[] = [];
        const endUntil = (time: number) => {
          for (const end of ends.toSorted((a, b) => a - b)) {
            if (end > time) break;
            now = Math.max(now, end);
            window.end();
            ends.splice(ends.indexOf(end), 1);
          }
          now = time;
        };
        for (const { pause, takes, seen: at } of mails) {
          endUntil(now + pause);
          if (window.capacity <= 0) continue;
          window.acquire(1);
          ends.push(now + takes);
          times.push(now + at * takes);
        }
        expect(countMostWithin(rate.seconds * 1_000, times)).toBeLessThanOrEqual(rate.requests);
      }),
      runs(300),
    );
  });

  it("applies to all organizations and lanes together, and is fully used", async () => {
    const { worker, mails, sent, run } = openWorker({ rate: { requests: 3, seconds: 1 }, latencyMs: 20 });
    for (const organization of ["acme", "globex"]) mails.add(organization, "pass", 10);
    mails.add("acme", "message", 10);
    worker.start();
    await run(12_000);
    await worker.close();
    expect(sent).toHaveLength(30);
    expect(
      countMostWithin(
        1_000,
        sent.map(({ to }) => to),
      ),
    ).toBe(3);
  });
});

describe("a worker", () => {
  it("sends pass mails before messages, across all organizations", async () => {
    const { worker, mails, sent, run } = openWorker({ rate: { requests: 2, seconds: 1 } });
    mails.add("acme", "message", 20);
    worker.start();
    await run(1_500);
    mails.add("globex", "pass", 2);
    const before = sent.length;
    await run(2_500);
    const next = sent.slice(before).map(({ id }) => id.split("_")[1]);
    expect(next.indexOf("globex")).toBeLessThanOrEqual(2);
    await run(20_000);
    await worker.close();
    expect(sent).toHaveLength(22);
  });

  it("reserves a slot for pass mails, even if messages take long", async () => {
    const { worker, mails, sent, run } = openWorker({ latencyMs: 40_000, maxConcurrentSends: 4 });
    mails.add("acme", "message", 20);
    worker.start();
    await run(2_000);
    expect(sent).toHaveLength(3);
    mails.add("globex", "pass", 1);
    await run(2_000);
    expect(sent.map(({ id }) => id)).toContain("mdl_globex_pass_21");
    worker.close();
    await run(60_000);
  });

  it("serves organizations in turn", async () => {
    const { worker, mails, sent, run } = openWorker({ rate: { requests: 2, seconds: 1 } });
    mails.add("large", "pass", 100);
    worker.start();
    await run(5_000);
    for (const organization of ["one", "two", "three"]) mails.add(organization, "pass", 1);
    const before = sent.length;
    await run(5_000);
    const organizations = sent.slice(before, before + 8).map(({ id }) => id.split("_")[1]);
    expect(organizations).toEqual(expect.arrayContaining(["one", "two", "three"]));
    void worker.close();
    await run(1_000);
  });

  it("claims only as many mails as it can send immediately", async () => {
    const { worker, mails, run } = openWorker({ rate: { requests: 3, seconds: 60 } });
    mails.add("acme", "pass", 10);
    worker.start();
    await run(10_000);
    expect(mails.outcomes).toHaveLength(3);
    expect(Math.max(...mails.claims)).toBeLessThanOrEqual(3);
    void worker.close();
    await run(1_000);
  });

  it("finishes mails in progress when it is closed, and starts no others", async () => {
    const { worker, mails, sent, run } = openWorker({ latencyMs: 3_000, maxConcurrentSends: 2 });
    mails.add("acme", "pass", 10);
    worker.start();
    await run(100);
    const closing = worker.close();
    await run(5_000);
    await closing;
    expect(sent).toHaveLength(2);
    expect(mails.listResults()).toEqual(["accepted", "accepted"]);
  });

  it("retries recording results while the storage fails", async () => {
    const { worker, mails, sent, errors, run } = openWorker();
    mails.isReadOnly = true;
    mails.add("acme", "pass", 1);
    worker.start();
    await run(1_000);
    mails.isReadOnly = false;
    await run(5_000);
    await worker.close();
    expect(sent).toHaveLength(1);
    expect(mails.listResults()).toEqual(["accepted"]);
    expect(errors.length).toBeGreaterThan(0);
  });
});

describe("results that can't be stored", () => {
  it("occupy the slots of their mails, so that at most the mails in flight are sent twice", async () => {
    const { worker, mails, sent, run } = openWorker({ maxConcurrentSends: 3 });
    mails.isReadOnly = true;
    mails.add("acme", "pass", 20);
    worker.start();
    await run(10_000);
    expect(sent).toHaveLength(3);
    mails.isReadOnly = false;
    await run(20_000);
    expect(sent).toHaveLength(20);
    await worker.close();
    expect(mails.outcomes).toHaveLength(20);
  });
});

describe("a transport fault", () => {
  it("makes all mails wait while one of them retries, after growing pauses", async () => {
    const { worker, mails, transport, sent, faults, run } = openWorker();
    const answer = transport.reply;
    transport.reply = async () => {
      throw TRANSPORT_DOWN;
    };
    for (let at = 0; at < 50; at += 1) mails.add(`organization-${at}`, "pass", 2);
    worker.start();
    await run(4_000);
    expect(sent).toHaveLength(5);
    expect(worker.state.isWaiting).toBe(true);
    expect(faults).toEqual([{ kind: "transport", isUncertain: false, code: 535, answer: "sign in" }]);
    await run(296_000);
    const times = sent.slice(4).map(({ from }) => from);
    const pauses = times.slice(1).map((time, at) => Math.round((time - (times[at] ?? 0)) / 1_000));
    expect(pauses.length).toBeGreaterThan(3);
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b));
    expect(new Set(mails.listResults())).toEqual(new Set(["transport"]));
    expect(faults).toHaveLength(1);

    transport.reply = answer;
    await run(600_000);
    expect(worker.state.isWaiting).toBe(false);
    expect(mails.listResults().filter((kind) => kind === "accepted").length).toBe(100 - 5 - pauses.length);
    await worker.close();
  });

  it("ends as soon as the server gives any reply about a mail", async () => {
    const { worker, mails, transport, run } = openWorker({ maxConcurrentSends: 1 });
    transport.reply = async () => {
      throw TRANSPORT_DOWN;
    };
    mails.add("acme", "pass", 2);
    worker.start();
    await run(2_000);
    transport.reply = async () => {
      throw new MailSendError({ fault: "address", isPermanent: true, code: 550, answer: "5.1.1 nobody" });
    };
    await run(10_000);
    expect(worker.state.isWaiting).toBe(false);
    expect(mails.listResults()).toEqual(["transport", "refused"]);
    await worker.close();
  });

  it("leaves mails that were claimed but not started as they were", async () => {
    const { worker, mails, transport, sent, run } = openWorker({ maxConcurrentSends: 2 });
    mails.add("acme", "pass", 3);
    const claim = mails.claim.bind(mails);
    let claims = 0;
    mails.claim = async (...args) => {
      claims += 1;
      const jobs = await claim(...args);
      // The first mail fails during the next claim.
      if (claims === 2) await new Promise<void>((resolve) => setTimeout(resolve, 0));
      return jobs;
    };
    transport.reply = async () => {
      throw TRANSPORT_DOWN;
    };
    worker.start();
    await run(3_000);
    expect(sent.length + mails.listResults().filter((kind) => kind === "unsent").length).toBe(
      mails.outcomes.length,
    );
    await worker.close();
  });
});

describe("an attempt", () => {
  afterEach(() => void vi.useRealTimers());

  const sender = {
    publicUrl: "https://shop.example",
    from: { name: null, address: "cards@shop.example" },
    ...{ replyTo: null, bounceDomain: null, host: "shop.example" },
  };

  async function createJob() {
    const { mails } = openWorker();
    mails.add("acme", "pass", 1);
    const [job] = await mails.claim("acme", "pass", 1);
    if (job === undefined) throw new Error("no mail was claimed");
    return job;
  }

  it("that never ends is given up before its claim expires, and counts as uncertain", async () => {
    const job = await createJob();
    vi.useFakeTimers();
    const transport = { send: () => new Promise<never>(() => {}) };
    const result = attemptSend(job, { sender, transport, onError: () => {} }, 0);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(await result).toMatchObject({ kind: "refused", isPermanent: false, isUncertain: true });
  });

  it("that fails with an unexpected error is a transport fault, and the error is reported", async () => {
    const errors: unknown[] = [];
    const error = new Error("a mistake");
    const transport = { send: () => Promise.reject(error) };
    const result = await attemptSend(
      await createJob(),
      { sender, transport, onError: (each) => errors.push(each) },
      0,
    );
    expect(result).toMatchObject({ kind: "transport", isUncertain: true });
    expect(errors).toEqual([error]);
  });

  it("counts if its mail can't be built, and the error is reported", async () => {
    const errors: unknown[] = [];
    const transport = { send: () => Promise.reject(new Error("not to be called")) };
    const job = { ...(await createJob()), pass: null };
    const result = await attemptSend(job, { sender, transport, onError: (each) => errors.push(each) }, 0);
    expect(result).toMatchObject({ kind: "refused", fault: "message", isPermanent: false });
    expect(errors).toHaveLength(1);
  });
});
