import type { BarcodeDetector } from "qr/decode.js";

/** Reads QR codes in pictures of a camera. */
export interface CodeReader {
  /** The text of a code in the picture; `null` when there is none. */
  read(picture: HTMLVideoElement): Promise<string | null>;
}

type Detector = Pick<BarcodeDetector, "detect">;

/** The browser's own reader, or ours where it has none: that is loaded only then. */
export async function openCodeReader(): Promise<CodeReader> {
  const detector = (await ofBrowser()) ?? (await ours());
  return {
    async read(picture) {
      const [code] = await detector.detect(picture).catch(() => []);
      return code?.rawValue ?? null;
    },
  };
}

async function ofBrowser(): Promise<Detector | null> {
  const Native: typeof BarcodeDetector | undefined = Reflect.get(globalThis, "BarcodeDetector");
  const formats = (await Native?.getSupportedFormats().catch(() => [])) ?? [];
  return Native !== undefined && formats.includes("qr_code") ? new Native({ formats: ["qr_code"] }) : null;
}

async function ours(): Promise<Detector> {
  const { BarcodeDetector } = await import("qr/decode.js");
  return new BarcodeDetector({ formats: ["qr_code"] });
}
