import { beforeAll, describe, expect, test } from "vitest";
import { endpoints, parametersOf, pathOf, titleOf, world } from "./endpoints.js";
import { onEachDatabase } from "./every-mount.js";

const withIds = endpoints.filter(({ path }) => parametersOf(path).length > 0);

onEachDatabase((http) => {
  describe("an id with NUL, which no storage keeps,", () => {
    let acme: Awaited<ReturnType<typeof world>>;

    beforeAll(async () => {
      acme = await world(http);
    });

    test.each(withIds.map((endpoint) => [titleOf(endpoint), endpoint] as const))(
      "is not found by %s",
      async (_, endpoint) => {
        const { method, path } = endpoint;
        for (const name of parametersOf(path)) {
          const target = pathOf(endpoint, acme.world, { [name]: "a%00b" });
          const { status } = await acme.call(method, target, endpoint.body?.(acme.world));
          expect([name, status], target).toEqual([name, 404]);
        }
      },
    );
  });
});
