/** Adds passes to Apple Wallet and Google Wallet. */

export type { SetupFinding } from "../../setup/finding.js";
export type { SignatureDigest } from "./apple/cms-signature.js";
export type { AppleOptions, PushResponse, SendPush } from "./apple/identity.js";
export type { LogDeviceLine } from "./apple/web-service.js";
export type { CardLook } from "./card-look.js";
export type { CardState, Scale, StampRenderer } from "./drawing.js";
export type { GoogleOptions } from "./google/identity.js";
export type { FindPicture } from "./picture-cache.js";
export { pictureDecoder } from "./picture-decoder.js";
export { checkWallets, createWallets, type Wallets, type WalletsOptions } from "./wallets.js";
