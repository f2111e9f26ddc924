import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { DAY_MS } from "../../../src/base/values/clock.js";

/** Flaws that make a simulated callback invalid. A receiver must reject a callback that has any of them. */
export interface CallbackFlaws {
  /** Whether to sign with unpublished keys instead of Google's keys. */
  readonly isForged?: boolean;
  /** The expired part of the callback: the message, its intermediate key, or the root key. */
  readonly expired?: "message" | "intermediate" | "root";
  /** Whether to sign with a root key that has no expiration time. */
  readonly isRootWithoutEnd?: boolean;
  /** The sender name to put in the signature. Default: `GooglePayPasses`, as in Google's own callbacks. */
  readonly sender?: string;
  /** The recipient name to put in the signature. Default: the ID of the issuer that owns the object. */
  readonly recipient?: string;
  /** The protocol version to put in the callback. Default: the current version. */
  readonly protocolVersion?: string;
  /** A function that alters the message after it is signed. */
  readonly tampered?: (message: string) => string;
}

interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const PROTOCOL = "ECv2SigningOnly";

/** Signs callbacks the way Google does. A root key signs an intermediate key, which signs the message. */
export class GoogleSigner {
  private readonly roots = [createKeys(), createKeys(), createKeys()] as const;
  private readonly intermediate = createKeys();
  private readonly foreignKeys = createKeys();

  constructor(private readonly now: () => number) {}

  /** Returns the published root keys. One key is valid, one has expired, and one has no expiration time. */
  listPublishedKeys(): object {
    const [validKey, expired, endless] = this.roots;
    const describeKey = ({ publicKey }: KeyPair, keyExpiration: number | null) => ({
      keyValue: exportSpki(publicKey),
      protocolVersion: PROTOCOL,
      ...(keyExpiration !== null && { keyExpiration: String(keyExpiration) }),
    });
    return {
      keys: [
        describeKey(expired, this.now() - DAY_MS),
        describeKey(validKey, this.now() + 30 * DAY_MS),
        describeKey(endless, null),
      ],
    };
  }

  /** Builds the signed body of a callback, with the given flaws. */
  signCallback(event: object, recipient: string, flaws: CallbackFlaws = {}): string {
    const { expired, isForged = false, isRootWithoutEnd = false, tampered = (text: string) => text } = flaws;
    const { sender = "GooglePayPasses", protocolVersion = PROTOCOL } = flaws;
    const [validKey, old, endless] = this.roots;
    const root = isForged
      ? this.foreignKeys
      : expired === "root"
        ? old
        : isRootWithoutEnd
          ? endless
          : validKey;
    const keyExpiration = String(this.now() + (expired === "intermediate" ? -DAY_MS : DAY_MS));
    const signedKey = serialize({ keyValue: exportSpki(this.intermediate.publicKey), keyExpiration });
    const message = serialize(event);
    const signature = createSignature(
      this.intermediate,
      sender,
      flaws.recipient ?? recipient,
      protocolVersion,
      message,
    );
    return serialize({
      signature,
      intermediateSigningKey: {
        signedKey,
        signatures: [
          createSignature(this.foreignKeys, "x"),
          createSignature(root, sender, protocolVersion, signedKey),
        ],
      },
      protocolVersion,
      signedMessage: tampered(message),
    });
  }
}

/** Serializes a value like Google does, as JSON that is safe to embed in HTML. */
function serialize(value: object): string {
  return JSON.stringify(value).replaceAll("=", "\\u003d").replaceAll("<", "\\u003c");
}

function createSignature({ privateKey }: KeyPair, ...texts: readonly string[]): string {
  const parts = texts.flatMap((text) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(Buffer.byteLength(text));
    return [length, Buffer.from(text)];
  });
  return sign("sha256", Buffer.concat(parts), privateKey).toString("base64");
}

function createKeys(): KeyPair {
  return generateKeyPairSync("ec", { namedCurve: "P-256" });
}

function exportSpki(key: KeyObject): string {
  return key.export({ type: "spki", format: "der" }).toString("base64");
}
