import type { ConsoleContext } from '../console-env.ts';

const PATH_CHARS_MAX = 4_000;

/** A submitted form that waits until its sender has signed in again. */
export interface HeldForm {
  /** Target of the form. */
  action: string;
  fields: [name: string, value: string][];
  /** Page with the form, because files must be chosen again. Absent without files. */
  formPage?: string;
}

/** Returns the form of this request. */
export async function heldForm(c: ConsoleContext): Promise<HeldForm> {
  const sent = Object.entries(await c.req.parseBody({ all: true })).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as const),
  );
  const fields = sent.filter((field): field is [string, string] => typeof field[1] === 'string');
  const hasFiles = fields.length < sent.length;
  const before = c.req.header('Referer');
  return {
    action: pathOf(c.req.url),
    fields,
    ...(hasFiles && { formPage: before === undefined ? '/console' : consolePathOf(pathOf(before)) }),
  };
}

/** Returns path and query of a URL. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  return pathname + search;
}

/** Returns a console path from a request, or the console's first page for anything else. */
export function consolePathOf(text: string | undefined): string {
  if (text === undefined || text.length > PATH_CHARS_MAX || !URL.canParse(text, 'http://localhost')) return '/console';
  const path = pathOf(text);
  return /^\/console(\/|\?|$)/.test(path) ? path : '/console';
}

/** Returns the address of the page that asks for a sign-in and then continues to `to`. */
export const confirmPath = (to: string): string => `/console/confirm?${new URLSearchParams({ to })}`;
