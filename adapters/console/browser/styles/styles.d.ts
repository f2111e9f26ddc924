/** They are bundled with what imports them. */
declare module "*.css";
