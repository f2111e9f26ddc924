import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import encodeQR from "qr";
import { addCleanup } from "../kit/cleanup.js";
import { openBrowser } from "./shop.js";

const [WIDTH, HEIGHT] = [640, 480];
const MODULE = 10;

/** Opens a browser whose camera sees a QR code with this text on gray paper. */
export function openBrowserBefore(text: string): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-camera-"));
  addCleanup(() => rmSync(folder, { recursive: true, force: true }));
  const film = join(folder, "card.y4m");
  writeFileSync(film, createFilm(text));
  return openBrowser(["--use-fake-device-for-media-stream", `--use-file-for-fake-video-capture=${film}`]);
}

/** Creates a video as Chromium plays it for a camera: always the same frame, a QR code on gray paper. */
function createFilm(text: string): Buffer {
  const modules = encodeQR(text, "raw", { border: 2 });
  const luma = Buffer.alloc(WIDTH * HEIGHT, 180);
  const size = modules.length * MODULE;
  const [left, top] = [Math.floor((WIDTH - size) / 2), Math.floor((HEIGHT - size) / 2)];
  for (let y = 0; y < size; y += 1) {
    for (let x = 0; x < size; x += 1) {
      const isDark = modules[Math.floor(y / MODULE)]?.[Math.floor(x / MODULE)] ?? false;
      luma[(top + y) * WIDTH + left + x] = isDark ? 30 : 220;
    }
  }
  const frame = Buffer.concat([Buffer.from("FRAME\n"), luma, Buffer.alloc((WIDTH * HEIGHT) / 2, 128)]);
  const head = Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420mpeg2\n`);
  return Buffer.concat([head, ...Array.from({ length: 10 }, () => frame)]);
}
