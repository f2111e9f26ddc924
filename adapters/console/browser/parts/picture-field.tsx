import { useRef, useState } from "preact/hooks";
import { Button } from "./button.js";
import { Field } from "./field.js";
import { useShownPicture } from "./shown-picture.js";

interface PictureFieldProps {
  readonly label: string;
  readonly hint: string;
  /** The hash of the picture, or a `data:` URL until it is saved. */
  readonly picture: string | null;
  readonly error: string | undefined;
  readonly onChange: (picture: string | null) => void;
}

/** The most that the server takes. */
const MAX_BYTES = 524_288;

/** A picture from a file, with what the server finds wrong with it. */
export function PictureField({ label, hint, picture, error, onChange }: PictureFieldProps) {
  const [refused, setRefused] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const shown = useShownPicture(picture);

  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_BYTES) {
      setRefused(`“${file.name}” has more than 512 KiB.`);
      return;
    }
    setRefused("");
    onChange(await dataUrlOf(file));
  };
  const clear = () => {
    if (input.current !== null) input.current.value = "";
    setRefused("");
    onChange(null);
  };
  return (
    <div class="picture-field">
      <Field label={label} hint={hint} error={refused || error}>
        <input
          ref={input}
          type="file"
          accept="image/png,image/jpeg"
          onChange={(event) => void take(event.currentTarget.files?.[0])}
        />
      </Field>
      {picture !== null && (
        <div class="row">
          {shown === null ? <span class="hint">A picture is kept</span> : <img src={shown} alt="" />}
          <Button text={`Remove ${label.toLowerCase()}`} kind="plain" onClick={clear} />
        </div>
      )}
    </div>
  );
}

function dataUrlOf(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    // The name of a file says little: the server looks at its bytes.
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,;]*;/, "data:image/png;"));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });
}
