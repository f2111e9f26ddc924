/** All words of choosing a part of a picture. */
export const crop = {
  title: (label: string) => `${label}: choose the part`,
  part: (width: number, height: number) =>
    `The part of the picture that is used, ${width} × ${height} pixels`,
  hint: "Drag it to move it. Pinch it, or turn the wheel, to change its size.",
  size: "Size",
  across: "From left to right",
  down: "From top to bottom",
  tooLarge: "This part takes more than 512 KiB. Choose a simpler picture.",
  whole: "Whole picture",
  use: "Use this part",
};

/** All words of a field for a picture. */
export const picture = {
  tooLarge: (file: string) => `“${file}” has more than 30 MB.`,
  unreadable: (file: string) => `“${file}” is no picture that can be read here. Save it as a PNG or JPEG.`,
  isKept: "A picture is kept.",
  drop: "Drop or paste a picture, or",
  choose: "choose a file",
  remove: (label: string) => `Remove ${label.toLowerCase()}`,
};
