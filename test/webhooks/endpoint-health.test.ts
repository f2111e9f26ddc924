import { expect, it } from "vitest";
import { EndpointHealthCache } from "../../adapters/delivery/webhooks/worker/endpoint-run.js";

it("a worker remembers the health of 10,000 endpoints, and forgets the one that it tried least recently", () => {
  const standings = new EndpointHealthCache();
  for (let at = 0; at < 10_000; at += 1) standings.set(`whe_${at}`, "good");
  standings.set("whe_0", "troubled");
  standings.set("whe_more", "good");
  expect(standings.get("whe_1")).toBeNull();
  expect([standings.get("whe_0"), standings.get("whe_2"), standings.get("whe_more")]).toEqual([
    "troubled",
    "good",
    "good",
  ]);
});
