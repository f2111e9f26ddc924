/** Gives the browser a text to keep as a file. */
export function download(name: string, text: string, type = "text/csv"): void {
  keepFile(name, new Blob([text], { type: `${type};charset=utf-8` }));
}

/** Gives the browser a file to keep. */
export function keepFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
