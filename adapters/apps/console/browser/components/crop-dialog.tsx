import { useEffect, useRef, useState } from "preact/hooks";
import { crop as words } from "../words/en/crop.js";
import { parts } from "../words/en/parts.js";
import { Button } from "./button.js";
import {
  type Crop,
  computeMinZoom,
  computeVisibleArea,
  createInitialCrop,
  MAX_ZOOM,
  panBy,
  placePicture,
  zoomBy,
} from "./crop.js";
import { Dialog } from "./dialog.js";
import { TextField } from "./field.js";
import type { PictureSize } from "./picture-size.js";

interface CropDialogProps {
  readonly label: string;
  readonly picture: ImageBitmap;
  readonly size: PictureSize;
  readonly onCropped: (dataUrl: string) => void;
  readonly onClose: () => void;
}

/**
 * Scales a picture to the given size without asking what to keep of it.
 * @returns a `data:` URL, or `null` if a part of the picture would be cut off, or if it exceeds the server's size limit.
 */
export function fitPicture(picture: ImageBitmap, size: PictureSize): string | null {
  const isCropped = size.isTrimmed !== true && computeMinZoom(picture, size) < MIN_FITTING_ZOOM;
  return isCropped
    ? null
    : cropPicture(picture, size, createInitialCrop(picture, size, size.isTrimmed ?? false));
}

/** A picture whose proportions differ from its frame's by less than this fits in it. */
const MIN_FITTING_ZOOM = 0.99;

/** Width of the frame, in canvas pixels. */
const CANVAS_WIDTH = 720;

/**
 * A dialog for cropping a picture. The user selects the visible part by dragging, pinching, or scrolling, or with three sliders.
 */
export function CropDialog({ label, picture, size, onCropped, onClose }: CropDialogProps) {
  const frame = { width: CANVAS_WIDTH, height: Math.round((CANVAS_WIDTH * size.height) / size.width) };
  const [crop, setCrop] = useState<Crop>(() => createInitialCrop(picture, frame, size.isTrimmed ?? false));
  const [isTooLarge, setTooLarge] = useState(false);
  const canvas = useRef<HTMLCanvasElement>(null);
  const minZoom = computeMinZoom(picture, frame);
  const isWhole = crop.zoom <= minZoom;

  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (context === null || context === undefined) return;
    const { left, top, width, height } = placePicture(picture, frame, crop);
    context.clearRect(0, 0, frame.width, frame.height);
    context.drawImage(picture, left, top, width, height);
  }, [picture, crop, frame.width, frame.height]);

  const pinch = usePinch(frame.width, {
    onMove: (right, down) => setCrop((previous) => panBy(picture, frame, previous, { right, down })),
    onZoom: (factor) => setCrop((previous) => zoomBy(picture, frame, previous, factor)),
  });
  const applyCrop = () => {
    const url = cropPicture(picture, size, crop);
    setTooLarge(url === null);
    if (url !== null) onCropped(url);
  };
  const renderSlider = (text: string, value: number, onValue: (value: number) => void) => (
    <TextField
      label={text}
      type="range"
      min={0}
      max={100}
      value={String(Math.round(value * 100))}
      onText={(input) => onValue(Number(input) / 100)}
    />
  );
  const zoomRange = Math.log(MAX_ZOOM / minZoom);
  return (
    <Dialog title={words.title(label)} isWide onClose={onClose}>
      <canvas
        ref={canvas}
        class="crop"
        width={frame.width}
        height={frame.height}
        role="img"
        aria-label={words.part(size.width, size.height)}
        style={{ "--crop-width": `${Math.min(36, (20 * size.width) / size.height)}rem` }}
        {...pinch}
      />
      <div class="row spread">
        <p class="hint">{words.hint}</p>
        {!isWhole && (
          <Button
            text={words.whole}
            kind="plain"
            onClick={() => setCrop(createInitialCrop(picture, frame, true))}
          />
        )}
      </div>
      <div class="crop-sliders">
        {renderSlider(words.size, Math.log(crop.zoom / minZoom) / zoomRange, (share) =>
          setCrop((previous) =>
            zoomBy(picture, frame, previous, (minZoom * Math.exp(share * zoomRange)) / previous.zoom),
          ),
        )}
        {renderSlider(words.across, crop.x, (x) => setCrop((previous) => ({ ...previous, x })))}
        {renderSlider(words.down, crop.y, (y) => setCrop((previous) => ({ ...previous, y })))}
      </div>
      {isTooLarge && (
        <p class="field-error" role="alert">
          {words.tooLarge}
        </p>
      )}
      <div class="actions">
        <Button text={parts.cancel} onClick={onClose} />
        <Button text={words.use} kind="primary" onClick={applyCrop} />
      </div>
    </Dialog>
  );
}

interface PinchHandlers {
  /**
   * Called when the user moves the picture.
   * @param right the distance to the right, in the units of the width passed to {@link usePinch}.
   * @param down the distance downwards, in the same units.
   */
  readonly onMove: (right: number, down: number) => void;
  readonly onZoom: (factor: number) => void;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Zoom per unit of wheel movement, as an exponent. */
const WHEEL_ZOOM_RATE = 0.0015;

/**
 * Returns event handlers that let the user move and zoom an element with one or two fingers, or with a mouse and its wheel.
 * @param width the element's width, in the units in which movements are reported.
 */
function usePinch(width: number, { onMove, onZoom }: PinchHandlers) {
  const pointers = useRef(new Map<number, Point>());
  const removePointer = (event: PointerEvent) => {
    pointers.current.delete(event.pointerId);
  };
  return {
    onPointerDown(event: PointerEvent) {
      if (event.currentTarget instanceof Element) event.currentTarget.setPointerCapture(event.pointerId);
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    onPointerMove(event: PointerEvent) {
      const previous = pointers.current.get(event.pointerId);
      if (previous === undefined || !(event.currentTarget instanceof HTMLElement)) return;
      const current = { x: event.clientX, y: event.clientY };
      const unitsPerPixel = width / event.currentTarget.clientWidth;
      const [otherPointer] = [...pointers.current].filter(([id]) => id !== event.pointerId);
      pointers.current.set(event.pointerId, current);
      // With two fingers, each moves the picture by half of its distance.
      const scale = otherPointer === undefined ? unitsPerPixel : unitsPerPixel / 2;
      onMove((current.x - previous.x) * scale, (current.y - previous.y) * scale);
      if (otherPointer === undefined) return;
      const [previousDistance, currentDistance] = [
        measureDistance(previous, otherPointer[1]),
        measureDistance(current, otherPointer[1]),
      ];
      if (previousDistance > 0 && currentDistance > 0) onZoom(currentDistance / previousDistance);
    },
    onPointerUp: removePointer,
    onPointerCancel: removePointer,
    onWheel(event: WheelEvent) {
      event.preventDefault();
      onZoom(Math.exp(-event.deltaY * WHEEL_ZOOM_RATE));
    },
  };
}

function measureDistance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}

/** Maximum size that the server accepts, in bytes. */
const MAX_BYTES = 524_288;

/** JPEG qualities to try, in this order, if a picture is too large as a PNG. */
const QUALITIES = [0.92, 0.8, 0.6];

/**
 * Crops a picture and scales it to the given size.
 * @returns a `data:` URL, or `null` if the picture exceeds the server's size limit in every encoding.
 */
function cropPicture(picture: ImageBitmap, size: PictureSize, crop: Crop): string | null {
  const pictureRect = placePicture(picture, size, crop);
  const area = size.isTrimmed ? computeVisibleArea(size, pictureRect) : { left: 0, top: 0, ...size };
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(area.width));
  canvas.height = Math.max(1, Math.round(area.height));
  const context = canvas.getContext("2d");
  if (context === null) return null;
  context.imageSmoothingQuality = "high";
  context.drawImage(
    picture,
    pictureRect.left - area.left,
    pictureRect.top - area.top,
    pictureRect.width,
    pictureRect.height,
  );
  const encoders = [
    () => canvas.toDataURL("image/png"),
    // JPEG doesn't support transparency, so transparent parts become white.
    ...QUALITIES.map((quality) => () => fillWhiteBackground(canvas).toDataURL("image/jpeg", quality)),
  ];
  for (const encode of encoders) {
    const url = encode();
    if (countBytes(url) <= MAX_BYTES) return url;
  }
  return null;
}

function fillWhiteBackground(canvas: HTMLCanvasElement): HTMLCanvasElement {
  const context = canvas.getContext("2d");
  if (context !== null) {
    context.globalCompositeOperation = "destination-over";
    context.fillStyle = "#fff";
    context.fillRect(0, 0, canvas.width, canvas.height);
  }
  return canvas;
}

function countBytes(dataUrl: string): number {
  return Math.ceil(((dataUrl.length - dataUrl.indexOf(",")) * 3) / 4);
}
