import { createCipheriv, randomBytes } from "node:crypto";
import { expect, it, onTestFinished, vi } from "vitest";
import { decrypt, encrypt, KEY_BYTES } from "../../src/base/secrets/secret-keys.js";

it("a text without context can be encrypted and decrypted where a runtime refuses an empty context", () => {
  const key = randomBytes(KEY_BYTES);
  const cipher = Object.getPrototypeOf(createCipheriv("aes-256-gcm", key, randomBytes(12)));
  const setAAD = vi.spyOn(cipher, "setAAD").mockImplementation(() => {
    throw new Error("an empty context");
  });
  onTestFinished(() => setAAD.mockRestore());
  expect(decrypt(key, encrypt(key, "a secret"))).toBe("a secret");
  expect(() => encrypt(key, "a secret", "for a row")).toThrow("an empty context");
});
