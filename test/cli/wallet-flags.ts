import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createFakePki } from "loyalty-kit/testing";

/** The options of a server with Apple Wallet passes, whose certificates are put into a folder. */
export function walletFlags(folder: string): string[] {
  const pki = createFakePki();
  const fileOf = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  return [
    ["--public-url", "https://shop.example"],
    ["--apple-certificate", fileOf("pass.pem", pki.pass.certificate)],
    ["--apple-key", fileOf("pass.key", pki.pass.key)],
    ["--apple-wwdr", fileOf("wwdr.pem", pki.wwdr)],
  ].flat();
}
