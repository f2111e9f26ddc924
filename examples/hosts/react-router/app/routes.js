import { route } from "@react-router/dev/routes";

export default [route("loyalty/*", "routes/loyalty.js"), route("orders", "routes/orders.js")];
