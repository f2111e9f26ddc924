import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, test } from "vitest";

const loyalty = new LoyaltyService({ storage: memoryStorage() });

function createFetch(basePath: string) {
  return createHttpApi(loyalty, { authenticate: apiTokens(loyalty), basePath }).fetch;
}

describe("the base path of fetch", () => {
  test.each(["/loyalty", "loyalty", "/loyalty/", "//loyalty//"])("may be written %s", async (basePath) => {
    const response = await createFetch(basePath)(
      new Request("https://host.example/loyalty/v1/openapi.json#top"),
    );
    expect(await response.json()).toMatchObject({ servers: [{ url: "/loyalty" }] });
  });

  test("is removed if present, and only as a whole", async () => {
    const fetch = createFetch("/loyalty");
    const getStatus = async (path: string) =>
      (await fetch(new Request(`https://host.example${path}`))).status;
    expect(await getStatus("/loyalty/v1/users")).toBe(401);
    expect(await getStatus("/v1/users")).toBe(401);
    for (const path of [
      "/loyalty",
      "/loyalty?x=/v1/users",
      "/loyaltyx/v1/users",
      "/loyalty/loyalty/v1/users",
    ]) {
      expect(await getStatus(path), path).toBe(404);
    }
  });
});

test("fetch throws a TypeError if the host has already read the body", async () => {
  const request = new Request("https://host.example/v1/users", { method: "POST", body: "{}" });
  await request.text();
  await expect(createFetch("")(request)).rejects.toThrow(TypeError);
});
