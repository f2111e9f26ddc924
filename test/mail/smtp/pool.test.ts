import { expect, it } from "vitest";
import { NoConnectionError, SessionPool } from "../../../adapters/delivery/mail/smtp/transport.js";

it("a mail is refused when a thousand wait for a connection, and all waiting ones when the pool closes", async () => {
  const pool = new SessionPool(() => new Promise(() => {}), 1, 20_000);
  const until = performance.now() + 60_000;
  let sentCount = 0;
  const useConnection = () =>
    pool.use(
      async () => {
        sentCount += 1;
      },
      () => false,
      until,
    );
  void useConnection();
  const waiting = Array.from({ length: 1_000 }, () => useConnection().catch((error: unknown) => error));
  await expect(useConnection()).rejects.toThrow("too many emails are waiting for a connection");
  void pool.close();
  for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(NoConnectionError);
  await expect(useConnection()).rejects.toThrow(NoConnectionError);
  expect(sentCount).toBe(0);
});
