import Fastify from "fastify";
import { LoyaltyService } from "loyalty-kit";
import { loyaltyPlugin } from "loyalty-kit/fastify";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it } from "vitest";

it("a Fastify that may be installed beside the package, but can't serve it, says so", async () => {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty) });
  const older = Object.defineProperty(Fastify(), "version", { value: "4.29.1" });
  const registered = async () => older.register(loyaltyPlugin, { api });
  await expect(registered()).rejects.toThrow(/loyalty-kit.*'5\.x'.*'4\.29\.1'/);
  await loyalty.close();
});
