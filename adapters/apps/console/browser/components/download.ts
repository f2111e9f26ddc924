/**
 * Downloads text as a file in the browser.
 * @param name the file name.
 * @param type the media type.
 */
export function download(name: string, text: string, type = "text/csv"): void {
  saveFile(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/**
 * Downloads a blob as a file in the browser.
 * @param name the file name.
 */
export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
