import { useLayoutEffect, useState } from "preact/hooks";
import { SHOP_RENAMED, session } from "../api/session.js";

/**
 * Shows the shop's name, or the organization ID if the shop has no name. Because the name might be truncated, a tooltip shows it in
 * full.
 */
export function ShopName() {
  const [name, setName] = useState(session.shopName);
  useLayoutEffect(() => {
    const updateName = () => setName(session.shopName);
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
