import { useEffect, useState } from "preact/hooks";

/** Matches the widths at which the navigation is at the bottom, as in `shell.css`. */
const phone = matchMedia("(max-width: 52rem)");

/** Returns whether the window is as narrow as a phone or an upright tablet. */
export function usePhone(): boolean {
  const [isPhone, setPhone] = useState(phone.matches);
  useEffect(() => {
    const update = () => setPhone(phone.matches);
    phone.addEventListener("change", update);
    return () => phone.removeEventListener("change", update);
  }, []);
  return isPhone;
}
