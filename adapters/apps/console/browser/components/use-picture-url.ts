import { useEffect, useState } from "preact/hooks";
import { mount } from "../api/session.js";

/** Pictures fetched so far, by hash. Pictures never change. */
const urlCache = new Map<string, Promise<string | null>>();

/**
 * Returns a picture as a `data:` URL, which can be embedded in drawings. Returns `null` while the picture is loading, or if the
 * server doesn't serve pictures because it has neither customer pages nor wallets.
 * @param picture the picture's hash, a `data:` URL, or `null` for no picture.
 */
export function usePictureUrl(picture: string | null): string | null {
  const [loaded, setLoaded] = useState<{ readonly source: string; readonly url: string | null } | null>(null);
  const isHash = picture !== null && !picture.startsWith("data:");
  useEffect(() => {
    if (picture === null || !isHash) return;
    let isUnmounted = false;
    const urlPromise = urlCache.get(picture) ?? fetchDataUrl(picture);
    urlCache.set(picture, urlPromise);
    void urlPromise.then((url) => !isUnmounted && setLoaded({ source: picture, url }));
    return () => {
      isUnmounted = true;
    };
  }, [picture, isHash]);
  if (!isHash) return picture;
  return loaded?.source === picture ? loaded.url : null;
}

async function fetchDataUrl(hash: string): Promise<string | null> {
  try {
    const pagesResponse = await fetch(`${mount}/j/pictures/${hash}`);
    const response = pagesResponse.ok ? pagesResponse : await fetch(`${mount}/wallets/images/${hash}`);
    if (!response.ok) return null;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    return `data:${response.headers.get("content-type") ?? "image/png"};base64,${btoa(text)}`;
  } catch {
    return null;
  }
}

/**
 * Converts an SVG document to a `data:` URL for an image element. The browser doesn't run scripts or load other resources for an
 * SVG that is shown this way.
 */
export function toSvgUrl(svg: string): string {
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
