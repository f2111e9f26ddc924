import { LoyaltyService, type Organization } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, expectTypeOf, it, onTestFinished } from "vitest";
import { organizationInternals, serviceInternals } from "../../src/internals.js";

it("a service has names only for what hosts call", () => {
  expectTypeOf<keyof LoyaltyService>().toEqualTypeOf<
    | ("organization" | "transaction" | "runBetweenTransactions" | "on" | "once" | "close")
    | ("verifyToken" | "verifyApiToken" | "secrets" | "runAutomations" | "refreshSegments" | "load")
  >();
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  expect(loyalty).not.toHaveProperty("webhookQueue");
  expect(serviceInternals(loyalty)).toHaveProperty("webhookQueue");
});

it("an organization has no names for what only adapters call", () => {
  expectTypeOf<Extract<keyof Organization, "call" | "holds" | "require">>().toEqualTypeOf<never>();
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  const acme = loyalty.organization("acme", { scopes: ["user:read"] });
  expect(acme).not.toHaveProperty("call");
  expect(organizationInternals(acme).holds("user:read")).toBe(true);
  expect(organizationInternals(acme).holds("user:create")).toBe(false);
});
