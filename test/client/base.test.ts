import { ConnectionError, createClient } from "loyalty-kit/client";
import { describe, expect, it } from "vitest";
import { loseRequest, openDisturbed, replaceResponse } from "./over-http.js";

/** Returns the URL of a client's first call. */
async function findCallUrl(url: string | URL): Promise<string | undefined> {
  const calledUrls: string[] = [];
  const recordCall = async (at: string) => {
    calledUrls.push(at);
    return Response.json([]);
  };
  await createClient({ url, token: "till", fetch: recordCall }).tags.list();
  return calledUrls[0];
}

describe("the URL of a client", () => {
  it.each<[string | URL, string]>([
    ["https://api.example.com", "https://api.example.com/v1/user-tags"],
    ["HTTP://localhost:3000/loyalty//", "HTTP://localhost:3000/loyalty/v1/user-tags"],
    [new URL("http://127.0.0.1:3000"), "http://127.0.0.1:3000/v1/user-tags"],
    ["/loyalty", "/loyalty/v1/user-tags"],
    ["../loyalty", "../loyalty/v1/user-tags"],
    ["", "/v1/user-tags"],
  ])("may be %s", async (url, calledUrl) => {
    const actualUrl = await findCallUrl(url);
    expect(actualUrl?.split("?")[0]).toBe(calledUrl);
  });

  it.each([
    ["api.example.com/loyalty", "https://api.example.com/loyalty"],
    ["localhost:3000", "http://localhost:3000"],
    ["127.0.0.1:3000", "http://127.0.0.1:3000"],
    ["ws://api.example.com", "https://api.example.com"],
    ["https://", "https://api.example.com"],
  ])("is refused without a scheme that the client can call, with a suggestion: %s", (url, suggestedUrl) => {
    const createTestClient = () => createClient({ url, token: "till" });
    expect(createTestClient).toThrow(TypeError);
    expect(createTestClient).toThrow(`as in "${suggestedUrl}"`);
  });

  it("appears in the error if no service responds there, or a different one does", async () => {
    const silent = openDisturbed([loseRequest], { retries: 0 });
    const message =
      "The service at https://api.example/loyalty can't be reached, or its response was cut off.";
    await expect(silent.client.tags.list()).rejects.toThrow(new ConnectionError(message, null));
    const elsewhere = openDisturbed([replaceResponse(404, {}, "<h1>Not found</h1>")]);
    await expect(elsewhere.client.tags.list()).rejects.toThrow(
      "The response with status 404 isn't from the service. Check that https://api.example/loyalty is the part of the URL before /v1.",
    );
  });
});
