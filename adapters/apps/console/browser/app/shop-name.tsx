import { useLayoutEffect, useState } from "preact/hooks";
import { base, mount, SHOP_CHANGED, session } from "../api/session.js";

/**
 * Shows the shop's name, or the organization ID if the shop has no name. Because the name might be truncated, a tooltip shows it in
 * full.
 */
export function ShopName() {
  const displayName = useSession("shopName") ?? session.organizationId;
  return (
    <bdi class="shop-name" title={displayName}>
      {displayName}
    </bdi>
  );
}

/** Shows the shop's logo, or the console's icon if the shop has no logo or the server has no customer pages to serve it. */
export function ShopLogo() {
  const logo = useSession("shopLogo");
  const [failedLogo, setFailedLogo] = useState<string | null>(null);
  return logo === null || logo === failedLogo ? (
    <img src={`${base}/icon.svg`} width="24" height="24" alt="" />
  ) : (
    <img
      class="shop-logo"
      src={`${mount}/j/pictures/${logo}`}
      height="24"
      alt=""
      onError={() => setFailedLogo(logo)}
    />
  );
}

/** Returns the shop's name or logo, also after it has changed. */
function useSession(field: "shopName" | "shopLogo"): string | null {
  const [value, setValue] = useState(session[field]);
  useLayoutEffect(() => {
    const update = () => setValue(session[field]);
    addEventListener(SHOP_CHANGED, update);
    return () => removeEventListener(SHOP_CHANGED, update);
  }, []);
  return value;
}
