/** Width and height, in any unit. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Which part of a picture is seen in a frame. */
export interface Crop {
  /** The scale of the picture. At 1 it just covers the frame. */
  readonly zoom: number;
  /** The position of the spare or cut-off part: 0 puts all of it on the right, 1 on the left. */
  readonly x: number;
  /** The same from below to above. */
  readonly y: number;
}

export interface Rect extends Size {
  readonly left: number;
  readonly top: number;
}

/** The largest zoom, relative to the size that just covers the frame. */
export const MAX_ZOOM = 6;

/** The zoom at which all of a picture is in the frame. */
export function minZoom(picture: Size, frame: Size): number {
  return Math.min(scaleX(picture, frame), scaleY(picture, frame)) / coverScale(picture, frame);
}

/** The crop to begin with: the middle of the picture, covering the frame, or all of it. */
export function firstCrop(picture: Size, frame: Size, isWhole: boolean): Crop {
  return { zoom: isWhole ? minZoom(picture, frame) : 1, x: 0.5, y: 0.5 };
}

/** Returns the picture's position in the frame. */
export function placePicture(picture: Size, frame: Size, { zoom, x, y }: Crop): Rect {
  const scale = coverScale(picture, frame) * zoom;
  const [width, height] = [picture.width * scale, picture.height * scale];
  return { left: (frame.width - width) * x, top: (frame.height - height) * y, width, height };
}

/** Moves the picture by a distance in units of the frame, within its limits. */
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

/** Zooms the picture by a factor, within its limits. The center stays where possible. */
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

/** The part of the frame that the picture fills. */
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
