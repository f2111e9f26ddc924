import { LoyaltyService, type StorageAdapter, scopes } from "loyalty-kit";
import { describe, expect, it, onTestFinished } from "vitest";
import { awaitInStep } from "../../src/base/concurrency/step.js";
import { mounts } from "./mounts.js";

/** Makes snapshots wait until their signal is aborted, or forever. @returns how many have begun and stopped. */
function slowSnapshots(storage: StorageAdapter) {
  const counts = { begun: 0, stopped: 0 };
  const snapshot = storage.snapshot.bind(storage);
  storage.snapshot = (organizationId, work, options = {}) =>
    snapshot(
      organizationId,
      function* (reader) {
        counts.begun += 1;
        yield* awaitInStep(
          new Promise<void>((resolve) => {
            options.signal?.addEventListener("abort", () => resolve());
          }),
        );
        try {
          return yield* work(reader);
        } catch (error) {
          if (error === options.signal?.reason) counts.stopped += 1;
          throw error;
        }
      },
      options,
    );
  return counts;
}

describe.each(mounts)("a client that disconnects, $name", ({ openStorage, serve, hasSocket }) => {
  it.each([
    { what: "a search", path: "/v1/contacts?search=ada" },
    { what: "a streamed list", path: "/v1/users" },
  ])("stops $what, and no error is reported", async ({ path }) => {
    const storage = await openStorage();
    const errors: unknown[] = [];
    const loyalty = new LoyaltyService({ storage });
    const { token } = await loyalty
      .organization("acme")
      .apiTokens.create({ name: "all", scopes: [...scopes] });
    const counts = slowSnapshots(storage);
    const server = await serve(loyalty, { onError: (error) => errors.push(error), rateLimits: false });
    onTestFinished(async () => {
      await server.close();
      await loyalty.close();
    });
    const abortController = new AbortController();
    const response = server.fetch(server.baseUrl + path, {
      headers: { authorization: `Bearer ${token}` },
      signal: abortController.signal,
    });
    const assertion = hasSocket
      ? expect(response).rejects.toThrow()
      : expect(response).resolves.toMatchObject({ status: 499 });
    await expect.poll(() => counts.begun).toBe(1);
    abortController.abort();
    await assertion;
    await expect.poll(() => counts.stopped).toBe(1);
    expect(errors).toEqual([]);
  });
});
