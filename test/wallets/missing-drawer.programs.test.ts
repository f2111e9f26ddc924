import { expect, it } from "vitest";
import { hidePackage, runProgram } from "../kit/without-package.js";

/** Prints the findings of a server with Apple's half of the wallets, and of one without any wallet. */
const checking = `
  const { LoyaltyService } = await import("./src/index.ts");
  const { memoryStorage } = await import("./adapters/storage/memory/index.ts");
  const { createWallets } = await import("./adapters/delivery/wallets/index.ts");
  const { createFakePki } = await import("./adapters/testing/index.ts");
  const { pass, wwdr } = createFakePki();
  const apple = { certificate: pass.certificate, key: pass.key, wwdr, organizationName: "Coffee" };
  const found = [];
  for (const platforms of [{ apple }, {}]) {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const wallets = createWallets(loyalty, { publicUrl: "https://shop.example", deliver: false, ...platforms });
    found.push((await wallets.check()).map(({ message }) => message));
    await wallets.close();
    await loyalty.close();
  }
  console.log(JSON.stringify(found));`;

it("without its package, the wallet doctor says how to have stamps drawn, but only if there is a wallet", async () => {
  expect(await runProgram(hidePackage("@resvg/") + checking)).toEqual([
    ["cards show stamps as numbers, not as a picture: to have them drawn, npm install @resvg/resvg-wasm"],
    [],
  ]);
});
