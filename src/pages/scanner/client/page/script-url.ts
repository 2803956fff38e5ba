/*
 * The page's policy is `require-trusted-types-for 'script'`: what starts a script has to come through here, and only
 * paths of this origin do.
 */

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(path: string): string },
  ): { createScriptURL(path: string): unknown };
}

const rules = {
  createScriptURL(path: string): string {
    const url = new URL(path, location.origin);
    if (url.origin !== location.origin) throw new TypeError('a script of another origin');
    return url.href;
  },
};

const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('scanner', rules) ?? rules;

/** An address that `Worker` and `navigator.serviceWorker.register` take. The DOM's types know it as a text only. */
export function scriptUrl(path: string): string {
  return policy.createScriptURL(path) as string;
}
