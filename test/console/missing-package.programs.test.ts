import { expect, it } from "vitest";
import { hidePackage, runProgram } from "../kit/without-package.js";

it("a console with passkeys names the package to install at start, and one without doesn't need it", async () => {
  const begins = `
  const { createConsole } = await import("./adapters/apps/console/index.ts");
  const { memoryStorage } = await import("./adapters/storage/memory/index.ts");
  const { LoyaltyService } = await import("./src/index.ts");
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const told = (options) => {
    try {
      return createConsole(loyalty, options).paths.length;
    } catch ({ name, message }) {
      return { name, message };
    }
  };
  console.log(JSON.stringify([told({}), told({ passkeys: "https://shop.example" })]));`;
  expect(await runProgram(hidePackage("@simplewebauthn/server") + begins)).toEqual([
    3,
    {
      name: "PackageMissing",
      message: "loyalty-kit/console needs @simplewebauthn/server: npm install @simplewebauthn/server@14",
    },
  ]);
});
