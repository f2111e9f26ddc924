import { useEffect, useId, useRef, useState } from "preact/hooks";
import { loadCode } from "../api/call-error.js";
import { picture as words } from "../words/en/pictures.js";
import { Button } from "./button.js";
import type { CropDialog } from "./crop-dialog.js";
import type { PictureSize } from "./picture-size.js";
import { showError } from "./toasts.js";
import { usePictureUrl } from "./use-picture-url.js";

interface PictureFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly size: PictureSize;
  /** The hash of the saved picture, or the `data:` URL of a picture that hasn't been saved yet, or `null` for no picture. */
  readonly picture: string | null;
  readonly error: string | undefined;
  readonly onChange: (picture: string | null) => void;
}

/**
 * Maximum file size, in bytes. Photos from phones have at most a third of it. Larger files would only use up the browser's memory.
 */
const MAX_BYTES = 30_000_000;

/** A picture that the user chose, and the dialog that crops it, which loads once it is needed. */
interface ChosenPicture {
  readonly bitmap: ImageBitmap;
  readonly Dialog: typeof CropDialog;
}

/**
 * A field that accepts a picture by drag and drop, paste, or file selection. Lets the user crop a picture of other proportions
 * than the required ones, and shows the server's error message, if any.
 */
export function PictureField({ label, hint, size, picture, error, onChange }: PictureFieldProps) {
  const id = useId();
  const [fileError, setFileError] = useState("");
  const [chosen, setChosen] = useState<ChosenPicture | null>(null);
  const [isCropping, setCropping] = useState(false);
  const [isOver, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const pictureUrl = usePictureUrl(picture);
  const errorText = fileError || error || "";

  const openFile = async (files: FileList | null | undefined) => {
    const file = [...(files ?? [])][0];
    // Reset the input, so that the same file can be chosen again.
    if (input.current !== null) input.current.value = "";
    if (file === undefined || input.current?.matches(":disabled")) return;
    setFileError("");
    if (file.size > MAX_BYTES) {
      setFileError(words.tooLarge(file.name));
      return;
    }
    const bitmap = await createImageBitmap(file).catch(() => null);
    if (bitmap === null) {
      setFileError(words.unreadable(file.name));
      return;
    }
    try {
      const { CropDialog: Dialog, fitPicture } = await loadCode(() => import("./crop-dialog.js"));
      const url = fitPicture(bitmap, size);
      setChosen({ bitmap, Dialog });
      if (url === null) setCropping(true);
      else onChange(url);
    } catch (loadError) {
      showError(loadError);
    }
  };
  const isHovered = useRef(false);
  const field = useRef<HTMLDivElement>(null);
  const latest = useRef(openFile);
  latest.current = openFile;
  // A pasted picture goes to the field that has the focus or is under the pointer.
  useEffect(() => {
    const handlePaste = (event: ClipboardEvent) => {
      const files = event.clipboardData?.files;
      const isTarget = isHovered.current || field.current?.contains(document.activeElement);
      if (!isTarget || files === undefined || files.length === 0) return;
      event.preventDefault();
      void latest.current(files);
    };
    document.addEventListener("paste", handlePaste);
    return () => document.removeEventListener("paste", handlePaste);
  }, []);
  const setHovered = (isIn: boolean) => {
    isHovered.current = isIn;
  };
  const descriptionIds = [`${id}-hint`, ...(errorText === "" ? [] : [`${id}-error`])].join(" ");
  return (
    <div
      ref={field}
      class="field picture-field"
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => setHovered(false)}
    >
      <label for={id}>{label}</label>
      <div class={`drop ${isOver ? "over" : ""}`}>
        {pictureUrl !== null && <img src={pictureUrl} alt="" />}
        <span aria-hidden="true">
          {picture !== null && pictureUrl === null ? `${words.isKept} ` : ""}
          {words.drop} <u>{words.choose}</u>
        </span>
        {/* Invisible, and covers the whole area. */}
        <input
          ref={input}
          id={id}
          type="file"
          accept="image/png,image/jpeg,image/webp"
          aria-describedby={descriptionIds}
          {...(errorText !== "" && { "aria-invalid": "true" })}
          onChange={(event) => void openFile(event.currentTarget.files)}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            void openFile(event.dataTransfer?.files);
          }}
        />
      </div>
      <div class="row">
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
        {chosen !== null && picture?.startsWith("data:") && (
          <Button text={words.crop(label)} kind="plain" onClick={() => setCropping(true)} />
        )}
        {picture !== null && (
          <Button text={words.remove(label)} kind="plain" onClick={() => onChange(null)} />
        )}
      </div>
      {errorText !== "" && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {errorText}
        </p>
      )}
      {chosen !== null && isCropping && (
        <chosen.Dialog
          label={label}
          picture={chosen.bitmap}
          size={size}
          onClose={() => setCropping(false)}
          onCropped={(url) => {
            setCropping(false);
            onChange(url);
          }}
        />
      )}
    </div>
  );
}
