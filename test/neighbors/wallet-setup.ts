import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFakeGoogle, createFakePki } from "loyalty-kit/testing";

/** The public URL of the service. */
export const PUBLIC_URL = "https://shop.example";

/** Certificates of Apple and a fake Google for the wallets of a service. */
export interface WalletSetup {
  readonly passType: string;
  readonly apple: { readonly certificate: string; readonly key: string; readonly wwdr: string };
  readonly google: { readonly issuerId: string; readonly serviceAccount: string };
  /** Command-line flags for them. */
  readonly flags: readonly string[];
  close(): Promise<void>;
}

export async function createWalletSetup(): Promise<WalletSetup> {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-neighbors-"));
  const pki = createFakePki();
  const google = await createFakeGoogle();
  const writeSetupFile = (name: string, content: string) => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const apple = { certificate: pki.pass.certificate, key: pki.pass.key, wwdr: pki.wwdr };
  const { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl } = google;
  return {
    passType: pki.passTypeId,
    apple,
    google: { issuerId, serviceAccount },
    flags: [
      ["--public-url", PUBLIC_URL],
      ["--apple-certificate", writeSetupFile("pass.pem", apple.certificate)],
      ["--apple-key", writeSetupFile("pass.key", apple.key)],
      ["--apple-wwdr", writeSetupFile("wwdr.pem", apple.wwdr)],
      ["--google-issuer", issuerId],
      ["--google-service-account", writeSetupFile("account.json", serviceAccount)],
      ["--google-api-url", apiUrl],
      ["--google-token-url", tokenUrl],
      ["--google-keys-url", keysUrl],
    ].flat(),
    async close() {
      rmSync(folder, { recursive: true });
      await google.close();
    },
  };
}
