import { useEffect, useState } from "preact/hooks";
import { mount } from "../api/session.js";

/** Pictures fetched so far, by hash. Pictures never change. */
const known = new Map<string, Promise<string | null>>();

/**
 * Returns a picture as a `data:` URL, which can be embedded in drawings. Returns `null` while the picture is loading, or if the
 * server has neither customer pages nor wallets and so doesn't serve pictures.
 * @param picture the picture's hash, a `data:` URL, or `null` for no picture.
 */
export function usePictureUrl(picture: string | null): string | null {
  const [shown, setShown] = useState<{ readonly of: string; readonly url: string | null } | null>(null);
  const isHash = picture !== null && !picture.startsWith("data:");
  useEffect(() => {
    if (picture === null || !isHash) return;
    let isGone = false;
    const fetched = known.get(picture) ?? fetchedUrl(picture);
    known.set(picture, fetched);
    void fetched.then((url) => !isGone && setShown({ of: picture, url }));
    return () => {
      isGone = true;
    };
  }, [picture, isHash]);
  if (!isHash) return picture;
  return shown?.of === picture ? shown.url : null;
}

async function fetchedUrl(hash: string): Promise<string | null> {
  try {
    const ofPages = await fetch(`${mount}/j/pictures/${hash}`);
    const answer = ofPages.ok ? ofPages : await fetch(`${mount}/wallets/images/${hash}`);
    if (!answer.ok) return null;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
    return `data:${answer.headers.get("content-type") ?? "image/png"};base64,${btoa(text)}`;
  } catch {
    return null;
  }
}
