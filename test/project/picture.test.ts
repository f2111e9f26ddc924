import { expect, it } from "vitest";
import { drawn } from "../../docs/architecture.js";

it("the pictures in docs/contributing/architecture.md show the code as it is; npm run picture draws them anew", () => {
  const { now, fresh } = drawn();
  expect(now).toBe(fresh);
});
