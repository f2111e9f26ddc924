import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createFakePki } from "loyalty-kit/testing";
import { createWallets } from "loyalty-kit/wallets";
import { expect, it, onTestFinished } from "vitest";

it("a request body that breaks off is refused with 400, and no error is reported", async () => {
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const { pass, wwdr } = createFakePki();
  const wallets = createWallets(loyalty, {
    publicUrl: "https://shop.example",
    apple: { ...pass, wwdr },
    deliver: false,
    stampRenderer: null,
    onError,
  });
  onTestFinished(() => wallets.close());
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    extensions: [wallets.http],
    onError,
  });
  const body = new ReadableStream({
    pull(stream) {
      stream.error(new Error("aborted"));
    },
  });
  const request = new Request("https://shop.example/wallets/apple/v1/log", {
    method: "POST",
    body,
    ...{ duplex: "half" },
  });
  expect((await api.fetch(request)).status).toBe(400);
  expect(errors).toEqual([]);
});
