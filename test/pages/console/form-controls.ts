import { inject } from 'vitest';
import type { Reply } from '../../support/api.ts';

type Fields = [name: string, value: string][];

/** Returns a form's fields as a browser would send them. Finds the form by id, or by the end of its address. */
export function fieldsOf(html: string, form: string): Fields {
  const forms = [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)];
  const found = forms.find(([, attributes]) => {
    const { id, action = '' } = attributesOf(attributes!);
    return id === form || action.endsWith(`/${form}`);
  });
  if (!found) throw new Error(`there is no form "${form}"`);
  const inside = controlsIn(found[2]!);
  const outside = controlsIn(html.replace(found[0], '')).filter(({ attributes }) => attributes.form === form);
  return [...inside, ...outside].flatMap(({ attributes, value }) =>
    attributes.name && value !== undefined ? [[attributes.name, value] as [string, string]] : [],
  );
}

export function controlsOf(html: string, form: string): Map<string, string> {
  return new Map(fieldsOf(html, form));
}

/** Returns the same with some fields changed or added. */
export function formOf(html: string, form: string, changes: Record<string, string> = {}): Fields {
  const kept = fieldsOf(html, form).filter(([name]) => !Object.hasOwn(changes, name));
  return [...kept, ...Object.entries(changes)];
}

/** Sends a form with files like a browser. */
export async function postForm(path: string, form: FormData, cookie: { Cookie: string }): Promise<Reply> {
  const headers = { ...cookie, 'Sec-Fetch-Site': 'same-origin' };
  const url = new URL(path, inject('worker').origin);
  const response = await fetch(url, { method: 'POST', body: form, headers, redirect: 'manual' });
  const isJson = response.headers.get('Content-Type')?.includes('json');
  const body = isJson ? await response.json() : await response.text();
  return { status: response.status, headers: response.headers, body };
}

interface Control {
  attributes: Record<string, string | undefined>;
  /** Undefined if a browser sends nothing. */
  value: string | undefined;
}

function controlsIn(html: string): Control[] {
  const pattern = /<(input)\b([^>]*)>|<(textarea|select)\b([^>]*)>(.*?)<\/\3>/gs;
  return [...html.matchAll(pattern)].map(([, input, ofInput, kind, ofOther, content]) => {
    const attributes = attributesOf(ofInput ?? ofOther ?? '');
    if (input) return { attributes, value: inputValue(attributes) };
    return { attributes, value: kind === 'textarea' ? unescaped(content!.replace(/^\n/, '')) : selected(content!) };
  });
}

function inputValue(attributes: Control['attributes']): string | undefined {
  const { type, value } = attributes;
  if (type === 'file') return undefined;
  if (type !== 'checkbox' && type !== 'radio') return value ?? '';
  return 'checked' in attributes ? (value ?? 'on') : undefined;
}

function selected(options: string): string {
  const all = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, attributes]) => attributesOf(attributes!));
  return (all.find((option) => 'selected' in option) ?? all[0])?.value ?? '';
}

function attributesOf(text: string): Record<string, string | undefined> {
  const found = [...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value]) => [name, unescaped(value ?? '')]);
  return Object.fromEntries(found);
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
