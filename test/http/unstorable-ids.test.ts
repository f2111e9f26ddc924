import { beforeAll, describe, expect, test } from "vitest";
import { createWorld, endpoints, parseParameters, pathOf, titleOf } from "./endpoints.js";
import { testOnEachDatabase } from "./every-mount.js";

const endpointsWithIds = endpoints.filter(({ path }) => parseParameters(path).length > 0);

testOnEachDatabase((http) => {
  describe("an id with NUL, which no storage accepts,", () => {
    let acme: Awaited<ReturnType<typeof createWorld>>;

    beforeAll(async () => {
      acme = await createWorld(http);
    });

    test.each(endpointsWithIds.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
      "is not found by %s",
      async (_, endpoint) => {
        const { method, path } = endpoint;
        for (const name of parseParameters(path)) {
          const target = pathOf(endpoint, acme.world, { [name]: "a%00b" });
          const { status } = await acme.call(method, target, endpoint.body?.(acme.world));
          expect([name, status], target).toEqual([name, 404]);
        }
      },
    );
  });
});
