/** A width and height, in any unit. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The part of a picture that is visible in a frame, as determined by the picture's scale and alignment. */
export interface Crop {
  /** The picture's scale, as a multiple of the scale at which the picture just covers the frame. */
  readonly zoom: number;
  /**
   * The picture's horizontal alignment, from 0 if its left edge is at the frame's left edge to 1 if its right edge is at the
   * frame's right edge.
   */
  readonly x: number;
  /**
   * The picture's vertical alignment, from 0 if its top edge is at the frame's top edge to 1 if its bottom edge is at the frame's
   * bottom edge.
   */
  readonly y: number;
}

export interface Rect extends Size {
  readonly left: number;
  readonly top: number;
}

/** Maximum zoom, as a multiple of the scale at which the picture just covers the frame. */
export const MAX_ZOOM = 6;

/** Returns the minimum zoom, at which the whole picture just fits in the frame. */
export function minZoom(picture: Size, frame: Size): number {
  return Math.min(scaleX(picture, frame), scaleY(picture, frame)) / coverScale(picture, frame);
}

/**
 * Returns the initial, centered crop.
 * @param isWhole whether the whole picture fits in the frame. If false, the picture covers the frame.
 */
export function firstCrop(picture: Size, frame: Size, isWhole: boolean): Crop {
  return { zoom: isWhole ? minZoom(picture, frame) : 1, x: 0.5, y: 0.5 };
}

/** Returns the picture's position and size relative to the frame. */
export function placePicture(picture: Size, frame: Size, { zoom, x, y }: Crop): Rect {
  const scale = coverScale(picture, frame) * zoom;
  const [width, height] = [picture.width * scale, picture.height * scale];
  return { left: (frame.width - width) * x, top: (frame.height - height) * y, width, height };
}

/** Moves the picture by a distance in frame units, stopping when an edge of the picture reaches the frame's edge. */
export function panBy(picture: Size, frame: Size, crop: Crop, right: number, down: number): Crop {
  const { width, height } = placePicture(picture, frame, crop);
  const along = (at: number, by: number, room: number) =>
    Math.abs(room) < 0.5 ? at : Math.min(1, Math.max(0, at + by / room));
  return {
    ...crop,
    x: along(crop.x, right, frame.width - width),
    y: along(crop.y, down, frame.height - height),
  };
}

/**
 * Multiplies the zoom by a factor, within the minimum and maximum zoom. If possible, the point at the center of the frame stays
 * there.
 */
export function zoomBy(picture: Size, frame: Size, crop: Crop, factor: number): Crop {
  const zoom = Math.min(MAX_ZOOM, Math.max(minZoom(picture, frame), crop.zoom * factor));
  const [before, after] = [
    placePicture(picture, frame, crop),
    placePicture(picture, frame, { ...crop, zoom }),
  ];
  const grown = after.width / before.width;
  const wanted = {
    left: frame.width / 2 - (frame.width / 2 - before.left) * grown,
    top: frame.height / 2 - (frame.height / 2 - before.top) * grown,
  };
  return panBy(picture, frame, { ...crop, zoom }, wanted.left - after.left, wanted.top - after.top);
}

/** Returns the part of the frame that the picture covers. */
export function visibleArea(frame: Size, { left, top, width, height }: Rect): Rect {
  const [from, above] = [Math.max(0, left), Math.max(0, top)];
  return {
    left: from,
    top: above,
    width: Math.min(frame.width, left + width) - from,
    height: Math.min(frame.height, top + height) - above,
  };
}

const scaleX = (picture: Size, frame: Size) => frame.width / picture.width;
const scaleY = (picture: Size, frame: Size) => frame.height / picture.height;
const coverScale = (picture: Size, frame: Size) => Math.max(scaleX(picture, frame), scaleY(picture, frame));
