import { useEffect, useRef, useState } from "preact/hooks";
import { openCodeReader } from "./code-reader.js";

/** How long between two looks, in milliseconds. */
const LOOK_MS = 120;

/** For how long the code of a card that is still held there is not read again. */
const SAME_MS = 3_000;

interface CameraProps {
  readonly onCode: (code: string) => void;
}

/** What the camera sees, until a code is in it. */
export function Camera({ onCode }: CameraProps) {
  const video = useRef<HTMLVideoElement>(null);
  const told = useRef(onCode);
  told.current = onCode;
  const [complaint, setComplaint] = useState("");

  useEffect(() => {
    const { current: picture } = video;
    if (picture === null) return;
    let isOver = false;
    let stream: MediaStream | null = null;
    const watch = async () => {
      stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
      const reader = await openCodeReader();
      picture.srcObject = stream;
      await picture.play();
      let last = { code: "", at: 0 };
      while (!isOver) {
        const code = await reader.read(picture);
        const isSame = code === last.code && performance.now() - last.at < SAME_MS;
        if (code !== null && !isOver) {
          last = { code, at: performance.now() };
          if (!isSame) told.current(code);
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
    };
    watch().catch((error: unknown) => {
      if (!isOver) setComplaint(complaintOf(error));
    });
    return () => {
      isOver = true;
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
  }, []);

  if (complaint !== "") {
    return (
      <p class="note bad" role="alert">
        {complaint}
      </p>
    );
  }
  return <video ref={video} class="camera" muted playsInline aria-label="What the camera sees" />;
}

function complaintOf(error: unknown): string {
  const name = error instanceof Error ? error.name : "";
  if (name === "NotAllowedError")
    return "The camera may not be used. Allow it in the settings of the browser.";
  if (name === "NotFoundError") return "There is no camera.";
  return "The camera can’t be used. It needs an address that begins with https.";
}
