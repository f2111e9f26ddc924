import { useLayoutEffect, useState } from "preact/hooks";
import { session } from "../api/session.js";

const RENAMED = "shop-renamed";

let current = session.shopName;

/**
 * Changes the shop's name wherever the console displays it, without saving it.
 * @param name the new name, or `null` if the shop has no name.
 */
export function renameShop(name: string | null): void {
  current = name;
  dispatchEvent(new Event(RENAMED));
}

/**
 * Shows the shop's name, or the organization ID if the shop has no name. Because the name might be truncated, a tooltip shows it in
 * full.
 */
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
