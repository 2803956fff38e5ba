/** Stylesheets are bundled as text (the Text rule in wrangler.toml). */
declare module '*.css' {
  const text: string;
  export default text;
}
