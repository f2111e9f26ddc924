import assert from "node:assert/strict";
import { LoyaltyService } from "loyalty-kit";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createFakePki, verifiedPass } from "loyalty-kit/testing";
import { createWallets } from "loyalty-kit/wallets";
import { PKPass } from "passkit-generator";
import type { Bench } from "./bench.js";
import { atMost, formatMs, print } from "./report.js";
import { timeInTurn } from "./timing.js";

const MAX_STAMPS = 10;

/**
 * A pass over its link: the first of a state, whose stamps are drawn at three scales, and one whose stamps were drawn
 * before; against passkit-generator, which signs and packs the same files.
 */
export const runWalletPasses: Bench = async ({ rounds, sliceMs }) => {
  const pki = createFakePki();
  const { certificate, key } = pki.pass;
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  const wallets = createWallets(loyalty, {
    publicUrl: "https://shop.example",
    apple: { certificate, key, wwdr: pki.wwdr, organizationName: "Coffee & Co" },
    deliver: false,
  });
  const api = createHttpApi(loyalty, { authenticate: bearerTokens(loyalty), extensions: [wallets.http] });
  const acme = loyalty.organization("acme");
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: MAX_STAMPS });
  const { id } = await acme.passes.create(template.id, { user: { email: "ada@example.com" } });
  await acme.stamps.add(id, { count: 7 });
  const { apple } = await acme.passes.walletLinks(id);

  const downloadPass = async () => {
    const response = await api.fetch(new Request(apple ?? ""));
    assert.equal(response.status, 200);
    return Buffer.from(await response.arrayBuffer());
  };
  let color = 0;
  const changeColor = async () => {
    color += 1;
    const backgroundColor = `#${color.toString(16).padStart(6, "0")}`;
    await acme.templates.update(template.id, { design: { backgroundColor, stamps: { shape: "CUP" } } });
  };
  const { files } = verifiedPass(await downloadPass(), pki.root, Date.now());
  assert.equal(files.get("strip@3x.png")?.readUInt32BE(16), 1_125);
  const theirFiles = Object.fromEntries(
    [...files].filter(([name]) => name !== "manifest.json" && name !== "signature"),
  );
  const certificates = { wwdr: pki.wwdr, signerCert: certificate, signerKey: key };
  const generatePass = () => new PKPass(theirFiles, certificates).getAsBuffer();
  for (const bytes of [await downloadPass(), generatePass()]) assert.ok(bytes.includes("strip@3x.png"));

  const getTime = await timeInTurn(
    { first: { ready: changeColor, work: downloadPass }, again: downloadPass, generator: generatePass },
    { rounds, sliceMs },
  );
  await wallets.close();
  await loyalty.close();
  const buildRow = (label: string, name: string, max: number) => ({
    label,
    ours: formatMs(getTime(name)),
    peer: formatMs(getTime("generator")),
    peerName: "passkit-generator, which draws nothing",
    ratio: getTime(name) / getTime("generator"),
    isLessBetter: true as const,
    goals: [atMost(getTime(name), max, " ms")],
  });
  print("A pass for Apple's Wallet over HTTP (ratio: times passkit-generator)", [
    buildRow("a state drawn for the first time", "first", 30),
    buildRow("a state drawn before", "again", 3),
  ]);
};
