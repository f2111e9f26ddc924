import { setTimeout as sleep } from "node:timers/promises";
import { LoyaltyError, type StorageAdapter } from "loyalty-kit";
import type { StorageReader } from "loyalty-kit/storage";
import { describe, expect, test } from "vitest";
import { awaitInStep } from "../../src/base/concurrency/step.js";
import { ok } from "./answers.js";
import { testOnEveryMount } from "./every-mount.js";

const secret = "password=hunter2 at /var/lib/loyalty.db";

type UserList = StorageReader["listUsers"];

/** Replaces the storage's list of users, and counts its calls; `null` leaves the list as it is. */
const fault: { listUsers: UserList | null; calls: number } = { listUsers: null, calls: 0 };

function wrapFaultyStorage(storage: StorageAdapter): StorageAdapter {
  const faultySnapshot: StorageAdapter["snapshot"] = (organizationId, work, options) =>
    storage.snapshot(organizationId, (reader) => work(wrapFaultyReads(reader)), options);
  return new Proxy(storage, {
    get(target, name) {
      if (name === "snapshot") return faultySnapshot;
      if (name === "reader")
        return (organizationId: string) => wrapFaultyReads(target.reader(organizationId));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function wrapFaultyReads<T extends StorageReader>(reads: T): T {
  return new Proxy(reads, {
    get(target, name) {
      if (name === "listUsers" && fault.listUsers !== null) {
        const { listUsers } = fault;
        return (...args: Parameters<UserList>) => {
          fault.calls += 1;
          return listUsers(...args);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Lists users without end, each of about 10 kB. */
const listEndlessly: UserList = (after, limit) =>
  awaitInStep(
    Array.from({ length: limit }, (_, at) => ({
      id: "usr_0190a6b0-0000-7000-8000-000000000000",
      ordinal: after + 1 + at,
      email: "ada@example.com",
      name: null,
      phone: null,
      externalId: null,
      metadata: JSON.stringify({ note: "x".repeat(10_000) }),
      createdAt: 0,
      updatedAt: 0,
    })),
  );

testOnEveryMount(
  (http) => {
    /** Creates an organization whose list of users comes from this function. */
    const openWithList = async (listUsers: UserList) => {
      fault.listUsers = null;
      const organization = await http.createOrganization();
      http.errors.length = 0;
      fault.listUsers = listUsers;
      fault.calls = 0;
      const requestUsers = (signal?: AbortSignal) =>
        http.served.fetch(`${http.served.baseUrl}/v1/users`, {
          headers: { authorization: `Bearer ${organization.token}` },
          ...(signal && { signal }),
        });
      return { ...organization, requestUsers };
    };

    /** Waits until the storage has not been read for a while. @returns the number of reads. */
    const whenQuiet = async () => {
      for (let calls = fault.calls, quiet = 0; quiet < 6; quiet += 1) {
        await sleep(50);
        if (fault.calls !== calls) quiet = 0;
        calls = fault.calls;
      }
      return fault.calls;
    };

    test("an unexpected error doesn't reveal its cause to the client, but the host's logger receives it", async () => {
      const cause = new Error(secret);
      const { requestUsers, sendPlainly } = await openWithList(() => awaitInStep(Promise.reject(cause)));
      for (const response of [await requestUsers(), await requestUsers()]) {
        expect(response.status).toBe(500);
        expect(response.headers.get("content-type")).toMatch(/^application\/json/);
        const text = await response.text();
        expect(text).toBe('{"code":"internal_error","params":null}');
        http.document.assertPromised("GET", "/v1/users", response.status, JSON.parse(text));
      }
      expect(http.errors).toEqual([cause, cause]);
      expect((await sendPlainly("HEAD", "/v1/users")).text).toBe("");
    });

    test("a busy storage is reported to the client with Retry-After, and to the host's logger", async () => {
      const busy = new LoyaltyError(
        { code: "storage_unavailable", params: null },
        { cause: new Error(secret) },
      );
      const { requestUsers } = await openWithList(() => awaitInStep(Promise.reject(busy)));
      const response = await requestUsers();
      expect(response.status).toBe(503);
      expect(response.headers.get("retry-after")).toBe("1");
      const text = await response.text();
      expect(text).toBe('{"code":"storage_unavailable","params":null}');
      http.document.assertPromised("GET", "/v1/users", response.status, JSON.parse(text));
      expect(http.errors).toEqual([busy]);
    });

    describe("a streamed list", () => {
      test("that fails in the middle never looks complete, and the host's logger receives the error", async () => {
        const cause = new Error(secret);
        const { requestUsers, call } = await openWithList(function* (after, limit) {
          if (fault.calls > 2) throw cause;
          return yield* listEndlessly(after, limit);
        });
        const response = await requestUsers();
        expect(response.status).toBe(200);
        await expect(response.text()).rejects.toThrow();
        await expect.poll(() => http.errors).toEqual([cause]);
        fault.listUsers = null;
        expect(await call("GET", "/v1/users")).toEqual(ok([]));
      });

      test("is read from storage no faster than the client reads it, and no further once the client has left", async () => {
        const { requestUsers, call } = await openWithList(listEndlessly);
        const abortController = new AbortController();
        const response = await requestUsers(abortController.signal);
        const reader = response.body?.getReader();
        await reader?.read();
        // The list is endless, so this would not end if the storage were read ahead of the client.
        const heldCount = await whenQuiet();
        expect(heldCount).toBeGreaterThan(0);
        while (fault.calls === heldCount) await reader?.read();
        if (http.mount.hasSocket) abortController.abort();
        else await reader?.cancel();
        // This would not end either, if the list were still read without a client.
        expect(await whenQuiet()).toBeLessThan(heldCount + 20);
        fault.listUsers = null;
        expect(await call("GET", "/v1/users")).toEqual(ok([]));
        expect(http.errors).toEqual([]);
      });

      test("stops being read if its client leaves before the response begins", async () => {
        let release = () => {};
        const gate = new Promise<void>((resolve) => {
          release = resolve;
        });
        const { requestUsers, call } = await openWithList(function* (...args) {
          yield* awaitInStep(gate);
          return yield* listEndlessly(...args);
        });
        const abortController = new AbortController();
        const lostResponse = requestUsers(abortController.signal).then(
          (response) => response.body?.cancel(),
          () => {},
        );
        await expect.poll(() => fault.calls).toBe(1);
        abortController.abort();
        await sleep(50);
        release();
        await lostResponse;
        const calls = await whenQuiet();
        expect(calls).toBeLessThan(20);
        fault.listUsers = null;
        expect(await call("GET", "/v1/users")).toEqual(ok([]));
      });
    });
  },
  { wrapStorage: wrapFaultyStorage, provokesErrors: true },
);
