import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it, onTestFinished } from "vitest";
import { TokenCookie } from "../../adapters/console/server/token-cookie.js";

it("of sessions that were ended early 10,000 are remembered, and none for longer than it would have lasted", async () => {
  let now = 1_800_000_000_000;
  const loyalty = new LoyaltyService({ storage: memoryStorage(), clock: () => now });
  onTestFinished(() => loyalty.close());
  const cookie = new TokenCookie(loyalty, { name: "session", seconds: 600, key: undefined });
  const headers = [["cookie", `session=${await cookie.seal("a token")}`]] as const;
  const session = await cookie.sessionOf(headers);
  if (session === null) throw new Error("there is no session");
  cookie.end(session);
  for (let at = 1; at < 10_000; at += 1) cookie.end({ ...session, id: `${at}` });
  expect(await cookie.sessionOf(headers)).toBeNull();
  cookie.end({ ...session, id: "one too many" });
  expect(await cookie.sessionOf(headers)).toEqual(session);
  now += 600_000;
  expect(await cookie.sessionOf(headers)).toBeNull();
});
