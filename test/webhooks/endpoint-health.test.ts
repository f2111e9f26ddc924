import { expect, it } from "vitest";
import { EndpointHealthCache } from "../../adapters/delivery/webhooks/worker/endpoint-run.js";

it("a worker remembers the health of 10,000 endpoints, and forgets the one that it tried least recently", () => {
  const standings = new EndpointHealthCache();
  for (let at = 0; at < 10_000; at += 1) standings.note(`whe_${at}`, "good");
  standings.note("whe_0", "troubled");
  standings.note("whe_more", "good");
  expect(standings.of("whe_1")).toBeNull();
  expect([standings.of("whe_0"), standings.of("whe_2"), standings.of("whe_more")]).toEqual([
    "troubled",
    "good",
    "good",
  ]);
});
