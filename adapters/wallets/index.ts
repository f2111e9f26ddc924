/** Passes in Apple's Wallet and Google Wallet. */

export type { Finding } from "../setup/finding.js";
export type { SignatureDigest } from "./apple/cms-signature.js";
export type { AppleOptions, Push, PushResponse } from "./apple/identity.js";
export type { DeviceLog } from "./apple/web-service.js";
export type { CardLook } from "./card-look.js";
export type { CardState, Drawer, Scale } from "./drawing.js";
export type { GoogleOptions } from "./google/identity.js";
export { pictureDecoder } from "./picture-decoder.js";
export type { Pictures } from "./remembered-pictures.js";
export { checkWallets, createWallets, type Wallets, type WalletsOptions } from "./wallets.js";
