import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFakePki } from "loyalty-kit/testing";

/** Writes certificates into a folder, and returns the options of a server with Apple Wallet passes. */
export function writeWalletFlags(folder: string): string[] {
  const pki = createFakePki();
  const writeFile = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  return [
    ["--public-url", "https://shop.example"],
    ["--apple-certificate", writeFile("pass.pem", pki.pass.certificate)],
    ["--apple-key", writeFile("pass.key", pki.pass.key)],
    ["--apple-wwdr", writeFile("wwdr.pem", pki.wwdr)],
  ].flat();
}
