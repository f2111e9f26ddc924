/** Stylesheets are bundled with the modules that import them. */
declare module "*.css";
