import { useLayoutEffect, useState } from "preact/hooks";
import { session } from "../api/session.js";

const RENAMED = "shop-renamed";

let current = session.shopName;

/** Updates the shop's name in the header; `null` for no name. */
export function renameShop(name: string | null): void {
  current = name;
  dispatchEvent(new Event(RENAMED));
}

/** Shows the shop's name, or its organization ID if it has no name. Hovering shows the full name if it is truncated. */
export function ShopName() {
  const [name, setName] = useState(current);
  useLayoutEffect(() => {
    const follow = () => setName(current);
    addEventListener(RENAMED, follow);
    return () => removeEventListener(RENAMED, follow);
  }, []);
  const shown = name ?? session.organizationId;
  return (
    <bdi class="shop-name" title={shown}>
      {shown}
    </bdi>
  );
}
