/** UI text for the form field where the user uploads a picture. */
export const picture = {
  tooLarge: (file: string) => `“${file}” is larger than 30 MB.`,
  unreadable: (file: string) => `“${file}” can’t be read as a picture. Save it as a PNG or JPEG.`,
  isKept: "Picture saved.",
  drop: "Drop or paste a picture, or",
  choose: "choose a file",
  crop: (label: string) => `Crop ${label.toLowerCase()}`,
  remove: (label: string) => `Remove ${label.toLowerCase()}`,
};
