import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Installation } from "./installed.js";

/** A module that draws the stamps of a new card for Apple Wallet, and returns the hash of the picture. */
export const drawnModule = `
  import { createHash } from "node:crypto";
  import { createHttpApi } from "loyalty-kit/http";
  import { createWallets } from "loyalty-kit/wallets";
  import { createFakePki, verifiedPass } from "loyalty-kit/testing";

  export async function drawStamps(loyalty) {
    const pki = createFakePki();
    const apple = { ...pki.pass, wwdr: pki.wwdr, organizationName: "Coffee" };
    const wallets = createWallets(loyalty, { publicUrl: "https://shop.example", apple, deliver: false });
    const api = createHttpApi(loyalty, { authenticate: async () => null, extensions: [wallets.http] });
    const { templates, passes, stamps } = loyalty.organization("drawn");
    const { id } = await templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 10 });
    const card = await passes.create(id, { user: { email: "ada@example.com" } });
    await stamps.add(card.id, { count: 7 });
    const { apple: link } = await passes.walletLinks(card.id);
    const drawn = async () => {
      const answer = await api.fetch(new Request(link));
      if (!answer.ok) return null;
      return verifiedPass(new Uint8Array(await answer.arrayBuffer()), pki.root, Date.now()).files.get("strip@3x.png");
    };
    // A busy machine may leave no time for drawing.
    let strip = await drawn();
    for (let tries = 0; tries < 9 && !strip; tries += 1) strip = await drawn();
    await wallets.close();
    return createHash("sha256").update(strip ?? "").digest("hex");
  }`;

/** Draws the stamps with the installed package, which has threads, and returns the hash of the picture. */
export function drawByThreads({ folder }: Installation): string {
  writeFileSync(join(folder, "drawn.js"), drawnModule);
  const program = `
    import { LoyaltyService } from "loyalty-kit";
    import { memoryStorage } from "loyalty-kit/memory";
    import { drawStamps } from "./drawn.js";
    const onError = (error) => { if (error.name !== "DrawingTimeout") throw error; };
    console.log(await drawStamps(new LoyaltyService({ storage: memoryStorage(), onError })));`;
  const args = ["--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  if (stderr !== "") throw new Error(stderr);
  return stdout.trim();
}
