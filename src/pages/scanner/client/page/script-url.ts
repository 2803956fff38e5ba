/*
 * The page's policy is `require-trusted-types-for 'script'`, so every script URL must come from here. Only paths of
 * this origin are allowed.
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

/** Returns an address for `Worker` and `navigator.serviceWorker.register`. The DOM types accept only strings there. */
export const scriptUrl = (path: string): string => policy.createScriptURL(path) as string;
