import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from "node:crypto";

/** How an authenticator deviates from its request, for hostile tests. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly isVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  readonly credentialId?: string;
  /** The format of the attestation statement, and its contents in CBOR. */
  readonly statement?: readonly [format: string, contents: Buffer];
}

/** Options with which a browser asks a device to create a passkey. */
export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

/** Options with which a browser asks a device to sign. */
export interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

const toBase64url = (bytes: Buffer) => bytes.toString("base64url");

const hashSha256 = (text: string | Buffer) => createHash("sha256").update(text).digest();

/** Encodes a text of less than 24 bytes in CBOR. */
const encodeCborText = (text: string) =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

/** Encodes 24 to 255 bytes in CBOR. */
export const encodeCborBytes = (bytes: Buffer) => Buffer.concat([Buffer.from([0x58, bytes.length]), bytes]);

/** Encodes a P-256 key in COSE, for ES256. */
function encodeCoseKey(publicKey: KeyObject): Buffer {
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const [first, second] = [Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
  const start = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
  return Buffer.concat([start, first, Buffer.from([0x22, 0x58, 0x20]), second]);
}

/**
 * A software device with one passkey. It signs with ES256 as WebAuthn specifies, and claims what the test tells it to
 * claim.
 * @param origin the origin of the browser that uses it.
 */
export class Authenticator {
  readonly credentialId = toBase64url(randomBytes(32));
  userHandle = "";
  private counter = 0;
  private readonly keys = generateKeyPairSync("ec", { namedCurve: "P-256" });

  constructor(
    private readonly origin: string,
    private readonly countsUp = true,
  ) {}

  /** The public key that verifies its signatures, in COSE and base64url. */
  get publicKey(): string {
    return toBase64url(encodeCoseKey(this.keys.publicKey));
  }

  /** Creates the passkey. Returns what `navigator.credentials.create` would resolve to, as JSON. */
  create({ challenge, rp, user }: CreationOptions, deviation: Deviation = {}) {
    this.userHandle = user.id;
    const id = Buffer.from(deviation.credentialId ?? this.credentialId, "base64url");
    const attested = Buffer.concat([
      Buffer.alloc(16),
      Buffer.from([id.length >> 8, id.length & 0xff]),
      id,
      encodeCoseKey(this.keys.publicKey),
    ]);
    const authData = Buffer.concat([this.buildAuthenticatorData(rp.id, 0x40, deviation), attested]);
    const [format, contents] = deviation.statement ?? ["none", Buffer.from([0xa0])];
    const attestationObject = Buffer.concat([
      ...[
        Buffer.from([0xa3]),
        encodeCborText("fmt"),
        encodeCborText(format),
        encodeCborText("attStmt"),
        contents,
      ],
      ...[encodeCborText("authData"), encodeCborBytes(authData)],
    ]);
    const clientDataJSON = toBase64url(this.buildClientData("webauthn.create", challenge, deviation));
    const rawId = toBase64url(id);
    return {
      ...{ id: rawId, rawId, type: "public-key", clientExtensionResults: {} },
      response: {
        clientDataJSON,
        attestationObject: toBase64url(attestationObject),
        transports: ["internal"],
      },
    };
  }

  /** Signs with the passkey. Returns what `navigator.credentials.get` would resolve to, as JSON. */
  get({ challenge, rpId }: RequestOptions, deviation: Deviation = {}) {
    if (this.countsUp) this.counter += 1;
    const authenticatorData = this.buildAuthenticatorData(rpId, 0, deviation);
    const clientData = this.buildClientData("webauthn.get", challenge, deviation);
    const signature = createSign("sha256")
      .update(Buffer.concat([authenticatorData, hashSha256(clientData)]))
      .sign(this.keys.privateKey);
    const id = deviation.credentialId ?? this.credentialId;
    return {
      ...{ id, rawId: id, type: "public-key", clientExtensionResults: {} },
      response: {
        ...{ clientDataJSON: toBase64url(clientData), authenticatorData: toBase64url(authenticatorData) },
        ...{ signature: toBase64url(signature), userHandle: deviation.userHandle ?? this.userHandle },
      },
    };
  }

  private buildClientData(type: string, challenge: string, deviation: Deviation): Buffer {
    const rightData = { type, challenge, origin: this.origin, crossOrigin: false };
    const { origin = rightData.origin } = deviation;
    const data = {
      ...rightData,
      origin,
      challenge: deviation.challenge ?? challenge,
      type: deviation.type ?? type,
    };
    return Buffer.from(JSON.stringify(data));
  }

  private buildAuthenticatorData(rpId: string, flags: number, deviation: Deviation): Buffer {
    const { isVerified = true, counter = this.counter } = deviation;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const present = 0x01 | (isVerified ? 0x04 : 0);
    return Buffer.concat([hashSha256(deviation.rpId ?? rpId), Buffer.from([flags | present]), count]);
  }
}
