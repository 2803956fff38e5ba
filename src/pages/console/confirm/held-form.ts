import type { ConsoleContext } from '../console-env.ts';

const PATH_CHARS_MAX = 4_000;

/** A form that waits until its sender has signed in again. */
export interface HeldForm {
  /** Where it goes. */
  action: string;
  fields: [name: string, value: string][];
  /** Page with the form, for files: they have to be chosen again. Absent without files. */
  formPage?: string;
}

/** The form of this request. */
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

/** Path and query of an address. */
export function pathOf(url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  return pathname + search;
}

/** A path of the console out of a request; anything else becomes its first page. */
export function consolePathOf(text: string | undefined): string {
  if (text === undefined || text.length > PATH_CHARS_MAX || !URL.canParse(text, 'http://localhost')) return '/console';
  const path = pathOf(text);
  return /^\/console(\/|\?|$)/.test(path) ? path : '/console';
}

/** Address of the page that asks for a sign-in, and leads on to `to`. */
export function confirmPath(to: string): string {
  return `/console/confirm?${new URLSearchParams({ to })}`;
}
