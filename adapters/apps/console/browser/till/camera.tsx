import { useEffect, useRef } from "preact/hooks";
import type { BarcodeDetector } from "qr/decode.js";
import { till as words } from "../words/en/till.js";

/** Time between two frames that are scanned for codes, in milliseconds. */
const SCAN_INTERVAL_MS = 120;

/** How long the same code is ignored while the card is still in front of the camera, in milliseconds. */
const REPEAT_IGNORE_MS = 3_000;

interface CameraProps {
  /** True to shrink the camera picture so that a card fits on the screen too. Scanning continues. */
  readonly isSmall: boolean;
  readonly onCode: (code: string) => void;
  /** Called with the reason if the camera can't be used. */
  readonly onFailed: (reason: string) => void;
}

/** Shows the camera's live image, and calls `onCode` for each code that comes into view. */
export function Camera({ isSmall, onCode, onFailed }: CameraProps) {
  const video = useRef<HTMLVideoElement>(null);
  const latest = useRef({ onCode, onFailed });
  latest.current = { onCode, onFailed };

  useEffect(() => {
    const { current: element } = video;
    if (element === null) return;
    let isUnmounted = false;
    let stream: MediaStream | null = null;
    const scanFrames = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      const detector = (await createNativeDetector()) ?? (await loadBundledDetector());
      element.srcObject = stream;
      await element.play();
      let last = { code: "", at: 0 };
      while (!isUnmounted) {
        const [barcode] = await detector.detect(element).catch(() => []);
        const code = barcode?.rawValue ?? null;
        const isSame = code === last.code && performance.now() - last.at < REPEAT_IGNORE_MS;
        if (code !== null && !isUnmounted) {
          last = { code, at: performance.now() };
          if (!isSame) latest.current.onCode(code);
        }
        await new Promise((resolve) => setTimeout(resolve, SCAN_INTERVAL_MS));
      }
    };
    scanFrames().catch((error: unknown) => {
      if (!isUnmounted) latest.current.onFailed(describeCameraError(error));
    });
    return () => {
      isUnmounted = true;
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
  }, []);

  return (
    <video
      ref={video}
      class={`camera ${isSmall ? "small" : ""}`}
      muted
      playsInline
      aria-label={words.camera.sees}
    />
  );
}

function describeCameraError(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "NotAllowedError") return words.camera.notAllowed;
  if (name === "NotFoundError") return words.camera.none;
  return words.camera.needsHttps;
}

type Detector = Pick<BarcodeDetector, "detect">;

async function createNativeDetector(): Promise<Detector | null> {
  const Native: typeof BarcodeDetector | undefined = Reflect.get(globalThis, "BarcodeDetector");
  const formats = (await Native?.getSupportedFormats().catch(() => [])) ?? [];
  return Native !== undefined && formats.includes("qr_code") ? new Native({ formats: ["qr_code"] }) : null;
}

/** Loads the bundled detector, which is needed only in browsers that have no detector of their own. */
async function loadBundledDetector(): Promise<Detector> {
  const { BarcodeDetector } = await import("qr/decode.js");
  return new BarcodeDetector({ formats: ["qr_code"] });
}
