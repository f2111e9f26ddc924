import { useLayoutEffect, useState } from "preact/hooks";
import { session } from "../api/session.js";

const SHOP_RENAMED = "shop-renamed";

let currentName = session.shopName;

/**
 * Changes the shop's name wherever the console displays it, without saving it.
 * @param name the new name, or `null` for no name.
 */
export function renameShop(name: string | null): void {
  currentName = name;
  dispatchEvent(new Event(SHOP_RENAMED));
}

/**
 * Shows the shop's name, or the organization ID if the shop has no name. Because the name might be truncated, a tooltip shows it in
 * full.
 */
export function ShopName() {
  const [name, setName] = useState(currentName);
  useLayoutEffect(() => {
    const updateName = () => setName(currentName);
    addEventListener(SHOP_RENAMED, updateName);
    return () => removeEventListener(SHOP_RENAMED, updateName);
  }, []);
  const displayName = name ?? session.organizationId;
  return (
    <bdi class="shop-name" title={displayName}>
      {displayName}
    </bdi>
  );
}
